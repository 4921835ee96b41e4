/* A SIGTERM handler calls exit in the midst of work, as many programs do: exit handlers and destructors run once, in
 * their order, and the status is the handler's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "burn.h"

static void first(void)
{
    puts("exit handler 1");
}

static void second(void)
{
    burn(0.02);
    puts("exit handler 2");
}

__attribute__((destructor)) static void last(void)
{
    burn(0.02);
    puts("destructor");
}

static void terminate(int number)
{
    burn(0.02);
    exit(number);
}

int main(void)
{
    atexit(first);
    atexit(second);
    signal(SIGTERM, terminate);
    for (int i = 0;; i++) {
        burn(0.005);
        if (i == 10)
            kill(getpid(), SIGTERM);
    }
}
