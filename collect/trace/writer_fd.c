/*
 * The descriptor of the trace, inside a program that does not know of it: out of the low numbers that programs count
 * on, and looked at before each use, since the program may have closed it or put a file of its own in its place.
 */
#include "collect/trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/trace/high_fd.h"

static bool is_trace(const struct trace_writer *writer, int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == writer->device && status.st_ino == writer->inode;
}

int writer_fd_open(struct trace_writer *writer)
{
    int low = open(writer->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int fd = low < 0 ? -1 : high_fd_move(low);
    if (low >= 0 && fd < 0)
        fd = errno == EBUSY ? high_fd_open(writer->path, O_WRONLY | O_NOFOLLOW) : low;
    if (fd < 0)
        return errno;
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
    int fd = writer->fd < 0 ? -1 : high_fd_open(writer->path, O_WRONLY | O_NOFOLLOW);
    if (fd < 0)
        return EBADF;
    if (!is_trace(writer, fd)) {
        close(fd);
        return EBADF;
    }
    writer->fd = fd;
    return 0;
}

int writer_fd_close(struct trace_writer *writer)
{
    int fd = writer->fd;
    writer->fd = -1;
    return fd >= 0 && is_trace(writer, fd) && close(fd) != 0 ? errno : 0;
}
