/* vfork, whose child borrows the parent's memory until it executes a program or leaves: whatever a recorder writes in
 * the child is written in the parent.
 * todo: mode exact: under Valgrind the child of vfork has memory of its own */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile int visits;

__attribute__((noinline)) static void become(int i)
{
    visits++;
    burn_rounds(200000);
    if (i % 3 == 0)
        _exit(5);
    if (i % 3 == 1)
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
    execl("/nonexistent", "nonexistent", (char *)NULL);
    _exit(9);
}

int main(void)
{
    volatile int sum = 0;
    for (volatile int i = 0; i < 60; i++) {
        burn_rounds(500000);
        pid_t child = vfork();
        if (child == 0)
            become(i);
        int status = 0;
        waitpid(child, &status, 0);
        sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
    }
    printf("visits %d, sum %d\n", visits, sum);
    return 0;
}
