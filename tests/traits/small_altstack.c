/* A SIGSEGV handler works for long on an alternate stack of a given size with a guard page below it; a recorder's own
 * signal that comes meanwhile may find no room there.
 * args: 8192 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "burn.h"

enum { PAGE = 4096, FAULTS = 20 };

static char *page;
static volatile int handled;

static void unprotect(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    handled++;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    burn(0.005);
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? (size_t)atoi(argv[1]) : 8192;
    char *room = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(room + PAGE, bytes, PROT_READ | PROT_WRITE);
    stack_t stack = {.ss_sp = room + PAGE, .ss_size = bytes};
    if (sigaltstack(&stack, NULL)) {
        perror("sigaltstack");
        return 2;
    }
    struct sigaction action = {.sa_sigaction = unprotect, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    burn(0.005);
    for (int i = 0; i < FAULTS; i++) {
        mprotect(page, PAGE, PROT_NONE);
        page[0] = 1;
        burn(0.002);
    }
    printf("handled %d\n", handled);
    return 0;
}
