/* Prints every signal whose disposition is not the default, as sigaction, signal and the system call tell it, before
 * and after some work: the handlers of a recorder must not show.
 * todo: mode exact: signal 64 is Valgrind's */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static void report(const char *how, int number, void (*handler)(int))
{
    if (handler != SIG_DFL)
        printf("%s: %d is %s\n", how, number, handler == SIG_IGN ? "ignored" : "handled");
}

static void report_all(void)
{
    for (int number = 1; number <= 64; number++) {
        struct sigaction action;
        void *raw[4] = {0};
        if (number == SIGKILL || number == SIGSTOP || number == 32 || number == 33)
            continue;
        if (sigaction(number, NULL, &action) == 0)
            report("sigaction", number, action.sa_handler);
        void (*handler)(int) = signal(number, SIG_DFL);
        if (handler == SIG_ERR)
            printf("signal: %d failed\n", number);
        else
            report("signal", number, handler);
        signal(number, handler);
        if (syscall(SYS_rt_sigaction, number, NULL, raw, 8) == 0)
            report("rt_sigaction", number, (void (*)(int))raw[0]);
    }
}

int main(void)
{
    report_all();
    burn(0.05);
    report_all();
    burn(0.02);
    puts("end");
    return 0;
}
