/*
 * The unwinder trusts a program's unwind information and reads wherever that leads: hand-written code and coroutines
 * may lead it nowhere. A SIGSEGV or SIGBUS that arrives while a thread walks ends the walk. Any other one has its
 * default effect. If the program installs its own handler, that replaces the guard's, and the program learns that the
 * previous handler was the default.
 */
#include "collect/agents/native/native.h"

#include <setjmp.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local sigjmp_buf *jump __attribute__((tls_model("initial-exec")));

void guard_handle(int signal, siginfo_t *info, void *context)
{
    struct sigaction fatal = {.sa_handler = SIG_DFL};
    (void)context;
    if (jump && info->si_code > 0)
        siglongjmp(*jump, 1);
    sigaction(signal, &fatal, NULL);
    if (info->si_code <= 0) /* somebody sent it; a fault would recur by itself */
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
}

void guard_install_handlers(void)
{
    const int faults[] = {SIGSEGV, SIGBUS};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct sigaction before, action = {.sa_sigaction = guard_handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
        if (sigaction(faults[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
            sigaction(faults[i], &action, NULL);
    }
}

bool guard_run(void (*run)(void *user), void *user)
{
    sigjmp_buf location, *volatile before = jump; /* of a walk that a tick has interrupted */
    /* The signal mask is the same there; saving it would cost a system call for each sample. */
    if (sigsetjmp(location, 0) != 0) {
        jump = before;
        return false;
    }
    jump = &location;
    run(user);
    jump = before;
    return true;
}
