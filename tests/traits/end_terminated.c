/* Burns in two threads and ends by the default of SIGTERM, as most programs do: status 143, and no exit handler runs.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "burn.h"

static void at_the_end(void)
{
    puts("exit handler");
}

static void *spin(void *nothing)
{
    for (;;)
        burn_rounds(1000);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    atexit(at_the_end);
    puts("before");
    fflush(stdout);
    pthread_create(&thread, NULL, spin, NULL);
    burn(0.1);
    kill(getpid(), SIGTERM);
    puts("not reached");
    return 0;
}
