/* A handler that ends a wait starts programs, and leaves the wait by a jump that restores no mask: the programs inherit
 * the mask of the handler, without any signal that only a recorder blocks. */
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;
static char *again[] = {"./program", "print", NULL};
static jmp_buf place;
static volatile int jumps;

static int print_mask(void)
{
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int signal = 1; signal < 32; signal++)
        if (sigismember(&mask, signal))
            printf("%d ", signal);
    puts("blocked");
    return fflush(stdout);
}

static void start(int number)
{
    pid_t child = fork();
    (void)number;
    if (child == 0)
        _exit(execv(*again, again));
    waitpid(child, NULL, 0);
    if (posix_spawn(&child, *again, NULL, NULL, again, environ) == 0)
        waitpid(child, NULL, 0);
    print_mask();
    if (jumps)
        longjmp(place, 1);
}

int main(int count, char **arguments)
{
    struct sigaction action = {.sa_handler = start, .sa_flags = SA_NODEFER};
    struct itimerval timer = {.it_value = {0, 50000}};
    if (count > 1)
        return print_mask();
    burn(0.02);
    for (jumps = 0; jumps < 2; jumps++) {
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &timer, NULL);
        if (setjmp(place) == 0)
            sleep(20);
        print_mask();
    }
    return execv(*again, again);
}
