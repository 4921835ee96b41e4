#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A temporary file beside the target, with its permissions. 0 or an errno value. */
static int replace_open_fresh(struct replacement *replacement)
{
    struct stat status;
    char *fresh = NULL;
    if (asprintf(&fresh, "%s.XXXXXX", replacement->target) < 0)
        return ENOMEM;
    int fd = mkostemp(fresh, O_CLOEXEC);
    int error = fd < 0 ? errno : 0;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = stat(replacement->target, &status) == 0 ? status.st_mode & 07777 : 0666 & ~mask;
    if (!error && (fchmod(fd, mode) < 0 || !(replacement->out = fdopen(fd, "w")))) {
        error = errno;
        close(fd);
        unlink(fresh);
    }
    if (error)
        free(fresh);
    else
        replacement->fresh = fresh;
    return error;
}

int replace_open(struct replacement *replacement, const char *path)
{
    struct stat status;
    char *link = realpath(path, NULL);
    *replacement = (struct replacement){.target = link ? link : strdup(path)};
    if (!replacement->target)
        return ENOMEM;
    bool is_there = stat(replacement->target, &status) == 0;
    bool is_special = is_there ? !S_ISREG(status.st_mode) : lstat(replacement->target, &status) == 0;
    int error = is_special ? 0 : replace_open_fresh(replacement);
    if (is_special || (is_there && (error == EACCES || error == EROFS || error == EPERM))) {
        replacement->out = fopen(replacement->target, "we");
        error = replacement->out ? 0 : errno;
    }
    if (error)
        free(replacement->target);
    return error;
}

int replace_close(struct replacement *replacement, int error)
{
    errno = 0;
    bool failed = fflush(replacement->out) != 0 || ferror(replacement->out);
    if (failed && !error)
        error = errno ? errno : EIO;
    if (fclose(replacement->out) != 0 && !error)
        error = errno;
    if (replacement->fresh)
        error = replace_end(replacement->fresh, replacement->target, error);
    free(replacement->fresh);
    free(replacement->target);
    return error;
}

char *replace_name(const char *path)
{
    char *result;
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    return asprintf(&result, "%.*s.%s.tmp", directory, path, path + directory) < 0 ? NULL : result;
}

int replace_end(const char *fresh, const char *path, int error)
{
    if (!error && rename(fresh, path) != 0)
        error = errno;
    if (error)
        unlink(fresh);
    return error;
}
