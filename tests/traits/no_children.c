/* Every call that waits for children says that there are none: a recorder's helper processes must not be
 * the program's children. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static void ask(void)
{
    int status;
    siginfo_t info;
    printf("wait: %d", wait(&status) < 0 ? errno == ECHILD : -1);
    printf(", waitpid: %d", waitpid(-1, &status, WNOHANG | __WALL) < 0 ? errno == ECHILD : -1);
    printf(", waitid: %d\n", waitid(P_ALL, 0, &info, WEXITED | WNOHANG) < 0 ? errno == ECHILD : -1);
}

int main(void)
{
    ask();
    burn(0.1);
    ask();
    pid_t child = fork();
    if (child == 0) {
        burn(0.02);
        ask();
        fflush(stdout);
        _exit(4);
    }
    int status = 0;
    printf("the child: %d, ", wait(&status) == child);
    printf("status %d\n", WEXITSTATUS(status));
    ask();
    return 0;
}
