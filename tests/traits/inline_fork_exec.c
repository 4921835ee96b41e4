/* Forks and executes by system calls of its own, that no library sees, in a program that handles SIGURG so that ticks
 * are real-time signals: one that is pending at the execve would kill the new program.
 * needs: test "$(uname -m)" = x86_64 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static inline __attribute__((always_inline)) long call(long number, const void *a, const void *b, const void *c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static void urgent(int number)
{
    (void)number;
}

int main(void)
{
    char *words[] = {"/bin/true", NULL};
    int killed = 0, failed = 0;
    signal(SIGURG, urgent);
    burn(0.02);
    for (int i = 0; i < 20; i++) {
        pid_t child = (pid_t)call(SYS_fork, NULL, NULL, NULL);
        if (child == 0) {
            burn_rounds(10000000);
            call(SYS_execve, words[0], words, environ);
            call(SYS_exit_group, (void *)1, NULL, NULL);
        }
        int status = 0;
        waitpid(child, &status, 0);
        killed += WIFSIGNALED(status);
        failed += WIFEXITED(status) && WEXITSTATUS(status);
    }
    printf("killed %d, failed %d of 20\n", killed, failed);
    return 0;
}
