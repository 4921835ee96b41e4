#include "analyze/program/spool.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"

static bool copy_stdin(int fd)
{
    static char buffer[1 << 16];
    ssize_t got;
    while ((got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
        for (ssize_t done = 0, wrote; done < got; done += wrote)
            if ((wrote = write(fd, buffer + done, (size_t)(got - done))) < 0)
                return false;
    return got == 0;
}

const char *spool_path(const char *path)
{
    static char spooled[64];
    if (strcmp(path, "-") != 0)
        return path;
    int fd = temporary_file();
    if (fd < 0 || !copy_stdin(fd))
        return NULL;
    snprintf(spooled, sizeof spooled, "/proc/self/fd/%d", fd);
    return spooled;
}
