/* Leaves by quick_exit: only the handlers of at_quick_exit run, and no destructor; what a recorder has to write then it
 * must write elsewhere. */
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static void quick(void)
{
    burn(0.02);
    puts("quick handler");
    fflush(stdout);
}

static void slow(void)
{
    puts("exit handler");
    fflush(stdout);
}

__attribute__((destructor)) static void last(void)
{
    puts("destructor");
    fflush(stdout);
}

int main(void)
{
    atexit(slow);
    at_quick_exit(quick);
    burn(0.1);
    quick_exit(11);
}
