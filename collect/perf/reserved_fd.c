#include "collect/perf/reserved_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { USUAL_LIMIT = 1024 };

static _Atomic unsigned reserved_count;

static bool reserved_fd_has_capacity(void)
{
    struct rlimit limit = {.rlim_cur = USUAL_LIMIT};
    getrlimit(RLIMIT_NOFILE, &limit);
    return atomic_load(&reserved_count) < limit.rlim_cur / 2;
}

int reserved_fd_move(int fd, private_fd_check *check, const void *meant)
{
    if (!reserved_fd_has_capacity()) {
        if (check(fd, meant))
            syscall(SYS_close, fd); /* no cancellation point: this runs in handlers */
        errno = EMFILE;
        return -1;
    }
    int moved = private_fd_move(fd, check, meant);
    if (moved >= 0)
        atomic_fetch_add(&reserved_count, 1);
    return moved;
}

void reserved_fd_release(void)
{
    atomic_fetch_sub(&reserved_count, 1);
}

void reserved_fd_grow_table(void)
{
    struct reserved_fd reserved = reserved_fd_open("/dev/null", O_RDONLY);
    reserved_fd_close(&reserved);
}

struct reserved_fd reserved_fd_open(const char *path, int flags)
{
    struct stat status;
    struct reserved_fd reserved = {.fd = reserved_fd_has_capacity() ? private_fd_open(path, flags, &status) : -1};
    if (reserved.fd < 0)
        return reserved;
    atomic_fetch_add(&reserved_count, 1);
    reserved.device = status.st_dev;
    reserved.inode = status.st_ino;
    return reserved;
}

bool reserved_fd_valid(const struct reserved_fd *reserved)
{
    return reserved->fd >= 0 && private_fd_is(reserved->fd, reserved->device, reserved->inode);
}

void reserved_fd_close(struct reserved_fd *reserved)
{
    if (reserved->fd < 0)
        return;
    if (reserved_fd_valid(reserved))
        close(reserved->fd);
    reserved_fd_release();
    reserved->fd = -1;
}
