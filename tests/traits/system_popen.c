/* system and popen from a burning program: statuses, output and the interrupt signal's disposition as they should be,
 * and a shell that is ended by a signal differs from one that fails. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "burn.h"

static void interrupted(int number)
{
    (void)number;
    puts("interrupted");
}

int main(void)
{
    char line[128];
    signal(SIGINT, interrupted);
    for (int i = 0; i < 5; i++) {
        burn(0.01);
        int status = system("exit 3");
        printf("system: %d, ", WEXITSTATUS(status));
        status = system("kill -9 $$");
        printf("killed by %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        FILE *pipe = popen("i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; echo counted $i; exit 5", "r");
        while (fgets(line, sizeof line, pipe))
            fputs(line, stdout);
        printf("pclose: %d\n", WEXITSTATUS(pclose(pipe)));
        fflush(stdout);
        pipe = popen("cat", "w");
        fprintf(pipe, "written\n");
        pclose(pipe);
    }
    /* system ignores SIGINT meanwhile. */
    printf("ignored: %d\n", WEXITSTATUS(system("kill -INT $PPID; exit 6")));
    raise(SIGINT);
    return 0;
}
