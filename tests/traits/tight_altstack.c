/* A handler works on the smallest alternate stack the system allows, plus 2 KiB: no second signal frame fits, so a tick
 * that comes inside it kills the program. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

static volatile int handled;

static void work(int number)
{
    (void)number;
    burn(0.01);
    handled++;
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048;
    size_t mapped = (bytes + page - 1) / page * page;
    char *room = mmap(NULL, page + mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(room, page, PROT_NONE);
    /* Its lowest bytes lie at the guard page. */
    stack_t stack = {.ss_sp = room + page, .ss_size = bytes};
    if (sigaltstack(&stack, NULL)) {
        perror("sigaltstack");
        return 2;
    }
    struct sigaction action = {.sa_handler = work, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    burn(0.01);
    for (int i = 0; i < 10; i++)
        raise(SIGUSR1);
    printf("handled %d\n", handled);
    return 0;
}
