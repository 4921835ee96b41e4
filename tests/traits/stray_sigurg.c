/* SIGURG comes with a value, as from a sender that means an earlier program of this process, and nothing handles it: it
 * is ignored, and no other signal gets a handler because of it.
 * todo: mode exact: signal 64 is Valgrind's */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

/* Whether the kernel has a handler for the highest signal, which would end a program that is executed while one is
 * pending. */
static int catches_highest(void)
{
    char line[256];
    unsigned long long caught = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "SigCgt: %llx", &caught);
    if (status)
        fclose(status);
    return (int)(caught >> 63 & 1);
}

int main(void)
{
    int value = 0;
    burn(0.02);
    for (int i = 0; i < 10; i++) {
        sigqueue(getpid(), SIGURG, (union sigval){.sival_ptr = &value});
        burn(0.005);
    }
    printf("the highest signal has a handler: %d\n", catches_highest());
    return 0;
}
