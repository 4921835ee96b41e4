/*
 * holder N COMMAND... - a debugger that occupies N debug registers of the command's first thread with write watchpoints
 * on places that are never accessed. It passes every signal on and ends as the command does; status 77 means that
 * tracing is not permitted here.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_register(pid_t child, unsigned number, uintptr_t value)
{
    uintptr_t offset = offsetof(struct user, u_debugreg) + number * sizeof(uintptr_t);
    if (ptrace(PTRACE_POKEUSER, child, (void *)offset, (void *)value) != 0) {
        perror("holder: debug register");
        kill(child, SIGKILL);
        exit(99);
    }
}

/* Eight bytes, writes, enabled locally: Intel SDM vol. 3B, 17.2.4. */
static void hold(pid_t child, unsigned count)
{
    uintptr_t control = 0;
    for (unsigned i = 0; i < count; i++) {
        put_register(child, i, 0x10000 + 8 * i);
        control |= (uintptr_t)1 << 2 * i | (uintptr_t)0x9 << (16 + 4 * i);
        put_register(child, 7, control);
    }
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 3)
        return 99;
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(77);
        raise(SIGSTOP);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    waitpid(child, &status, 0);
    if (WIFSTOPPED(status))
        ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)PTRACE_O_TRACEEXEC);
    while (WIFSTOPPED(status)) {
        bool executes = status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8);
        bool begins = WSTOPSIG(status) == SIGSTOP;
        if (executes) /* an exec clears the registers */
            hold(child, (unsigned)atoi(argv[1]));
        long deliver = executes || begins ? 0 : WSTOPSIG(status);
        ptrace(PTRACE_CONT, child, NULL, (void *)deliver);
        while (waitpid(child, &status, 0) < 0)
            if (errno != EINTR)
                return 99;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
