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
    int due = 20, got = virtual_ticks - before;
    /* A busy machine's kernel loses some. */
    for (int i = 0; i < 30 && virtual_ticks - before < due / 2; i++)
        burn(0.1);
    const char *verdict = got > 2 * due ? "too many" : "about right";
    if (virtual_ticks - before < due / 2)
        verdict = "too few";
    printf("virtual %s, real %d\n", verdict, real_ticks);
    return 0;
}
