/*
 * cancel ROUNDS - threads that are cancelled or exit inside calls, and one stack of 5000 frames.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sink;

static void *cancelled(void *unused)
{
    for (;;) {
        for (unsigned i = 0; i < 1000; i++)
            sink += i;
        pthread_testcancel();
    }
    return unused;
}

static void *exiting(void *unused)
{
    for (unsigned i = 0; i < 1000000; i++)
        sink += i;
    pthread_exit(unused);
}

__attribute__((noinline)) static unsigned deep(unsigned n)
{
    if (n == 0)
        for (unsigned i = 0; i < 3000000; i++)
            sink += i;
    return n == 0 ? sink : deep(n - 1) + sink;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < rounds; i++) {
        pthread_t a, b;
        void *result = NULL;
        if (pthread_create(&a, NULL, cancelled, NULL) != 0 || pthread_create(&b, NULL, exiting, &a) != 0)
            return 1;
        deep(5000);
        pthread_cancel(a);
        if (pthread_join(a, &result) != 0 || result != PTHREAD_CANCELED)
            return 2;
        if (pthread_join(b, &result) != 0 || result != &a)
            return 3;
    }
    return 0;
}
