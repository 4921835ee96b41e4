/* Whether registers trap is found out in a process that goes on even if the kernel takes a trap for nobody's. */
#include "collect/perf/debug_register.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

enum { SYSCALL_STOP = SIGTRAP | 0x80 };

static pid_t begin(void)
{
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(1);
        raise(SIGSTOP);
        debug_register_try();
        _exit(0);
    }
    return child;
}

/* Continues the child to its end, with a SIGTRAP at its first perf_event_open(). The status of wait(). */
static int run(pid_t child, bool *sent)
{
    int status = 0, signal = 0;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD); /* NOLINT */
    while (WIFSTOPPED(status)) {
        struct user_regs_struct registers;
        signal = WSTOPSIG(status) == SYSCALL_STOP || WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
        if (WSTOPSIG(status) == SYSCALL_STOP && !*sent && ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0 &&
            registers.orig_rax == SYS_perf_event_open)
            *sent = kill(child, SIGTRAP) == 0;
        if (ptrace(PTRACE_SYSCALL, child, NULL, (void *)(intptr_t)signal) != 0) /* NOLINT */
            break;
        waitpid(child, &status, 0);
    }
    return status;
}

int main(void)
{
    bool sent = false;
    int status = run(begin(), &sent);
    if (!sent)
        skip("this machine does not let a process trace another");
    else
        ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a trap that belongs to nobody does not end the process");
    return done_testing();
}
