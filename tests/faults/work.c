/*
 * A program whose recordings meet failing calls: two threads, a child, some CPU time, a line, and status 7. It makes no
 * call of its own that an agent passes on and `every` lets fail.
 *
 *   work [ROUNDS [alone]]   200 rounds by default, each of a fifth of a millisecond; alone: without the child
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 200000, STATUS = 7 };

static long rounds = 200;

__attribute__((noinline)) unsigned work_round(unsigned seed)
{
    for (volatile int i = 0; i < STEPS; i++)
        seed = seed * 1664525 + 1013904223;
    return seed;
}

static void *work_run(void *argument)
{
    unsigned *seed = argument;
    for (long i = 0; i < rounds; i++)
        *seed = work_round(*seed);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t thread;
    unsigned seeds[2] = {1, 2};
    int status = 0;
    if (count > 1)
        rounds = strtol(words[1], NULL, 10);
    if (pthread_create(&thread, NULL, work_run, &seeds[1]) != 0)
        return 1;
    work_run(&seeds[0]);
    pthread_join(thread, NULL);
    pid_t child = count > 2 ? -1 : fork();
    if (child == 0) {
        work_run(&seeds[0]);
        exit(3);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    printf("%u %u %d\n", seeds[0], seeds[1], WEXITSTATUS(status));
    return STATUS;
}
