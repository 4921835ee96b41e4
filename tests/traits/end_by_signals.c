/* Children end by the default of each of many signals while they burn, those of profilers among them; the parent tells
 * by which, and which they live through.
 * todo: mode exact: signal 64 is Valgrind's */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP,  SIGBUS,       SIGFPE,       SIGKILL, SIGUSR1,
                     SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU,  SIGXFSZ,      SIGVTALRM,    SIGPROF, SIGIO,
                     SIGSYS,  SIGURG,  SIGCHLD, SIGCONT, SIGRTMIN, SIGRTMIN + 4, SIGRTMAX - 1, SIGRTMAX};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pid_t child = fork();
        if (child == 0) {
            burn(0.005);
            if (i % 2)
                raise(numbers[i]);
            else
                kill(getpid(), numbers[i]);
            burn(0.005);
            _exit(1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            printf("%d: %d\n", numbers[i], WTERMSIG(status));
        else
            printf("%d: status %d\n", numbers[i], WEXITSTATUS(status));
    }
    return 0;
}
