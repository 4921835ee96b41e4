/* A new namespace of process numbers: the first child is its number 1, though /proc is still that of the old namespace,
 * with other numbers for its threads.
 * needs: test "$(id -u)" = 0 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    burn(0.2);
    return nothing;
}

int main(void)
{
    int status = -1;
    burn(0.02);
    if (unshare(CLONE_NEWPID)) {
        perror("unshare");
        return 2;
    }
    burn(0.02);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        printf("number %d, parent %d\n", (int)getpid(), (int)getppid());
        burn(0.2);
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
        burn(0.2);
        return 6;
    }
    waitpid(child, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
    return 0;
}
