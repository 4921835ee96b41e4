/* int3 instructions and single steps that the program's own SIGTRAP handler counts, as tracers within a process do: a
 * recorder that uses breakpoints must not take them, nor add to them.
 * needs: test "$(uname -m)" = x86_64
 * todo: mode exact: Valgrind has no single steps */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#include "burn.h"

static volatile int breakpoints, steps, others;

static void trap(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)number;
    if (info->si_code == TRAP_TRACE)
        steps++;
    else if (info->si_code == SI_KERNEL && ((unsigned char *)registers[REG_RIP])[-1] == 0xcc)
        breakpoints++;
    else
        others++;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    burn(0.02);
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 200; i++) {
        __asm__ volatile("int3");
        burn_rounds(200000);
        __asm__ volatile("sub $128, %%rsp\n\tpushf\n\torl $0x100, (%%rsp)\n\tpopf\n\tnop\n\tnop\n\tnop\n\t"
                         "pushf\n\tandl $0xfffffeff, (%%rsp)\n\tpopf\n\tadd $128, %%rsp" ::
                             : "cc", "memory");
    }
    printf("breakpoints %d, steps %d, others %d\n", breakpoints, steps, others);
    return 0;
}
