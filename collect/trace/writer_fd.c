/*
 * The descriptor of the trace, inside a program that does not know of it: out of the low numbers that programs count
 * on, and looked at before each use, since the program may have closed it or put a file of its own in its place.
 */
#include "collect/trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOWEST_FD = 512, USUAL_LIMIT = 1024 };

/* Where there is no room above, the low number has to do. */
static int move_up(int fd)
{
    struct rlimit limit = {.rlim_cur = USUAL_LIMIT};
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t half = limit.rlim_cur / 2;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, half < LOWEST_FD ? (int)half : LOWEST_FD);
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}

static bool is_trace(const struct trace_writer *writer, int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == writer->device && status.st_ino == writer->inode;
}

int writer_fd_open(struct trace_writer *writer)
{
    int fd = open(writer->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    fd = move_up(fd);
    struct stat status;
    if (fstat(fd, &status) != 0) {
        int error = errno;
        close(fd);
        return error;
    }
    writer->device = status.st_dev;
    writer->inode = status.st_ino;
    writer->fd = fd;
    return 0;
}

int writer_fd_check(struct trace_writer *writer)
{
    if (is_trace(writer, writer->fd))
        return 0;
    int fd = writer->fd < 0 ? -1 : open(writer->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return EBADF;
    if (!is_trace(writer, fd)) {
        close(fd);
        return EBADF;
    }
    writer->fd = move_up(fd);
    return 0;
}

int writer_fd_close(struct trace_writer *writer)
{
    int fd = writer->fd;
    writer->fd = -1;
    return fd >= 0 && is_trace(writer, fd) && close(fd) != 0 ? errno : 0;
}
