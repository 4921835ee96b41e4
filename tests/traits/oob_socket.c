/* Out-of-band bytes over a TCP connection to itself, each announced by SIGURG, the recorder's usual tick: counts the
 * signals and adds up the bytes. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "burn.h"

static volatile int urgent;

static void count(int number)
{
    (void)number;
    urgent++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    sigaction(SIGURG, &action, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), sender = socket(AF_INET, SOCK_STREAM, 0);
    (void)bind(listener, (struct sockaddr *)&address, sizeof address);
    listen(listener, 1);
    getsockname(listener, (struct sockaddr *)&address, &length);
    if (connect(sender, (struct sockaddr *)&address, sizeof address)) {
        perror("connect");
        return 2;
    }
    int receiver = accept(listener, NULL, NULL), sum = 0;
    fcntl(receiver, F_SETOWN, getpid());
    for (int i = 1; i <= 30; i++) {
        char sent = (char)i, got = 0;
        burn(0.003);
        send(sender, &sent, 1, MSG_OOB);
        for (int waits = 0; urgent < i && waits < 300; waits++)
            usleep(1000);
        if (recv(receiver, &got, 1, MSG_OOB) == 1)
            sum += got;
    }
    printf("signals %d, sum %d\n", urgent, sum);
    return 0;
}
