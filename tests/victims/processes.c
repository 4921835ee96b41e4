/*
 * processes - burns CPU time (burn.h) in several kinds of processes, 150 ms of a thread at a time.
 *   processes fork    parent and child burn
 *   processes exec    burns, then becomes "processes burn" through execv
 *   processes thread  burns; then another thread burns, and becomes "processes burn"
 *   processes masked  the same as exec, with SIGURG blocked in both programs by the system call
 *   processes failed  burns, fails to exec, burns
 *   processes both    blocks SIGURG, then the same as failed, then unblocks it and burns
 *   processes vfork   a vfork child becomes "processes burn"; then the parent burns
 *   processes _exit   burns, then _exit(7)
 *   processes quick   burns, then quick_exit(7)
 *   processes wait    burns, prints "ready", and sleeps until it gets a signal
 *   processes prof    handles its own SIGURG while it burns; status 0 if that came once
 *   processes close   closes every descriptor, then burns until there is a file `enough`, a minute at most
 *   processes closed  burns, closes every descriptor, burns
 *   processes burn    burns
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"
#include "unseen.h"

static volatile sig_atomic_t handled;

static double wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void burn(void)
{
    enum { BURN_MS = 150 };
    burn_for(BURN_MS);
}

static void close_all(void)
{
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

static void mask(int how)
{
    unseen_mask(how, SIGURG);
}

static int finish(pid_t child)
{
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void on_prof(int number)
{
    (void)number;
    handled++;
}

static void *become(void *arguments)
{
    char **again = arguments;
    burn();
    execv(again[0], again);
    return NULL;
}

static int run(const char *way, char **self)
{
    char *again[] = {self[0], (char[]){"burn"}, NULL};
    pthread_t thread;
    pid_t child;
    if (strcmp(way, "masked") == 0 || strcmp(way, "both") == 0)
        mask(SIG_BLOCK);
    burn();
    if (strcmp(way, "fork") == 0) {
        child = fork();
        burn();
        return child == 0 ? 0 : finish(child);
    }
    if (strcmp(way, "exec") == 0 || strcmp(way, "masked") == 0)
        return execv(self[0], again);
    if (strcmp(way, "thread") == 0)
        return pthread_create(&thread, NULL, become, again) || pthread_join(thread, NULL) || 1;
    if (strcmp(way, "failed") == 0 || strcmp(way, "both") == 0) {
        if (execv("/nowhere/at/all", again) == 0)
            return 1;
        burn();
    }
    if (strcmp(way, "both") == 0) {
        mask(SIG_UNBLOCK);
        burn();
    }
    if (strcmp(way, "closed") == 0) {
        close_all();
        burn();
    }
    if (strcmp(way, "vfork") == 0) {
        child = vfork();
        if (child == 0) {
            execv(self[0], again);
            _exit(9);
        }
        burn();
        return finish(child);
    }
    if (strcmp(way, "_exit") == 0)
        _exit(7);
    if (strcmp(way, "quick") == 0)
        quick_exit(7);
    return 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "burn";
    if (strcmp(way, "wait") == 0) {
        burn();
        puts("ready");
        fflush(stdout);
        sleep(60);
        return 0;
    }
    if (strcmp(way, "prof") == 0) {
        struct sigaction action = {.sa_handler = on_prof}, before;
        sigaction(SIGURG, &action, NULL);
        sigaction(SIGURG, NULL, &before);
        burn();
        raise(SIGURG);
        burn();
        return handled == 1 && before.sa_handler == on_prof ? 0 : 1;
    }
    if (strcmp(way, "close") == 0) {
        double until = wall_ms() + 60000;
        for (close_all(); wall_ms() < until && access("enough", F_OK) != 0;)
            burn();
    }
    return run(way, argv);
}
