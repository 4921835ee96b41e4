#include "analyze/cli/spool.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/transfer.h"

/* The path of a copy; they are kept, since others keep the paths. */
struct spooled_copy {
    struct spooled_copy *before;
    char path[64];
};
static struct spooled_copy *copies;

static bool spool_copy_bytes(int from, int to)
{
    static char buffer[1 << 16];
    ssize_t got;
    while ((got = transfer_read_some(from, buffer, sizeof buffer)) > 0)
        if (!transfer_write(to, buffer, (size_t)got))
            return false;
    return got == 0;
}

/* The pipe that the path names, /dev/fd/N or /proc/self/fd/N; -1: it names something else. */
static int spool_pipe_fd(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        char *end;
        struct stat file;
        if (strncmp(path, folders[i], length) != 0 || !path[length])
            continue;
        long fd = strtol(path + length, &end, 10);
        if (!*end && fd >= 0 && fd <= INT_MAX && fstat((int)fd, &file) == 0 && S_ISFIFO(file.st_mode))
            return (int)fd;
    }
    return -1;
}

const char *spool_path(const char *path)
{
    int from = strcmp(path, "-") == 0 ? STDIN_FILENO : spool_pipe_fd(path);
    if (from < 0)
        return path;
    struct spooled_copy *kept = calloc(1, sizeof *kept);
    int to = kept ? temporary_file() : -1;
    if (to < 0 || !spool_copy_bytes(from, to)) {
        free(kept);
        return NULL;
    }
    *kept = (struct spooled_copy){.before = copies};
    copies = kept;
    snprintf(kept->path, sizeof kept->path, "/proc/self/fd/%d", to);
    return kept->path;
}
