#include "collect/record/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/json_file.h"

static int directory_make_one(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    int error = errno;
    struct stat found;
    if (stat(path, &found) != 0)
        return error;
    return S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
}

int directory_make(const char *path)
{
    char *parent = strdup(path);
    if (!parent)
        return ENOMEM;
    int error = 0;
    for (char *slash = parent + 1; *parent && !error && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        error = directory_make_one(parent);
        *slash = '/';
    }
    free(parent);
    return error ? error : directory_make_one(path);
}

int directory_lock(const char *path, int *lock)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        return EWOULDBLOCK;
    }
    *lock = fd; /* if the file system has no locks, continue without */
    return 0;
}

int directory_put(const char *directory, const char *name, const json_t *content)
{
    char path[RECORD_PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    char *fresh = replace_name(path);
    if (!fresh)
        return ENOMEM;
    int fd = replace_create(fresh, 0666);
    int error = fd < 0 ? errno : 0;
    if (!error)
        error = json_file_write(fd, content, JSON_INDENT(1));
    if (!error && fsync(fd) != 0 && errno != EINVAL)
        error = errno;
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    error = replace_end(fresh, path, error);
    free(fresh);
    return error;
}
