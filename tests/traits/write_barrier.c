/* A write barrier as garbage collectors use it: pages are protected, and the SIGSEGV handler notes the address and lets
 * the write through. Every fault must reach it, with its address. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "burn.h"

enum { PAGE = 4096, PAGES = 200 };

static char *heap;
static volatile int faults, wrong;

static void barrier(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    char *page = (char *)((unsigned long)info->si_addr & ~(PAGE - 1UL));
    faults++;
    wrong += page != heap + (faults - 1) % PAGES * PAGE || info->si_code != SEGV_ACCERR;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = barrier, .sa_flags = SA_SIGINFO};
    long sum = 0;
    heap = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, NULL);
    for (int round = 0; round < 2; round++) {
        mprotect(heap, PAGES * PAGE, PROT_READ);
        for (int i = 0; i < PAGES; i++) {
            heap[i * PAGE + i] += 3;
            burn_rounds(100000);
        }
    }
    for (int i = 0; i < PAGES * PAGE; i++)
        sum += heap[i];
    printf("faults %d, wrong %d, sum %ld\n", faults, wrong, sum);
    return 0;
}
