#include "collect/trace/high_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOWEST_FD = 512, USUAL_LIMIT = 1024 };

static bool is_still(int fd, const struct stat *opened)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == opened->st_dev && status.st_ino == opened->st_ino;
}

static int lowest(void)
{
    struct rlimit limit = {.rlim_cur = USUAL_LIMIT};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur / 2 < LOWEST_FD ? (int)(limit.rlim_cur / 2) : LOWEST_FD;
}

int high_fd_move(int fd)
{
    struct stat opened;
    if (fstat(fd, &opened) != 0)
        return -1;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest());
    if (moved < 0)
        return -1;
    bool ours = is_still(moved, &opened);
    if (ours && is_still(fd, &opened))
        close(fd);
    if (ours)
        return moved;
    close(moved);
    errno = EBUSY;
    return -1;
}

int high_fd_open(const char *path, int flags)
{
    int fd, moved;
    do
        fd = open(path, flags | O_CLOEXEC);
    while (fd >= 0 && (moved = high_fd_move(fd)) < 0 && errno == EBUSY);
    return fd < 0 || moved < 0 ? fd : moved;
}
