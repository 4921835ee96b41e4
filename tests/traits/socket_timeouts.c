/* A thread waits in the calls that no SA_RESTART makes again after a signal, since they have a time limit of their own
 * (SO_RCVTIMEO, SO_SNDTIMEO, message queues, sigtimedwait, aio_suspend, io_getevents), while another burns: each must
 * end because its time is over. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static volatile int over;

static void *burner(void *nothing)
{
    while (!over)
        burn_rounds(1000);
    return nothing;
}

static void tell(const char *call, long result)
{
    printf("%s: %s\n", call, result < 0 ? strerrorname_np(errno) : "succeeded");
    burn(0.003);
}

int main(void)
{
    char text[64];
    int pair[2], listening = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval limit = {0, 30000};
    struct timespec until, wait = {0, 30000000};
    struct sockaddr_in any = {.sin_family = AF_INET};
    pthread_t thread;
    pthread_create(&thread, NULL, burner, NULL);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(listening, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)bind(listening, (void *)&any, sizeof any);
    listen(listening, 1);
    for (int round = 0; round < 3; round++) {
        burn(0.003);
        tell("recv", recv(pair[0], text, sizeof text, 0));
        tell("read", read(pair[0], text, sizeof text));
        tell("accept", accept(listening, NULL, NULL));
    }
    while (send(pair[0], text, sizeof text, 0) > 0)
        ;
    tell("send", -1);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    tell("sigtimedwait", sigtimedwait(&set, NULL, &wait));
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    snprintf(text, sizeof text, "/trait-%d", getpid());
    mqd_t queue = mq_open(text, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    mq_unlink(text);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 30000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    tell("mq_timedreceive", mq_timedreceive(queue, text, sizeof text, NULL, &until));
    struct aiocb block = {.aio_fildes = pair[1], .aio_buf = text, .aio_nbytes = 1};
    int ends[2];
    pipe(ends);
    block.aio_fildes = ends[0];
    aio_read(&block);
    tell("aio_suspend", aio_suspend((const struct aiocb *const[]){&block}, 1, &wait));
    write(ends[1], "x", 1);
    aio_context_t context = 0;
    struct io_event event;
    syscall(SYS_io_setup, 4, &context);
    tell("io_getevents", syscall(SYS_io_getevents, context, 1, 1, &event, &wait));
    over = 1;
    pthread_join(thread, NULL);
    return 0;
}
