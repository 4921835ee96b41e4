/* A program that is linked statically, into which nothing can be preloaded, that handles no signal and runs itself once
 * more: whatever a recorder set up for the process around it must not reach it.
 * flags: -static
 * needs: ls "$(gcc -print-file-name=libc.a)" */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    burn(0.03);
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int status = 0;
    pthread_create(&thread, NULL, work, NULL);
    burn(0.03);
    pthread_join(thread, NULL);
    if (argc > 1)
        return 4;
    if (fork() == 0) {
        burn(0.03);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        _exit(1);
    }
    wait(&status);
    printf("status %d\n", WEXITSTATUS(status));
    return 0;
}
