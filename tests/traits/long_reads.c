/* Reads that wait until everything is there: of endless devices, into one place or several, of a message with
 * MSG_WAITALL, copies between files in memory, and several datagrams at once. A signal cuts them short; without one,
 * none is. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "burn.h"

enum { LARGE = 1 << 20, ROUNDS = 4, DATAGRAMS = 800, AT_ONCE = 8 };

static char bytes[32 * LARGE];
static int stream[2], datagrams[2];

static void *send_stream(void *unused)
{
    static char part[LARGE];
    for (int i = 0; i < 8 * ROUNDS; i++) {
        burn_rounds(10000);
        send(stream[0], part, sizeof part, 0);
    }
    return unused;
}

static void *send_datagrams(void *unused)
{
    for (int i = 0; i < DATAGRAMS * AT_ONCE; i++) {
        burn_rounds(1000);
        send(datagrams[0], "abc", 3, 0);
    }
    return unused;
}

static int receive_datagrams(void)
{
    char texts[AT_ONCE][4];
    struct iovec places[AT_ONCE];
    struct mmsghdr messages[AT_ONCE] = {0};
    for (int i = 0; i < AT_ONCE; i++) {
        places[i] = (struct iovec){texts[i], sizeof texts[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &places[i], .msg_iovlen = 1};
    }
    int got = recvmmsg(datagrams[1], messages, AT_ONCE, 0, NULL);
    for (int all = got; all > 0 && all < AT_ONCE;)
        all += recvmmsg(datagrams[1], messages + all, AT_ONCE - all, 0, NULL);
    return got;
}

int main(void)
{
    pthread_t sender;
    int zero = open("/dev/zero", O_RDONLY), random = open("/dev/urandom", O_RDONLY), whole = 0;
    int from = memfd_create("from", 0), to = memfd_create("to", 0);
    struct iovec pieces[2] = {{bytes, 5 * LARGE}, {bytes + 16 * LARGE, 3 * LARGE}};
    socketpair(AF_UNIX, SOCK_STREAM, 0, stream);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams);
    pwrite(from, bytes, sizeof bytes, 0);
    for (int i = 0; i < ROUNDS; i++) {
        off64_t source = 0, target = 0;
        printf("%zd %zd %zd %zd\n", pread(zero, bytes, sizeof bytes, 0), readv(zero, pieces, 2),
               readv(random, pieces, 2), preadv(random, pieces, 2, 0));
        printf("%zd\n", copy_file_range(from, &source, to, &target, sizeof bytes, 0));
    }
    pthread_create(&sender, NULL, send_stream, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
        printf("%zd\n", recvmsg(stream[1], &message, MSG_WAITALL));
    }
    pthread_join(sender, NULL);
    pthread_create(&sender, NULL, send_datagrams, NULL);
    for (int i = 0; i < DATAGRAMS; i++)
        whole += receive_datagrams() == AT_ONCE;
    printf("%d\n", whole);
    return 0;
}
