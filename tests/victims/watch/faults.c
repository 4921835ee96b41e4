/*
 * faults SECONDS - loads from address 0 and lets a signal handler skip each load, as runtimes do that find null
 * pointers in this way, for so much CPU time; then prints whether that were many.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

enum { LOAD_BYTES = 3 };

static volatile long faults;

static void skip(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += LOAD_BYTES;
    faults++;
}

int main(int count, char **arguments)
{
    struct sigaction action = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
    double seconds = count > 1 ? atof(arguments[1]) : 1;
    sigaction(SIGSEGV, &action, NULL);
    while ((double)clock() < seconds * CLOCKS_PER_SEC)
        for (int i = 0; i < 100; i++)
            __asm__ volatile("mov (%0), %%rax" : : "b"(0L) : "rax", "memory");
    puts(faults > 1000 ? "many faults" : "few faults");
    return 0;
}
