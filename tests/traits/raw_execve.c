/* Children burn and become another program by syscall(SYS_execve), past the C library's function: a tick that is
 * pending then, or a timer that outlives it, would kill the new program, which handles nothing. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

int main(void)
{
    int killed = 0, failed = 0;
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            char *words[] = {"/bin/true", NULL};
            burn(0.02);
            syscall(SYS_execve, words[0], words, environ);
            _exit(1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        killed += WIFSIGNALED(status);
        failed += WIFEXITED(status) && WEXITSTATUS(status);
    }
    printf("killed %d, failed %d of 20\n", killed, failed);
    return 0;
}
