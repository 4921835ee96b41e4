/*
 * usage FILE COMMAND [ARGUMENT...] - writes the CPU time in ms of the command, with all its processes and threads, to
 * FILE, and ends as the command does.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double ms(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

int main(int argc, char **argv)
{
    int status = 1;
    struct rusage used;
    pid_t child = argc > 2 ? fork() : -1;
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &used) != 0)
        return 1;
    FILE *file = fopen(argv[1], "w");
    if (!file || fprintf(file, "%.3f\n", ms(used.ru_utime) + ms(used.ru_stime)) < 0 || fclose(file) != 0)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
