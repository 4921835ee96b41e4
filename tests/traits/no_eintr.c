/* The main thread waits in all the calls that a handled signal ends with EINTR, SA_RESTART or not, while another burns:
 * without signals of its own a program need not expect it. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <unistd.h>

#include "burn.h"

static int ends[2], queue, interrupted, calls;

static void *write_later(void *nothing)
{
    (void)nothing;
    struct {
        long type;
        char text[1];
    } message = {1, "x"};
    burn(0.15);
    usleep(100000);
    write(ends[1], "x", 1);
    burn(0.05);
    msgsnd(queue, &message, 1, 0);
    burn(0.2);
    return NULL;
}

static void check(const char *call, long result)
{
    calls++;
    if (result < 0 && errno == EINTR) {
        interrupted++;
        printf("%s: EINTR\n", call);
    }
    burn(0.005);
}

int main(void)
{
    char message[64];
    struct timespec wait = {0, 20000000}, until;
    struct sembuf down = {0, -1, 0};
    sem_t semaphore;
    pthread_t other;
    pipe(ends);
    queue = msgget(IPC_PRIVATE, 0600);
    int group = semget(IPC_PRIVATE, 1, 0600), poller = epoll_create1(0);
    sem_init(&semaphore, 0, 0);
    pthread_create(&other, NULL, write_later, NULL);
    check("poll", poll(NULL, 0, 20));
    check("ppoll", ppoll(NULL, 0, &wait, NULL));
    check("epoll_wait", epoll_wait(poller, &(struct epoll_event){0}, 1, 20));
    check("nanosleep", nanosleep(&wait, NULL));
    check("select", select(0, NULL, NULL, NULL, &(struct timeval){0, 20000}));
    check("semtimedop", semtimedop(group, &down, 1, &wait));
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (until.tv_nsec + 20000000) / 1000000000;
    until.tv_nsec = (until.tv_nsec + 20000000) % 1000000000;
    check("sem_timedwait", sem_timedwait(&semaphore, &until));
    check("read", read(ends[0], message, 1));
    check("msgrcv", msgrcv(queue, message, 1, 0, 0));
    pthread_join(other, NULL);
    msgctl(queue, IPC_RMID, NULL);
    semctl(group, 0, IPC_RMID);
    printf("interrupted %d of %d\n", interrupted, calls);
    return 0;
}
