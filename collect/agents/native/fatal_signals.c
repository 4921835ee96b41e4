/*
 * Signals that would end the process still end it, but only after the trace has been completed.
 */
#include "collect/agents/native/native.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000 };

static const int fatal[] = {SIGINT, SIGTERM, SIGHUP};

void fatal_signals_handle(int signal)
{
    int saved = errno;
    struct sigaction action = {.sa_handler = SIG_DFL};
    agent_end_from_handler(PATIENCE_MS);
    sigaction(signal, &action, NULL);
    /* Blocked while this handler runs; it takes the process when the handler returns. */
    syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
    errno = saved;
}

void fatal_signals_install(void)
{
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        struct sigaction before, action = {.sa_handler = fatal_signals_handle, .sa_flags = SA_RESTART | SA_ONSTACK};
        if (sigaction(fatal[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
            sigaction(fatal[i], &action, NULL);
    }
}
