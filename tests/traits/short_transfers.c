/* Transfers that wait until all is done: writes to pipes and sockets that are full most of the time, reads of memory
 * devices, random bytes, files sent to a socket. A signal cuts them short; without one, none is. The program handles a
 * signal that never comes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "burn.h"

enum { LARGE = 1 << 20, ROUNDS = 60 };

static char bytes[16 * LARGE];
static long sum;

static void handle(int number)
{
    (void)number;
    puts("a signal");
}

static void *take_all(void *fd)
{
    static _Thread_local char part[65536];
    ssize_t got;
    while ((got = read((int)(long)fd, part, sizeof part)) > 0) {
        for (ssize_t i = 0; i < got; i++)
            __atomic_fetch_add(&sum, part[i], __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *give(void *fd)
{
    for (int i = 0; i < ROUNDS; i++)
        for (int part = 0; part < 16; part++) {
            burn_rounds(2000);
            write((int)(long)fd, bytes, LARGE / 16);
        }
    return NULL;
}

int main(void)
{
    int ends[2], pair[2], other[2];
    long counts[9] = {0};
    pthread_t threads[3];
    signal(SIGUSR1, handle);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i % 61);
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    socketpair(AF_UNIX, SOCK_STREAM, 0, other);
    pthread_create(&threads[0], NULL, take_all, (void *)(long)ends[0]);
    pthread_create(&threads[1], NULL, take_all, (void *)(long)pair[0]);
    pthread_create(&threads[2], NULL, give, (void *)(long)other[0]);
    int file = memfd_create("file", 0), zero = open("/dev/zero", O_RDONLY), urandom = open("/dev/urandom", O_RDONLY);
    write(file, bytes, LARGE);
    const struct iovec pieces[] = {{bytes, 300000}, {bytes, 1}, {bytes, 0}, {bytes, LARGE - 300001}};
    struct msghdr message = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = 4};
    for (int i = 0; i < ROUNDS; i++) {
        off_t start = 0;
        counts[0] += write(ends[1], bytes, LARGE) != LARGE;
        counts[1] += writev(ends[1], pieces, 4) != LARGE;
        counts[2] += send(pair[1], bytes, LARGE, 0) != LARGE;
        counts[3] += sendmsg(pair[1], &message, 0) != LARGE;
        counts[4] += sendfile(pair[1], file, &start, LARGE) != LARGE;
        counts[5] += recv(other[1], bytes + LARGE, LARGE, MSG_WAITALL) != LARGE;
        counts[6] += read(zero, bytes + LARGE, 8 * LARGE) != 8 * LARGE;
    }
    for (int i = 0; i < 5; i++) {
        counts[7] += getrandom(bytes + LARGE, 4 * LARGE, 0) != 4 * LARGE;
        counts[8] += read(urandom, bytes + LARGE, 4 * LARGE) != 4 * LARGE;
    }
    close(ends[1]);
    shutdown(pair[1], SHUT_WR);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 9; i++)
        printf("%ld ", counts[i]);
    printf("sum %ld\n", sum);
    return 0;
}
