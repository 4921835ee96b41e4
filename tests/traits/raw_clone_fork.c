/* Children made by the raw clone call, so that no function for forks runs: they burn and leave, and must be what fork's
 * children are. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    int sum = 0, killed = 0;
    burn(0.02);
    for (int i = 0; i < 20; i++) {
        pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            burn(0.005);
            if (i % 2)
                exit(i);
            _exit(i);
        }
        burn(0.002);
        int status = 0;
        waitpid(child, &status, 0);
        killed += WIFSIGNALED(status);
        sum += WEXITSTATUS(status);
    }
    printf("sum %d, killed %d\n", sum, killed);
    return 0;
}
