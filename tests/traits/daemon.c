/* A daemon: forks twice, starts a session, closes all descriptors it knows nothing of, and reports through a pipe that
 * became its standard output. The parent reads to the pipe's end, which a recorder's copy of it would put off. */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static void serve(int out)
{
    setsid();
    if (fork())
        _exit(0);
    chdir("/");
    umask(027);
    dup2(out, 1);
    dup2(out, 2);
    for (int descriptor = 3; descriptor < 1024; descriptor++)
        close(descriptor);
    burn(0.1);
    FILE *file = fopen("/dev/null", "w");
    printf("daemon works, next descriptor %d\n", file ? fileno(file) : -1);
    fflush(stdout);
    _exit(0);
}

int main(void)
{
    int ends[2], status = -1;
    char text[256];
    pipe(ends);
    burn(0.02);
    pid_t child = fork();
    if (child == 0)
        serve(ends[1]);
    close(ends[1]);
    waitpid(child, &status, 0);
    printf("status %d\n", status);
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;)
        fwrite(text, 1, (size_t)got, stdout);
    puts("end of the pipe");
    return 0;
}
