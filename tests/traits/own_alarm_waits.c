/* A program with a timer of its own, whose handler takes long: pause, sleep and read must be ended by its timer, as
 * often as the timer fires, and by nothing else. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "burn.h"

static volatile int fired;

static void fire(int number)
{
    (void)number;
    fired++;
    burn(0.02);
}

/* One firing of the timer, 30 ms from now. */
static void arm(void)
{
    struct itimerval timer = {.it_value = {0, 30000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void)
{
    char byte;
    int ends[2], wrong = 0;
    struct sigaction action = {.sa_handler = fire};
    sigaction(SIGALRM, &action, NULL);
    pipe(ends);
    for (int i = 0; i < 20; i++) {
        burn(0.002);
        arm();
        int before = fired;
        switch (i % 4) {
        case 0:
            pause();
            break;
        case 1:
            wrong += usleep(20000000) != -1 || errno != EINTR;
            break;
        case 2:
            wrong += read(ends[0], &byte, 1) != -1 || errno != EINTR;
            break;
        default:
            wrong += sleep(20) < 18;
            break;
        }
        wrong += fired != before + 1;
    }
    printf("fired %d, wrong %d\n", fired, wrong);
    return 0;
}
