#include "base/private_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOWEST_FD = 512, USUAL_LIMIT = 1024, TRIES = 16 };

bool private_fd_is(int fd, dev_t device, ino_t inode)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

bool private_fd_is_file(int fd, const void *stat)
{
    const struct stat *meant = stat;
    return private_fd_is(fd, meant->st_dev, meant->st_ino);
}

/* The C library's close() is a cancellation point, and this runs in handlers. */
static void private_fd_close(int fd)
{
    syscall(SYS_close, fd);
}

int private_fd_move(int fd, private_fd_check *check, const void *meant)
{
    struct rlimit limit = {.rlim_cur = USUAL_LIMIT};
    getrlimit(RLIMIT_NOFILE, &limit);
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, limit.rlim_cur / 2 < LOWEST_FD ? (int)(limit.rlim_cur / 2) : LOWEST_FD),
        error = errno == EBADF ? EBUSY : errno;
    if (moved >= 0 && !check(moved, meant)) {
        private_fd_close(moved);
        moved = -1;
        error = EBUSY;
    }
    if ((moved >= 0 || error != EBUSY) && check(fd, meant))
        private_fd_close(fd);
    errno = error;
    return moved;
}

int private_fd_open(const char *path, int flags, struct stat *opened)
{
    for (int i = 0; i < TRIES; i++) {
        int fd = open(path, flags | O_CLOEXEC);
        if (fd < 0)
            return -1;
        /* A file without a name, such as that of a thread that has ended, is accepted as it is. */
        if (stat(path, opened) != 0 && fstat(fd, opened) != 0)
            continue;
        int moved = private_fd_move(fd, private_fd_is_file, opened);
        if (moved >= 0 || errno != EBUSY)
            return moved;
    }
    return -1;
}
