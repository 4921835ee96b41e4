/* Coroutines with stacks that leave little room for a signal's frame.
 * args: 6144 */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "burn.h"

enum { COROUTINES = 50, ROUNDS = 20 };

static ucontext_t home, coroutines[COROUTINES];
static int finished;

static void body(int number)
{
    for (int i = 0; i < ROUNDS; i++) {
        burn_rounds(100000);
        swapcontext(&coroutines[number], &home);
    }
    finished++;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? (size_t)atoi(argv[1]) : 16384;
    for (int k = 0; k < COROUTINES; k++) {
        getcontext(&coroutines[k]);
        coroutines[k].uc_stack.ss_sp = malloc(bytes);
        coroutines[k].uc_stack.ss_size = bytes;
        coroutines[k].uc_link = &home;
        makecontext(&coroutines[k], (void (*)(void))body, 1, k);
    }
    for (int i = 0; i <= ROUNDS; i++)
        for (int k = 0; k < COROUTINES; k++)
            swapcontext(&home, &coroutines[k]);
    printf("finished %d\n", finished);
    return 0;
}
