/* A child that is traced from its own request on and burns: the parent must see its stop by SIGUSR1 and its end,
 * and no ticks. */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGUSR1, SIG_IGN);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        burn(0.05);
        raise(SIGUSR1);
        burn(0.05);
        return 4;
    }
    int stops[65] = {0};
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        stops[WSTOPSIG(status) & 63]++;
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)WSTOPSIG(status));
    }
    for (int number = 1; number < 65; number++)
        if (stops[number])
            printf("stops by %d%s\n", number, stops[number] > 1 ? ", many" : "");
    printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
    return 0;
}
