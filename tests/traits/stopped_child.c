/* Job control: a burning child is stopped and continued, then stops itself by SIGTSTP, and is ended; the parent hears
 * of each step, and of no other. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static void expect(pid_t child)
{
    int status = 0;
    waitpid(child, &status, WUNTRACED | WCONTINUED);
    if (WIFSTOPPED(status))
        printf("stopped by %d\n", WSTOPSIG(status));
    else if (WIFCONTINUED(status))
        puts("continued");
    else if (WIFSIGNALED(status))
        printf("ended by %d\n", WTERMSIG(status));
    else
        printf("status %d\n", WEXITSTATUS(status));
}

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        burn(0.05);
        raise(SIGSTOP);
        for (;;)
            burn_rounds(10000);
    }
    expect(child);
    for (int i = 0; i < 5; i++) {
        kill(child, SIGCONT);
        expect(child);
        burn(0.01);
        kill(child, SIGSTOP);
        expect(child);
    }
    kill(child, SIGTERM);
    kill(child, SIGCONT);
    int status = 0;
    while (waitpid(child, &status, 0) > 0 && !WIFSIGNALED(status))
        ;
    printf("ended by %d\n", WTERMSIG(status));
    return 0;
}
