/* C11 threads, of which each forks and waits for its child: statuses and results must be right. */
#include <stdio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "burn.h"

static int work(void *number)
{
    int status = -1, own = (int)(long)number;
    burn(0.02);
    pid_t child = fork();
    if (child == 0) {
        burn(0.01);
        _exit(own);
    }
    burn(0.01);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    thrd_t threads[8];
    for (long i = 0; i < 8; i++)
        if (thrd_create(&threads[i], work, (void *)(i + 10)) != thrd_success)
            puts("no thread");
    for (int i = 0; i < 8; i++) {
        int result = 0;
        thrd_join(threads[i], &result);
        printf("%d ", result);
    }
    puts("");
    return 0;
}
