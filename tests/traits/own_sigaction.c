/* A program with a sigaction() of its own under both of its names, which calls the next __sigaction(), as the Erlang
 * runtime has one. It works on a stack with memory in use right below, so that handlers must be on alternate stacks.
 * flags: -rdynamic -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "burn.h"

typedef int function(int, const struct sigaction *, struct sigaction *);

int __sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    function *next = (function *)dlsym(RTLD_NEXT, "__sigaction");
    struct sigaction changed;
    if (action) {
        changed = *action;
        changed.sa_flags |= SA_ONSTACK;
        action = &changed;
    }
    return next ? next(number, action, before) : -1;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    return __sigaction(number, action, before);
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    handled = number;
}

enum { HEAP = 1 << 16, STACK = 1 << 15 };
static unsigned char memory[HEAP + STACK];
static ucontext_t back, here;

static void work(void)
{
    volatile double x = 0;
    for (long i = 0; i < 60000000; i++)
        x += (double)i;
    printf("%.0f\n", (double)x);
}

int main(void)
{
    static char alternate[1 << 16];
    sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL);
    struct sigaction action = {.sa_handler = handle};
    printf("%d %d\n", __sigaction(SIGUSR1, &action, NULL), sigaction(SIGUSR2, &action, NULL));
    raise(SIGUSR1);
    printf("handled %d\n", handled);
    burn(0.05);
    for (int i = 0; i < HEAP; i++)
        memory[i] = (unsigned char)(i * 7);
    getcontext(&here);
    here.uc_stack = (stack_t){.ss_sp = memory + HEAP, .ss_size = STACK};
    here.uc_link = &back;
    makecontext(&here, work, 0);
    swapcontext(&back, &here);
    int changed = 0;
    for (int i = 0; i < HEAP; i++)
        changed += memory[i] != (unsigned char)(i * 7);
    printf("changed %d\n", changed);
    return 0;
}
