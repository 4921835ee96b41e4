#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A temporary file beside the target, with its permissions; `old` is the status of the target, NULL if it is not there.
 * Sets replacement->fresh and ->out. 0 or an errno value; EPERM, too, if the file would not belong to whom the old one
 * belongs to. */
static int replace_open_fresh(struct replacement *replacement, const struct stat *old)
{
    struct stat status;
    char *fresh = NULL;
    if (asprintf(&fresh, "%s.XXXXXX", replacement->target) < 0)
        return ENOMEM;
    int fd = mkostemp(fresh, O_CLOEXEC);
    if (fd < 0) {
        free(fresh);
        return errno;
    }
    mode_t mask = umask(0);
    umask(mask);
    int error = fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask) < 0 || fstat(fd, &status) < 0 ? errno : 0;
    if (!error && old && (status.st_uid != old->st_uid || status.st_gid != old->st_gid))
        error = EPERM;
    if (!error && !(replacement->out = fdopen(fd, "w")))
        error = errno;
    if (error) {
        close(fd);
        unlink(fresh);
        free(fresh);
    } else {
        replacement->fresh = fresh;
    }
    return error;
}

/* Whether a file has to be opened itself: what is not a regular file, has other names (hard links), or has none by
 * which a new one could replace it. */
static bool replace_is_irreplaceable(const char *path, bool is_named, const struct stat *old)
{
    struct stat link;
    if (!old) /* a link to what is not there */
        return lstat(path, &link) == 0;
    return !S_ISREG(old->st_mode) || old->st_nlink != 1 || !is_named;
}

/* The regular file that standard output or standard error already writes, as /dev/stdout names it: writing goes on
 * where that stands. NULL: it is another one. */
static FILE *replace_open_shared(const struct stat *old)
{
    struct stat status;
    for (int fd = STDOUT_FILENO; old && S_ISREG(old->st_mode) && fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &status) == 0 && status.st_dev == old->st_dev && status.st_ino == old->st_ino) {
            int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
            FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
            if (!out && copy >= 0)
                close(copy);
            return out;
        }
    return NULL;
}

int replace_open(struct replacement *replacement, const char *path)
{
    struct stat status;
    char *link = realpath(path, NULL);
    *replacement = (struct replacement){.target = link ? link : strdup(path)};
    if (!replacement->target)
        return ENOMEM;
    const struct stat *old = stat(replacement->target, &status) == 0 ? &status : NULL;
    bool itself = replace_is_irreplaceable(replacement->target, link != NULL, old);
    int error = 0;
    if ((replacement->out = replace_open_shared(old)))
        return 0;
    if (old && faccessat(AT_FDCWD, replacement->target, W_OK, AT_EACCESS) != 0)
        error = errno; /* one who protects a file from writing does not want it replaced either */
    else if (!itself)
        error = replace_open_fresh(replacement, old);
    if (itself || error == EACCES || error == EROFS || error == EPERM || error == ENAMETOOLONG) {
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

int replace_create(const char *fresh, mode_t mode)
{
    if (unlink(fresh) != 0 && errno != ENOENT)
        return -1;
    return open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

FILE *replace_create_stream(const char *fresh)
{
    int fd = replace_create(fresh, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !out)
        close(fd);
    return out;
}

int replace_append(const char *path, int flags)
{
    struct stat status;
    /* O_NONBLOCK: a pipe would wait for a reader. */
    int fd = open(path, flags | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

int replace_end(const char *fresh, const char *path, int error)
{
    if (!error && rename(fresh, path) != 0)
        error = errno;
    if (error)
        unlink(fresh);
    return error;
}
