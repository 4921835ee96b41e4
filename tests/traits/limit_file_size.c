/* Files limited to 4 KiB: SIGXFSZ must come for the program's own writes, and never for the trace; a child that does
 * not handle it must live. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile int exceeded;

static void excess(int number)
{
    (void)number;
    exceeded++;
}

int main(void)
{
    struct rlimit limit = {4096, 4096};
    static char text[8192];
    signal(SIGXFSZ, excess);
    setrlimit(RLIMIT_FSIZE, &limit);
    burn(0.1);
    int file = open("written", O_RDWR | O_CREAT | O_TRUNC, 0600);
    printf("first write %zd, ", write(file, text, sizeof text));
    ssize_t second = write(file, text, sizeof text);
    printf("second %zd, EFBIG: %d\n", second, errno == EFBIG);
    printf("exceeded %d\n", exceeded);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        burn(0.1);
        return 3;
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child: %s %d\n", WIFSIGNALED(status) ? "killed by" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}
