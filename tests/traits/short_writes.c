/* Writes of less than a page, to a terminal and to TCP, which take them in parts: without a signal each is whole. The
 * program handles a signal that never comes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

enum { BYTES = 4000, ROUNDS = 20000 };

static void handle(int number)
{
    (void)number;
    puts("a signal");
}

static void *take_all(void *fd)
{
    static _Thread_local char part[3000];
    while (read((int)(long)fd, part, sizeof part) > 0)
        ;
    return NULL;
}

static long put_all(int from, int to)
{
    static const char bytes[BYTES];
    pthread_t thread;
    long wrong = 0;
    pthread_create(&thread, NULL, take_all, (void *)(long)from);
    for (int i = 0; i < ROUNDS; i++)
        wrong += write(to, bytes, BYTES) != BYTES;
    close(to);
    pthread_join(thread, NULL);
    return wrong;
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int room = 8192, listening = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    int above = posix_openpt(O_RDWR | O_NOCTTY);
    struct termios raw;
    signal(SIGUSR1, handle);
    grantpt(above);
    unlockpt(above);
    int terminal = open(ptsname(above), O_RDWR | O_NOCTTY);
    tcgetattr(terminal, &raw);
    cfmakeraw(&raw);
    tcsetattr(terminal, TCSANOW, &raw);
    (void)bind(listening, (struct sockaddr *)&address, length);
    listen(listening, 1);
    getsockname(listening, (struct sockaddr *)&address, &length);
    setsockopt(client, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    (void)connect(client, (struct sockaddr *)&address, length);
    printf("terminal %ld, ", put_all(above, terminal));
    printf("socket %ld\n", put_all(accept(listening, NULL, NULL), client));
    return 0;
}
