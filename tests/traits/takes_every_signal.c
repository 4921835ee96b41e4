/* Handles every signal there is, so that none is left for a recorder, and raises each ten times while it burns: every
 * handler must run ten times.
 * todo: mode exact: signal 64 is Valgrind's */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

#include "burn.h"

static volatile int counts[65];

static void count(int number)
{
    counts[number]++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    int refused = 0;
    burn(0.02);
    for (int number = 1; number < 65; number++)
        refused += sigaction(number, &action, NULL) != 0;
    for (int i = 0; i < 10; i++)
        for (int number = 1; number < 65; number++) {
            struct sigaction now;
            if (sigaction(number, NULL, &now) || now.sa_handler != count)
                continue;
            raise(number);
            burn_rounds(100000);
        }
    /* 32 and 33 are the C library's own. */
    printf("refused %d\n", refused);
    for (int number = 1; number < 65; number++)
        if (counts[number] != 10)
            printf("%d: %d\n", number, counts[number]);
    return 0;
}
