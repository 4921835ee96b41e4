/* A new user namespace, which the kernel refuses to a process with threads: those of a recorder count. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "burn.h"

int main(void)
{
    burn(0.05);
    int failed = unshare(CLONE_NEWUSER);
    printf("unshare(CLONE_NEWUSER): %s\n", failed ? strerror(errno) : "ok");
    burn(0.02);
    return 0;
}
