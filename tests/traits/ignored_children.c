/* With SIGCHLD ignored, children vanish by themselves, and wait returns ECHILD after the last of them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            burn(0.005);
            _exit(i);
        }
    burn(0.02);
    int waited = wait(NULL);
    printf("waited %d, no children: %d\n", waited, errno == ECHILD);
    printf("still ignored: %d\n", signal(SIGCHLD, SIG_DFL) == SIG_IGN);
    return 0;
}
