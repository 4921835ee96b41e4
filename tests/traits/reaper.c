/* A SIGCHLD handler that reaps all there is, as servers do: it must see each of the program's children once, and no
 * process of a recorder's. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile int reaped, sum;

static void reap(int number)
{
    (void)number;
    int saved = errno, status;
    while (waitpid(-1, &status, WNOHANG) > 0) {
        reaped++;
        sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
    }
    errno = saved;
}

int main(void)
{
    struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 50; i++) {
        if (fork() == 0) {
            burn(0.002);
            _exit(i);
        }
        burn(0.002);
    }
    for (int waits = 0; reaped < 50 && waits < 5000; waits++)
        usleep(1000);
    printf("reaped %d, sum %d\n", reaped, sum);
    return 0;
}
