/* A handler on the alternate stack forks, and the child burns and executes a program there; the thread it interrupted
 * burns on. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static char room[65536];
static volatile int sum;

static void spread(int number)
{
    (void)number;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        burn(0.005);
        if (sum % 2)
            execl("/bin/sh", "sh", "-c", "exit 1", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

int main(void)
{
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_handler = spread, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR2, &action, NULL);
    for (int i = 0; i < 20; i++) {
        burn(0.003);
        raise(SIGUSR2);
    }
    printf("sum %d\n", sum);
    return 0;
}
