#include "plots/render/gnuplot.h"

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

static bool gnuplot_write_all(int fd, const char *data, size_t size)
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

static int gnuplot_open_memory(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10); /* outside those that gnuplot will use */
    if (fd >= 0)
        close(fd);
    return high;
}

static void gnuplot_close_channels(struct channels *channels)
{
    const int fds[] = {channels->script, channels->errors, channels->drawing};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static bool gnuplot_open_channels(struct channels *channels, const char *script, size_t size)
{
    *channels =
        (struct channels){gnuplot_open_memory("script"), gnuplot_open_memory("errors"), gnuplot_open_memory("drawing")};
    return channels->script >= 0 && channels->errors >= 0 && channels->drawing >= 0 &&
           gnuplot_write_all(channels->script, script, size) && lseek(channels->script, 0, SEEK_SET) == 0;
}

/* A complete file in memory, terminated by NUL. */
static char *gnuplot_read_channel(int fd, size_t *size)
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
static int gnuplot_spawn(const struct channels *channels, pid_t *child)
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
static const char *gnuplot_find_error(const char *errors)
{
    for (const char *line = errors; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (memmem(line, length, " line ", 6) && !memmem(line, length, "warning:", 8))
            return line + strspn(line, " \t");
    }
    return errors + strspn(errors, " \t\n");
}

static int gnuplot_wait(pid_t child, const struct channels *channels, struct error_text *message)
{
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0)
        if (errno != EINTR)
            return error_set(message, STATUS_BAD, "gnuplot: %s", strerror(errno));
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
        return STATUS_GOOD;
    size_t size;
    char *errors = gnuplot_read_channel(channels->errors, &size);
    const char *line = gnuplot_find_error(errors ? errors : "");
    size_t length = strcspn(line, "\n");
    if (WIFSIGNALED(wait_status))
        error_set(message, STATUS_BAD, "gnuplot was killed by signal %d", WTERMSIG(wait_status));
    else if (length)
        error_set(message, STATUS_BAD, "gnuplot: %.*s", (int)length, line);
    else
        error_set(message, STATUS_BAD, "gnuplot failed with status %d", WEXITSTATUS(wait_status));
    free(errors);
    return STATUS_BAD;
}

int gnuplot_run(const char *script, size_t script_size, char **drawing, size_t *size, struct error_text *message)
{
    struct channels channels;
    pid_t child = -1;
    int failure = gnuplot_open_channels(&channels, script, script_size) ? gnuplot_spawn(&channels, &child)
                  : errno                                               ? errno
                                                                        : EIO;
    int status;
    if (failure == ENOENT)
        status = error_set(message, STATUS_BAD, "gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
    else if (failure)
        status = error_set(message, STATUS_BAD, "cannot run gnuplot: %s", strerror(failure));
    else
        status = gnuplot_wait(child, &channels, message);
    if (!status && !(*drawing = gnuplot_read_channel(channels.drawing, size)))
        status = error_set(message, STATUS_BAD, "out of memory");
    gnuplot_close_channels(&channels);
    return status;
}
