/* A debugger's beginning: the child asks to be traced, burns and executes a program, at which it stops; the parent
 * prints every stop. Each tick that the child gets is a stop of its own.
 * todo: mode exact: a traced program under Valgrind stops for signals of Valgrind's */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    int status = 0;
    burn(0.02);
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        printf("stopped by %d\n", WSTOPSIG(status));
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)(WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status)));
    }
    printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
    return 0;
}
