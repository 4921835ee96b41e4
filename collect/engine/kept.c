#include "collect/engine/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOWEST_FD = 512, USUAL_LIMIT = 1024 };

static _Atomic unsigned kept_count;

int kept_move(int fd)
{
    struct rlimit limit = {.rlim_cur = USUAL_LIMIT};
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t half = limit.rlim_cur / 2;
    int moved = -1, error = EMFILE;
    if (atomic_load(&kept_count) < half) {
        moved = fcntl(fd, F_DUPFD_CLOEXEC, half < LOWEST_FD ? (int)half : LOWEST_FD);
        error = errno;
    }
    close(fd);
    if (moved >= 0)
        atomic_fetch_add(&kept_count, 1);
    errno = error;
    return moved;
}

void kept_forget(void)
{
    atomic_fetch_sub(&kept_count, 1);
}

void kept_reserve(void)
{
    int fd = kept_move(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (fd < 0)
        return;
    close(fd);
    kept_forget();
}

struct kept kept_open(const char *path, int flags)
{
    struct kept kept = {.fd = open(path, flags | O_CLOEXEC)};
    struct stat status;
    if (kept.fd < 0 || (kept.fd = kept_move(kept.fd)) < 0 || fstat(kept.fd, &status) != 0)
        return kept;
    kept.device = status.st_dev;
    kept.inode = status.st_ino;
    return kept;
}

bool kept_valid(const struct kept *kept)
{
    struct stat status;
    return kept->fd >= 0 && fstat(kept->fd, &status) == 0 && status.st_dev == kept->device &&
           status.st_ino == kept->inode;
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
