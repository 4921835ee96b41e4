#include "plots/render/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/transfer.h"

extern char **environ;

/* Files in memory as stdin, stderr and output of gnuplot: no pipe can block, no temporary file can be left behind. */
struct channels {
    int script, errors, drawing;
};

static int gnuplot_open_memory(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10); /* outside those that gnuplot will use */
    if (fd >= 0)
        close(fd);
    return high;
}

/* A complete file in memory, terminated by NUL. */
static char *gnuplot_read_channel(int fd, size_t *size)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return NULL;
    *size = (size_t)status.st_size;
    char *data = malloc(*size + 1);
    if (data && transfer_read_at(fd, data, *size, 0) != (ssize_t)*size) {
        free(data);
        return NULL;
    }
    if (data)
        data[*size] = '\0';
    return data;
}

static int gnuplot_wait(pid_t child, const struct channels *channels, struct error_text *message)
{
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0)
        if (errno != EINTR)
            return error_set(message, STATUS_BAD, "gnuplot: %s", strerror(errno));
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
        return STATUS_GOOD;

    /* gnuplot prints the line, a caret and only then the error: "…line 3: undefined variable: x". Warnings come first.
     */
    size_t size;
    char *errors = gnuplot_read_channel(channels->errors, &size);
    const char *all = errors ? errors : "", *error = all + strspn(all, " \t\n");
    for (const char *line = all; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (memmem(line, length, " line ", 6) && !memmem(line, length, "warning:", 8)) {
            error = line + strspn(line, " \t");
            break;
        }
    }
    size_t length = strcspn(error, "\n");
    if (WIFSIGNALED(wait_status))
        error_set(message, STATUS_BAD, "gnuplot was killed by signal %d", WTERMSIG(wait_status));
    else if (length)
        error_set(message, STATUS_BAD, "gnuplot: %.*s", (int)length, error);
    else
        error_set(message, STATUS_BAD, "gnuplot failed with status %d", WEXITSTATUS(wait_status));
    free(errors);
    return STATUS_BAD;
}

/* Writes the script and spawns gnuplot. 0 or errno. -d: a user's own ~/.gnuplot must not change figures. */
static int gnuplot_spawn(const struct channels *channels, const char *script, size_t size, pid_t *child)
{
    char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    posix_spawn_file_actions_t actions;
    if (channels->script < 0 || channels->errors < 0 || channels->drawing < 0)
        return errno ? errno : EIO;
    if (!transfer_write(channels->script, script, size))
        return errno;
    if (lseek(channels->script, 0, SEEK_SET) != 0)
        return errno ? errno : EIO;

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

int gnuplot_run(const char *script, size_t script_size, char **drawing, size_t *size, struct error_text *message)
{
    const struct channels channels = {gnuplot_open_memory("script"), gnuplot_open_memory("errors"),
                                      gnuplot_open_memory("drawing")};
    pid_t child = -1;
    int status, failure = gnuplot_spawn(&channels, script, script_size, &child);
    if (failure == ENOENT)
        status = error_set(message, STATUS_BAD, "gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
    else if (failure)
        status = error_set(message, STATUS_BAD, "cannot run gnuplot: %s", strerror(failure));
    else
        status = gnuplot_wait(child, &channels, message);
    if (!status && !(*drawing = gnuplot_read_channel(channels.drawing, size)))
        status = error_set(message, STATUS_BAD, "out of memory");
    const int fds[] = {channels.script, channels.errors, channels.drawing};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return status;
}

int gnuplot_open_files(struct gnuplot_files *files, struct error_text *message)
{
    const char *temporary = getenv("TMPDIR");
    int length = snprintf(files->directory, sizeof files->directory, "%s/assay-figure-XXXXXX",
                          temporary && *temporary ? temporary : "/tmp");
    if ((size_t)length >= sizeof files->directory || strpbrk(files->directory, "'\n"))
        snprintf(files->directory, sizeof files->directory, "/tmp/assay-figure-XXXXXX");
    if (mkdtemp(files->directory))
        return STATUS_GOOD;
    return error_set(message, STATUS_BAD, "%s: %s", files->directory, strerror(errno));
}

static char *gnuplot_read_file(const struct gnuplot_files *files, const char *name, size_t *size)
{
    char path[sizeof files->directory + 16];
    snprintf(path, sizeof path, "%s/%s", files->directory, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = fd < 0 ? NULL : gnuplot_read_channel(fd, size);
    if (fd >= 0)
        close(fd);
    return bytes;
}

int gnuplot_run_files(const char *script, size_t script_size, const struct gnuplot_files *files, char **text,
                      char **graphics, size_t *graphics_size, struct error_text *message)
{
    char *nothing = NULL;
    size_t size;
    int status = gnuplot_run(script, script_size, &nothing, &size, message);
    free(nothing);
    if (status)
        return status;
    *text = gnuplot_read_file(files, "figure.tex", &size);
    *graphics = gnuplot_read_file(files, "figure.pdf", graphics_size);
    if (*text && *graphics)
        return STATUS_GOOD;
    free(*text);
    free(*graphics);
    *text = *graphics = NULL;
    return error_set(message, STATUS_BAD, "gnuplot drew nothing; does it have the cairolatex terminal?");
}

void gnuplot_close_files(const struct gnuplot_files *files)
{
    static const char *const names[] = {"figure.tex", "figure.pdf"};
    char path[sizeof files->directory + 16];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", files->directory, names[i]);
        unlink(path);
    }
    rmdir(files->directory);
}
