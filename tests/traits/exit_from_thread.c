/* A thread calls exit while the main thread waits for it and another burns: exit handlers run once, in that thread, and
 * the status is its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static pthread_t leaver;

static void at_the_end(void)
{
    printf("exit handler in the thread: %d\n", pthread_equal(pthread_self(), leaver) != 0);
}

static void *spin(void *nothing)
{
    static volatile unsigned long sum;
    for (;;)
        sum++;
    return nothing;
}

static void *leave(void *nothing)
{
    leaver = pthread_self();
    burn(0.05);
    exit(7);
    return nothing;
}

int main(void)
{
    pthread_t threads[2];
    atexit(at_the_end);
    pthread_create(&threads[0], NULL, spin, NULL);
    pthread_create(&threads[1], NULL, leave, NULL);
    pthread_join(threads[1], NULL);
    puts("not reached");
    return 0;
}
