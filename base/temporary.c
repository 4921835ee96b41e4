#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *temporary_folder(void)
{
    const char *wanted = getenv("TMPDIR");
    return wanted && *wanted ? wanted : "/var/tmp";
}

int temporary_file(void)
{
    const char *folder = temporary_folder();
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    /* A file system that can't make one without a name. */
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/assay-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}
