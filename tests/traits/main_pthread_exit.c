/* The main thread leaves by pthread_exit while a worker goes on: its stack frames are unwound, and the process must
 * live as long as the worker, and run the exit handlers in it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static void at_the_end(void)
{
    puts("exit handler");
}

static void *work(void *nothing)
{
    (void)nothing;
    burn(0.1);
    puts("worker done");
    return NULL;
}

static void cleanup(void *nothing)
{
    (void)nothing;
    puts("main's cleanup");
}

int main(void)
{
    pthread_t worker;
    atexit(at_the_end);
    burn(0.02);
    pthread_cleanup_push(cleanup, NULL);
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return 1;
}
