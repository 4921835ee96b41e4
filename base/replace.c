#include "base/replace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
