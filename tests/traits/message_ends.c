/* Receives with MSG_WAITALL that return less than they could hold: a datagram ends, a look at what there is leaves it
 * where it is, a stream ends. None may be gone on with. The program handles no signal. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROUNDS = 300000 };

static char bytes[1500];

static long receive(int fd, int flags, ssize_t expected)
{
    return recv(fd, bytes, sizeof bytes, MSG_WAITALL | flags) != expected;
}

int main(void)
{
    struct timeval patience = {5, 0};
    int datagrams[2], packets[2], stream[2];
    long wrong[4] = {0};
    socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams);
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets);
    socketpair(AF_UNIX, SOCK_STREAM, 0, stream);
    setsockopt(datagrams[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(packets[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    write(stream[1], "hello", 5);
    shutdown(stream[1], SHUT_WR);
    for (int i = 0; i < ROUNDS && wrong[0] + wrong[1] < 3; i++) {
        write(datagrams[1], "first", 5);
        wrong[0] += receive(datagrams[0], 0, 5);
        write(packets[1], "first", 5);
        write(packets[1], "second", 6);
        wrong[1] += receive(packets[0], 0, 5) + receive(packets[0], 0, 6);
        wrong[2] += receive(stream[0], MSG_PEEK, 5);
    }
    wrong[3] = receive(stream[0], 0, 5);
    printf("datagrams %ld, packets %ld, looks %ld, end %ld\n", wrong[0], wrong[1], wrong[2], wrong[3]);
    return 0;
}
