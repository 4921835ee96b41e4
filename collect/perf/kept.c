#include "collect/perf/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { USUAL_LIMIT = 1024 };

static _Atomic unsigned kept_count;

static bool has_room(void)
{
    struct rlimit limit = {.rlim_cur = USUAL_LIMIT};
    getrlimit(RLIMIT_NOFILE, &limit);
    return atomic_load(&kept_count) < limit.rlim_cur / 2;
}

int kept_move(int fd, high_fd_check *check, const void *meant)
{
    if (!has_room()) {
        if (check(fd, meant))
            syscall(SYS_close, fd); /* no cancellation point: this runs in handlers */
        errno = EMFILE;
        return -1;
    }
    int moved = high_fd_move(fd, check, meant);
    if (moved >= 0)
        atomic_fetch_add(&kept_count, 1);
    return moved;
}

void kept_forget(void)
{
    atomic_fetch_sub(&kept_count, 1);
}

void kept_reserve(void)
{
    struct kept kept = kept_open("/dev/null", O_RDONLY);
    kept_close(&kept);
}

struct kept kept_open(const char *path, int flags)
{
    struct stat status;
    struct kept kept = {.fd = has_room() ? high_fd_open(path, flags, &status) : -1};
    if (kept.fd < 0)
        return kept;
    atomic_fetch_add(&kept_count, 1);
    kept.device = status.st_dev;
    kept.inode = status.st_ino;
    return kept;
}

bool kept_valid(const struct kept *kept)
{
    return kept->fd >= 0 && high_fd_is(kept->fd, kept->device, kept->inode);
}

void kept_close(struct kept *kept)
{
    if (kept->fd < 0)
        return;
    if (kept_valid(kept))
        close(kept->fd);
    kept_forget();
    kept->fd = -1;
}
