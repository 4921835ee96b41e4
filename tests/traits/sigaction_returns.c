/* What sigaction returns about a signal is what the program set: handler, flags and mask, for signals that a recorder
 * might want to share.
 * todo: mode exact: signal 64 is Valgrind's */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

#include "burn.h"

/* The C library's own flag. */
enum { RESTORER = 0x04000000 };

static void handler(int number)
{
    (void)number;
}

int main(void)
{
    int numbers[] = {SIGINT,  SIGTERM, SIGSEGV,  SIGBUS,       SIGFPE,  SIGTRAP,
                     SIGPROF, SIGURG,  SIGRTMIN, SIGRTMIN + 1, SIGRTMAX};
    int flags[] = {0, SA_RESTART, SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_NOCLDSTOP | SA_RESTART};
    burn(0.02);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int good = 0;
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
            struct sigaction action = {.sa_handler = handler, .sa_flags = flags[k]}, now, old;
            sigaddset(&action.sa_mask, SIGUSR1);
            sigaction(numbers[i], &action, NULL);
            burn(0.001);
            sigaction(numbers[i], NULL, &now);
            sigaction(numbers[i], &now, &old);
            int masked = 0;
            for (int number = 1; number < 65; number++)
                masked += sigismember(&old.sa_mask, number) == 1;
            good += now.sa_handler == handler && (now.sa_flags & ~RESTORER) == flags[k] && old.sa_handler == handler &&
                    (old.sa_flags & ~RESTORER) == flags[k] && masked == 1 && sigismember(&now.sa_mask, SIGUSR1) == 1;
        }
        printf("%d: %d good\n", numbers[i], good);
    }
    return 0;
}
