/* A user that may have two processes, threads included: the program and one child. A recorder's threads and helpers in
 * the program count.
 * needs: test "$(id -u)" = 0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    struct rlimit limit = {2, 2};
    burn(0.02);
    /* A user that nobody else is. */
    if (setgid(65534) || setuid((uid_t)(100000 + getpid()))) {
        perror("setuid");
        return 2;
    }
    setrlimit(RLIMIT_NPROC, &limit);
    pid_t first = fork();
    if (first == 0) {
        pause();
        _exit(0);
    }
    burn(0.02);
    pid_t second = fork();
    if (second == 0)
        _exit(0);
    printf("first %s, second %s\n", first > 0 ? "ok" : "failed",
           second > 0        ? "ok"
           : errno == EAGAIN ? "EAGAIN"
                             : "failed");
    if (first > 0)
        kill(first, SIGTERM);
    while (wait(NULL) > 0)
        ;
    burn(0.02);
    return 0;
}
