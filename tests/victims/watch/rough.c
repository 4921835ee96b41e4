/*
 * rough HOW - programs that watching must not disturb: `trap` handles SIGTRAP itself and raises it 2000 times;
 * `threads` starts 200 threads that work and end; `deep` is a recursion of 20000 calls; `errno` uses a variable that
 * signal handlers use, too; `fork` works long enough for a trace, and has children that work. Prints what it counted.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t traps;
static volatile unsigned cells[64];

static void on_trap(int signal)
{
    (void)signal;
    traps++;
}

__attribute__((noinline)) static void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        cells[i % 64] += i;
}

static void *run(void *unused)
{
    work(200000);
    return unused;
}

__attribute__((noinline)) static unsigned deep(unsigned n)
{
    volatile unsigned here = n;
    work(50);
    return n == 0 ? 0 : deep(n - 1) + (here != n) + 1;
}

static unsigned use_threads(void)
{
    unsigned ended = 0;
    for (unsigned i = 0; i < 25; i++) {
        pthread_t threads[8];
        for (unsigned t = 0; t < 8; t++)
            pthread_create(&threads[t], NULL, run, NULL);
        for (unsigned t = 0; t < 8; t++)
            ended += pthread_join(threads[t], NULL) == 0;
    }
    return ended;
}

static unsigned use_forks(void)
{
    unsigned good = 0;
    while (clock() < CLOCKS_PER_SEC / 10) /* of CPU time */
        work(100000);
    for (unsigned i = 0; i < 10; i++) {
        int status = 1;
        pid_t child = fork();
        if (child == 0) {
            work(5000000);
            exit(0);
        }
        good += waitpid(child, &status, 0) == child && status == 0;
    }
    return good;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    unsigned count = 0;
    if (strcmp(how, "trap") == 0) {
        signal(SIGTRAP, on_trap);
        for (unsigned i = 0; i < 2000; i++, work(20000))
            raise(SIGTRAP);
        count = (unsigned)traps;
    } else if (strcmp(how, "threads") == 0) {
        count = use_threads();
    } else if (strcmp(how, "deep") == 0) {
        for (unsigned i = 0; i < 20; i++)
            count += deep(20000);
    } else if (strcmp(how, "errno") == 0) {
        for (unsigned i = 0; i < 100000000; i++)
            errno = (int)(i & 7);
        count = (unsigned)errno;
    } else {
        count = use_forks();
    }
    printf("%u\n", count);
    return 0;
}
