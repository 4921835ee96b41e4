/* A scheduler that switches coroutines from its timer signal's handler, each on a stack of its own: a tick's handler
 * may be switched away from in the midst. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

#include "burn.h"

enum { COROUTINES = 4, BYTES = 65536 };

static ucontext_t home, coroutines[COROUTINES];
static volatile int current, finished[COROUTINES];
static volatile long sums[COROUTINES];

static void preempt(int number)
{
    (void)number;
    int before = current;
    do
        current = (current + 1) % COROUTINES;
    while (finished[current] && current != before);
    if (current != before)
        swapcontext(&coroutines[before], &coroutines[current]);
}

static void body(int number)
{
    sigset_t alarm;
    for (long i = 0; i < 20000000; i++)
        sums[number] += i % 7;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGVTALRM);
    sigprocmask(SIG_BLOCK, &alarm, NULL);
    finished[number] = 1;
    for (int k = 0; k < COROUTINES; k++)
        if (!finished[k]) {
            current = k;
            setcontext(&coroutines[k]);
        }
    setcontext(&home);
}

int main(void)
{
    volatile int started = 0;
    struct itimerval every = {{0, 4000}, {0, 4000}};
    for (int k = 0; k < COROUTINES; k++) {
        getcontext(&coroutines[k]);
        coroutines[k].uc_stack.ss_sp = malloc(BYTES);
        coroutines[k].uc_stack.ss_size = BYTES;
        makecontext(&coroutines[k], (void (*)(void))body, 1, k);
    }
    struct sigaction action = {.sa_handler = preempt, .sa_flags = SA_RESTART};
    sigaction(SIGVTALRM, &action, NULL);
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    getcontext(&home);
    if (!started++)
        setcontext(&coroutines[0]);
    for (int k = 0; k < COROUTINES; k++)
        printf("%ld\n", sums[k]);
    return 0;
}
