/* A user that may have 20 signals queued: timers take from the same account, so a recorder's would leave fewer, and new
 * threads get no timer at all.
 * needs: test "$(id -u)" = 0
 * todo: a tick on its way to a thread that waits for a processor is one of them */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    (void)nothing;
    burn(0.02);
    return NULL;
}

int main(void)
{
    struct rlimit limit = {20, 20};
    sigset_t set;
    pthread_t threads[4];
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    burn(0.02);
    if (setgid(65534) || setuid((uid_t)(100000 + getpid()))) {
        perror("setuid");
        return 2;
    }
    setrlimit(RLIMIT_SIGPENDING, &limit);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    int queued = 0, taken = 0;
    while (sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = queued}) == 0)
        queued++;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    burn(0.02);
    siginfo_t info;
    while (sigtimedwait(&set, &info, &(struct timespec){0}) > 0)
        taken++;
    printf("queued %d, taken %d\n", queued, taken);
    return 0;
}
