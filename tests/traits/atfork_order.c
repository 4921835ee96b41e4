/* pthread_atfork handlers run in their order around each fork, in parent and child, and may use locks that threads
 * hold; a recorder's own must not lock against them. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[64];
static int length;
static volatile int ended;

static void note(char c)
{
    if (length < 60)
        order[length++] = c;
}

static void before_lock(void)
{
    pthread_mutex_lock(&lock);
    note('p');
}

static void after_unlock(void)
{
    note('a');
    pthread_mutex_unlock(&lock);
}

static void child_unlock(void)
{
    note('c');
    pthread_mutex_unlock(&lock);
}

static void second_before(void)
{
    note('q');
}

static void *work(void *nothing)
{
    while (!ended) {
        pthread_mutex_lock(&lock);
        burn_rounds(20000);
        pthread_mutex_unlock(&lock);
        burn_rounds(1000);
    }
    return nothing;
}

int main(void)
{
    pthread_t thread;
    pthread_atfork(before_lock, after_unlock, child_unlock);
    pthread_atfork(second_before, NULL, NULL);
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 20; i++) {
        int status = 0;
        length = 0;
        if (fork() == 0) {
            pthread_mutex_lock(&lock);
            burn(0.002);
            _exit(length == 3 && order[0] == 'q' && order[1] == 'p' && order[2] == 'c' ? 0 : 1);
        }
        burn(0.002);
        wait(&status);
        if (status || length != 3 || order[2] != 'a')
            printf("child %d: status %d, %.*s\n", i, status, length, order);
    }
    ended = 1;
    pthread_join(thread, NULL);
    puts("20 forks");
    return 0;
}
