/* The program's own ITIMER_VIRTUAL and ITIMER_REAL at once, with handlers that count: both must keep their rate. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "burn.h"

static volatile int virtual_ticks, real_ticks;

static void tick(int number)
{
    if (number == SIGVTALRM)
        virtual_ticks++;
    else
        real_ticks++;
}

static const char *verdict(int got, int due)
{
    return got < due / 2 ? "too few" : got > 2 * due ? "too many" : "about right";
}

int main(void)
{
    struct itimerval every = {{0, 10000}, {0, 10000}}, once = {{0, 0}, {0, 20000}};
    signal(SIGVTALRM, tick);
    signal(SIGALRM, tick);
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    for (int i = 0; i < 10; i++) {
        setitimer(ITIMER_REAL, &once, NULL);
        for (int before = real_ticks; real_ticks == before;)
            burn_rounds(1000);
    }
    int before = virtual_ticks;
    burn(0.2);
    printf("virtual %s, real %d\n", verdict(virtual_ticks - before, 20), real_ticks);
    return 0;
}
