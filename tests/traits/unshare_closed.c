/* Starts itself in a new user and PID namespace with all descriptors closed, where it may have one thread only, as
 * Chromium starts the process that its sandbox forks from: nothing of the recorder can be reached there.
 * needs: unshare --user --pid --fork true */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static int inside(void)
{
    struct stat tasks;
    burn(0.05);
    if (stat("/proc/self/task", &tasks) != 0)
        return 2;
    printf("process %d, %d thread\n", (int)getpid(), (int)tasks.st_nlink - 2);
    burn(0.05);
    return 7;
}

int main(int count, char **arguments)
{
    int status;
    if (count > 1)
        return inside();
    burn(0.05);
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        execl("/proc/self/exe", arguments[0], "inside", (char *)NULL);
        _exit(3);
    }
    waitpid(child, &status, 0);
    printf("status %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
    return 0;
}
