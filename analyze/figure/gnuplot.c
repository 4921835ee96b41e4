#include "analyze/figure/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Files in memory as stdin, stderr and output of gnuplot: no pipe can block, no temporary file can be left behind. */
struct channels {
    int script, errors, drawing;
};

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t count = write(fd, data, size);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            data += count;
            size -= (size_t)count;
        }
    }
    return true;
}

static int open_memory(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10); /* outside those that gnuplot will use */
    if (fd >= 0)
        close(fd);
    return high;
}

static void channels_close(struct channels *channels)
{
    const int fds[] = {channels->script, channels->errors, channels->drawing};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static bool channels_open(struct channels *channels, const char *script, size_t size)
{
    *channels = (struct channels){open_memory("script"), open_memory("errors"), open_memory("drawing")};
    return channels->script >= 0 && channels->errors >= 0 && channels->drawing >= 0 &&
           write_all(channels->script, script, size) && lseek(channels->script, 0, SEEK_SET) == 0;
}

/* A complete file in memory, terminated by NUL. */
static char *read_back(int fd, size_t *size)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return NULL;
    *size = (size_t)status.st_size;
    char *data = malloc(*size + 1);
    if (data && pread(fd, data, *size, 0) != (ssize_t)*size) {
        free(data);
        return NULL;
    }
    if (data)
        data[*size] = '\0';
    return data;
}

/* 0 or errno. -d: a user's own ~/.gnuplot must not change figures. */
static int spawn(const struct channels *channels, pid_t *child)
{
    char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    posix_spawn_file_actions_adddup2(&actions, channels->script, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, channels->errors, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, channels->errors, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, channels->drawing, 3);
    failure = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* gnuplot prints the line, a caret and only then the error: "…line 3: undefined variable: x". Warnings come first.
 */
static const char *find_error(const char *errors)
{
    for (const char *line = errors; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (memmem(line, length, " line ", 6) && !memmem(line, length, "warning:", 8))
            return line + strspn(line, " \t");
    }
    return errors + strspn(errors, " \t\n");
}

static int error_set_for(const char *errors, int wait_status, struct error_text *message)
{
    if (WIFSIGNALED(wait_status))
        return error_set(message, STATUS_BAD, "gnuplot was killed by signal %d", WTERMSIG(wait_status));
    const char *line = find_error(errors);
    size_t length = strcspn(line, "\n");
    if (!length)
        return error_set(message, STATUS_BAD, "gnuplot failed with status %d", WEXITSTATUS(wait_status));
    return error_set(message, STATUS_BAD, "gnuplot: %.*s", (int)length, line);
}

static int wait_for(pid_t child, const struct channels *channels, struct error_text *message)
{
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0)
        if (errno != EINTR)
            return error_set(message, STATUS_BAD, "gnuplot: %s", strerror(errno));
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
        return STATUS_GOOD;
    size_t size;
    char *errors = read_back(channels->errors, &size);
    int status = error_set_for(errors ? errors : "", wait_status, message);
    free(errors);
    return status;
}

int gnuplot_run(const char *script, size_t script_size, char **drawing, size_t *size, struct error_text *message)
{
    struct channels channels;
    pid_t child = -1;
    int failure = channels_open(&channels, script, script_size) ? spawn(&channels, &child) : errno ? errno : EIO;
    int status;
    if (failure == ENOENT)
        status = error_set(message, STATUS_BAD, "gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
    else if (failure)
        status = error_set(message, STATUS_BAD, "cannot run gnuplot: %s", strerror(failure));
    else
        status = wait_for(child, &channels, message);
    if (!status && !(*drawing = read_back(channels.drawing, size)))
        status = error_set(message, STATUS_BAD, "out of memory");
    channels_close(&channels);
    return status;
}
