/*
 * masks - programs that block signals through the C library, and what they observe. The status is 0 if that is as
 * without a sampler; if not, a line tells the difference.
 *   masks threads   two threads begin with every signal blocked, as a library's would, and burn; the first one sleeps
 *   masks told      what the mask reads as after each way of changing it, in a thread and across an exec
 *   masks own       its own SIGURG, sent while it is blocked, arrives when it is unblocked
 *   masks wait      burns with every signal blocked, and waits for one in each way: gets SIGUSR1 and no other
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

static volatile sig_atomic_t came;
static int bad;

static void check(int as_wanted, const char *what)
{
    if (!as_wanted)
        printf("%s\n", what);
    bad |= !as_wanted;
}

static sigset_t of(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    if (signal)
        sigaddset(&set, signal);
    return set;
}

/* One bit each for SIGURG, SIGTRAP and SIGUSR1: is it blocked? */
static int blocked(void)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, SIGURG) | sigismember(&now, SIGTRAP) << 1 | sigismember(&now, SIGUSR1) << 2;
}

static void *work(void *unused)
{
    (void)unused;
    check(blocked() == 7, "a thread does not inherit the mask");
    burn_for(400);
    return NULL;
}

static void threads(void)
{
    sigset_t all, before;
    pthread_t thread[2];
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    check(blocked() == 0, "the mask is not restored");
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

static void told(char *self)
{
    sigset_t profile = of(SIGURG), user = of(SIGUSR1), trap = of(SIGTRAP), before;
    check(blocked() == 0, "blocked from the beginning");
    sigprocmask(SIG_BLOCK, &profile, &before);
    check(!sigismember(&before, SIGURG) && blocked() == 1, "SIG_BLOCK");
    sigprocmask(SIG_BLOCK, &user, &before);
    check(sigismember(&before, SIGURG) && !sigismember(&before, SIGUSR1) && blocked() == 5, "SIG_BLOCK of another");
    sigprocmask(SIG_SETMASK, &trap, &before);
    check(sigismember(&before, SIGUSR1) && blocked() == 2, "SIG_SETMASK");
    sigprocmask(SIG_UNBLOCK, &trap, NULL);
    check(blocked() == 0, "SIG_UNBLOCK");
    errno = 0;
    check(sigprocmask(77, &user, NULL) == -1 && errno == EINVAL && blocked() == 0, "a wrong argument");
    check(pthread_sigmask(77, &user, NULL) == EINVAL, "a wrong argument to pthread_sigmask()");
    sigprocmask(SIG_SETMASK, &profile, NULL);
    check(execl("/nowhere/at/all", "x", NULL) == -1 && blocked() == 1, "an exec that fails");
    burn_for(150);
    fflush(stdout);
    if (!bad)
        execl(self, self, "inherited", NULL);
}

static void on_profile(int signal)
{
    (void)signal;
    came++;
}

static void own(void)
{
    sigset_t profile = of(SIGURG), waiting;
    sigprocmask(SIG_BLOCK, &profile, NULL);
    burn_for(100);
    raise(SIGURG); /* if it came, nobody would notice */
    sigpending(&waiting);
    check(sigismember(&waiting, SIGURG), "a blocked signal does not wait");
    signal(SIGURG, on_profile);
    burn_for(100);
    check(came == 0, "a blocked signal comes");
    sigprocmask(SIG_UNBLOCK, &profile, NULL);
    check(came == 1, "a signal that waited does not come");
    sigprocmask(SIG_BLOCK, &profile, NULL);
    raise(SIGURG);
    check(came == 1 && blocked() == 1, "a program that handles the signal can't block it");
    sigprocmask(SIG_UNBLOCK, &profile, NULL);
    check(came == 2, "it does not come afterwards");
}

static sem_t wanted; /* the next signal: two of one number that wait merge */

static void *send(void *process)
{
    struct timespec pause = {0, 20000000};
    for (int i = 0; i < 3; i++) {
        sem_wait(&wanted);
        nanosleep(&pause, NULL);
        kill(*(pid_t *)process, SIGUSR1);
    }
    return NULL;
}

static void waits(void)
{
    sigset_t all;
    pthread_t sender;
    siginfo_t info;
    int got = 0;
    pid_t process = getpid();
    struct timespec second = {30, 0}, moment = {0, 10000000};
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    burn_for(150);
    check(sigtimedwait(&all, &info, &moment) == -1 && errno == EAGAIN, "a signal that nobody sent");
    sem_init(&wanted, 0, 1);
    pthread_create(&sender, NULL, send, &process);
    check(sigwait(&all, &got) == 0 && got == SIGUSR1, "sigwait()");
    sem_post(&wanted);
    check(sigwaitinfo(&all, &info) == SIGUSR1 && info.si_pid == process, "sigwaitinfo()");
    sem_post(&wanted);
    check(sigtimedwait(&all, &info, &second) == SIGUSR1 && info.si_signo == SIGUSR1, "sigtimedwait()");
    pthread_join(sender, NULL);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "threads") == 0)
        threads();
    else if (strcmp(way, "told") == 0)
        told(argv[0]);
    else if (strcmp(way, "inherited") == 0)
        check(blocked() == 1, "the mask over an exec");
    else if (strcmp(way, "own") == 0)
        own();
    else if (strcmp(way, "wait") == 0)
        waits();
    else
        return 2;
    return bad;
}
