/* posix_spawn with a signal mask, default signals and a process group for the child, which prints what it finds: a
 * recorder's masks and handlers must not be inherited.
 * todo: mode exact: signal 64 is Valgrind's */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static int child(void)
{
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number <= 64; number++) {
        struct sigaction action = {0};
        if (sigismember(&mask, number) == 1)
            printf("%d is blocked\n", number);
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf("%d is %s\n", number, action.sa_handler == SIG_IGN ? "ignored" : "handled");
    }
    printf("own group: %d\n", getpgrp() == getpid());
    return 8;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child();
    posix_spawnattr_t attributes;
    sigset_t mask, defaults;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGURG);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    signal(SIGINT, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    char *words[] = {argv[0], "child", NULL};
    for (int i = 0; i < 3; i++) {
        pid_t process;
        int status = 0;
        burn(0.02);
        int failed = posix_spawn(&process, argv[0], NULL, &attributes, words, environ);
        waitpid(process, &status, 0);
        printf("failed %d, status %d\n", failed, WEXITSTATUS(status));
        fflush(stdout);
    }
    return 0;
}
