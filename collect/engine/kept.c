#include "collect/engine/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/trace/high_fd.h"

enum { USUAL_LIMIT = 1024 };

static _Atomic unsigned kept_count;

static bool has_room(void)
{
    struct rlimit limit = {.rlim_cur = USUAL_LIMIT};
    getrlimit(RLIMIT_NOFILE, &limit);
    return atomic_load(&kept_count) < limit.rlim_cur / 2;
}

int kept_move(int fd)
{
    int moved = -1, error = EMFILE;
    if (has_room()) {
        moved = high_fd_move(fd);
        error = errno;
    }
    if (moved >= 0)
        atomic_fetch_add(&kept_count, 1);
    else if (error != EBUSY)
        close(fd);
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
    struct kept kept;
    struct stat status;
    do
        kept.fd = open(path, flags | O_CLOEXEC);
    while (kept.fd >= 0 && (kept.fd = kept_move(kept.fd)) < 0 && errno == EBUSY);
    if (kept.fd < 0 || fstat(kept.fd, &status) != 0)
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
