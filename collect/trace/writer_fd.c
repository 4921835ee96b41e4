/*
 * The descriptor of the trace, hidden from the program: outside the low numbers that programs count on, and checked
 * before each use, since the program may have closed it or replaced it by a file of its own.
 */
#include "collect/trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/high_fd.h"

static bool is_trace(const struct trace_writer *writer, int fd)
{
    return high_fd_is(fd, writer->device, writer->inode);
}

/* If there is no room above, the low number must do. */
static int reopen(const char *path, struct stat *status)
{
    int fd = high_fd_open(path, O_WRONLY | O_NOFOLLOW, status);
    return fd < 0 && errno == EMFILE && lstat(path, status) == 0 ? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : fd;
}

int writer_fd_open(struct trace_writer *writer)
{
    struct stat status;
    int fd = open(writer->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 || lstat(writer->path, &status) != 0)
        return errno;
    if ((fd = high_fd_move(fd, high_fd_is_file, &status)) < 0)
        fd = reopen(writer->path, &status);
    if (fd < 0)
        return errno;
    writer->device = status.st_dev;
    writer->inode = status.st_ino;
    writer->fd = fd;
    return 0;
}

int writer_fd_check(struct trace_writer *writer)
{
    struct stat status;
    if (is_trace(writer, writer->fd))
        return 0;
    int fd = writer->fd < 0 ? -1 : reopen(writer->path, &status);
    if (fd < 0)
        return EBADF;
    if (status.st_dev != writer->device || status.st_ino != writer->inode) {
        if (high_fd_is_file(fd, &status))
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
