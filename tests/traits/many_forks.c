/* 300 quick forks from a burning program, half of which leave by exit and half by _exit: their statuses must add up,
 * whatever a recorder does at fork and exit. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    int sum = 0, killed = 0;
    for (int i = 0; i < 300; i++) {
        pid_t child = fork();
        if (child == 0) {
            burn_rounds(20000);
            if (i % 2)
                exit(i % 7);
            _exit(i % 7);
        }
        burn_rounds(200000);
        int status = 0;
        if (waitpid(child, &status, 0) != child)
            puts("lost a child");
        killed += WIFSIGNALED(status);
        sum += WEXITSTATUS(status);
    }
    printf("sum %d, killed %d\n", sum, killed);
    return 0;
}
