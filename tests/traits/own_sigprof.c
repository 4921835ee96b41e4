/* The program's own ITIMER_PROF: counts its SIGPROFs over 0.3 s of CPU and says whether they are about as many as are
 * due. A recorder that uses the same timer or signal takes them away or adds to them. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "burn.h"

static volatile int ticks;

static void tick(int number)
{
    (void)number;
    ticks++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 10000}, {0, 10000}}, left;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    burn(0.3);
    int due = 30, got = ticks;
    /* A busy machine's kernel loses some. */
    for (int i = 0; i < 30 && ticks < due / 2; i++)
        burn(0.1);
    getitimer(ITIMER_PROF, &left);
    setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
    printf("%s\n", ticks < due / 2 ? "too few" : got > 2 * due ? "too many" : "about right");
    printf("interval %ld us\n", (long)left.it_interval.tv_usec);
    return 0;
}
