/* Handles SIGURG, the recorder's usual tick, and raises it a known number of times by kill and pthread_kill: the
 * handler must see these and no others. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "burn.h"

static volatile int count, others;

static void urgent(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    count++;
    if (info->si_pid != getpid() || (info->si_code != SI_USER && info->si_code != SI_TKILL))
        others++;
}

int main(void)
{
    burn(0.02);
    struct sigaction action = {.sa_sigaction = urgent, .sa_flags = SA_SIGINFO};
    sigaction(SIGURG, &action, NULL);
    for (int i = 0; i < 50; i++) {
        kill(getpid(), SIGURG);
        burn(0.001);
        pthread_kill(pthread_self(), SIGURG);
        burn(0.001);
    }
    printf("count %d, others %d\n", count, others);
    signal(SIGURG, SIG_DFL);
    kill(getpid(), SIGURG);
    burn(0.02);
    signal(SIGURG, SIG_IGN);
    kill(getpid(), SIGURG);
    burn(0.02);
    printf("count %d, ignored at the end: %d\n", count, signal(SIGURG, SIG_DFL) == SIG_IGN);
    return 0;
}
