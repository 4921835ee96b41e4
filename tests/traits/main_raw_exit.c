/* The main thread leaves by a raw exit while a worker goes on: a recorder that waits for it, or ends with it, hangs the
 * program or cuts it short.
 * flags: -finstrument-functions */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    (void)nothing;
    burn(0.2);
    puts("worker done");
    fflush(stdout);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    syscall(SYS_exit, 0);
    return 1;
}
