/* Stack overflows that are caught on an alternate stack and left by siglongjmp, as interpreters do, again and again: a
 * tick comes when the stack is nearly full or the handler is left half way. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "burn.h"

static char room[65536];
static sigjmp_buf home;
static volatile int caught;

static void overflow(int number)
{
    (void)number;
    caught++;
    siglongjmp(home, 1);
}

__attribute__((noinline)) static int recurse(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    burn_rounds(1000);
    return recurse(depth + 1) + frame[0];
}

int main(void)
{
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_handler = overflow, .sa_flags = SA_ONSTACK};
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = 4 << 20;
    setrlimit(RLIMIT_STACK, &limit);
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 50; i++)
        if (sigsetjmp(home, 1) == 0)
            burn_sink += (unsigned long)recurse(0);
    printf("caught %d\n", caught);
    return 0;
}
