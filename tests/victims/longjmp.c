/*
 * longjmp out of two functions, and a signal handler: later calls are made by main again. The call paths of accesses
 * without `*` are complete: only main is around them.
 *
 * pair dead-store @leaf<@deeper<@deep @leaf<@deeper<@deep n-1 4*(n-1) all
 * pair silent-store @leaf<@deeper<@deep @leaf<@deeper<@deep n-1 4*(n-1) all
 * pair dead-store @jumped @jumped n-1 4*(n-1) all
 * pair silent-store @jumped @jumped n-1 4*(n-1) all
 *
 * pair dead-store @handler* @handler* n-1 4*(n-1) all
 * pair silent-store @handler* @handler* n-1 4*(n-1) all
 * pair dead-store @handled @handled n-1 4*(n-1) all
 * pair silent-store @handled @handled n-1 4*(n-1) all
 *
 * A handler that leaves by siglongjmp.
 * pair dead-store @escape* @escape* n-1 4*(n-1) all
 * pair silent-store @escape* @escape* n-1 4*(n-1) all
 * pair dead-store @escaped @escaped n-1 4*(n-1) all
 * pair silent-store @escaped @escaped n-1 4*(n-1) all
 */
#include <setjmp.h>
#include <signal.h>

#include "victim.h"

static char cells[6][64] __attribute__((aligned(64)));
static sigjmp_buf back;

/* clang-format off */
VICTIM static void victim_leaf(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @leaf */
        : : [p] "r"(p) : "memory");
    siglongjmp(back, 1);
}

VICTIM static void victim_jumped(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @jumped */
        : : [p] "r"(p) : "memory");
}

VICTIM static void victim_handler(int signal)
{
    (void)signal;
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @handler */
        : : [p] "r"(cells[2]) : "memory");
}

VICTIM static void victim_handled(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @handled */
        : : [p] "r"(p) : "memory");
}

VICTIM static void victim_escape(int signal)
{
    (void)signal;
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @escape */
        : : [p] "r"(cells[4]) : "memory");
    siglongjmp(back, 1);
}

VICTIM static void victim_escaped(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @escaped */
        : : [p] "r"(p) : "memory");
}
/* clang-format on */

VICTIM static void victim_deeper(void *p)
{
    victim_leaf(p); /* @deeper */
    __asm__ volatile("");
}

VICTIM static void victim_deep(void *p)
{
    victim_deeper(p); /* @deep */
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    volatile uint64_t n = VICTIM_ROUNDS(argc, argv);
    signal(SIGUSR1, victim_handler);
    signal(SIGUSR2, victim_escape);
    for (volatile uint64_t i = 0; i < n; i++) {
        if (sigsetjmp(back, 1) == 0)
            victim_deep(cells[0]);
        victim_jumped(cells[1]);
        raise(SIGUSR1);
        victim_handled(cells[3]);
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR2);
        victim_escaped(cells[5]);
    }
    return 0;
}
