/* Three handlers that interrupt one another on one alternate stack with room for just their frames; ticks and a
 * changed SS_ONSTACK state show. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

static volatile int handled, on_stack;

static void handler(int number)
{
    stack_t now;
    sigaltstack(NULL, &now);
    on_stack += (now.ss_flags & SS_ONSTACK) != 0;
    handled++;
    if (number == SIGUSR1)
        raise(SIGUSR2);
    else if (number == SIGUSR2)
        raise(SIGRTMIN + 5);
    burn(0.003);
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) * 3 + 2048;
    size_t mapped = (bytes + page - 1) / page * page;
    char *room = mmap(NULL, page + mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(room, page, PROT_NONE);
    stack_t stack = {.ss_sp = room + page, .ss_size = bytes};
    if (sigaltstack(&stack, NULL)) {
        perror("sigaltstack");
        return 2;
    }
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGRTMIN + 5, &action, NULL);
    burn(0.01);
    raise(SIGRTMIN + 5);
    for (int i = 0; i < 15; i++)
        raise(SIGUSR1);
    printf("handled %d, on the stack %d\n", handled, on_stack);
    return 0;
}
