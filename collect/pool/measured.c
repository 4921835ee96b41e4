/*
 * The pool in a measured process.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_call.h"
#include "collect/perf/reserved_fd.h"
#include "collect/pool/pool.h"

static struct pool_header *header;
static struct reserved_fd file = {.fd = -1};
static size_t extent_bytes;
static char path_again[64]; /* if the program has closed the file */
static uid_t user;          /* that could open it */

static bool pool_is_pool_file(int fd, struct stat *status)
{
    return fstat(fd, status) == 0 && S_ISREG(status->st_mode) && status->st_nlink == 0 &&
           status->st_size >= POOL_PAGE + POOL_RING_BYTES;
}

/* By the system's calls alone, since a handler may come here. */
static void *pool_map_range(int fd, size_t offset, size_t bytes)
{
    long at = system_call(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (long)offset);
    return at < 0 && at > -POOL_PAGE ? NULL : (void *)at; /* NOLINT: an address */
}

int pool_attach(const char *path, int inherited)
{
    if (header)
        return 0;
    snprintf(path_again, sizeof path_again, "%s", path);
    user = geteuid();
    struct stat status;
    if (inherited >= 0 && pool_is_pool_file(inherited, &status)) {
        /* It is closed on exec again, unless this exec wants otherwise. */
        fcntl(inherited, F_SETFD, FD_CLOEXEC);
        file = (struct reserved_fd){.fd = inherited, .device = status.st_dev, .inode = status.st_ino};
    } else {
        file = reserved_fd_open(path, O_RDWR);
    }
    if (file.fd < 0)
        return errno;
    struct pool_header *found = pool_map_range(file.fd, 0, sizeof *found);
    if (!found || found->magic != POOL_MAGIC || found->ring_bytes < POOL_RING_BYTES) {
        if (found)
            munmap(found, sizeof *found);
        reserved_fd_close(&file);
        return EINVAL;
    }
    header = found;
    extent_bytes = POOL_PAGE + (size_t)found->ring_bytes;
    return 0;
}

static int pool_valid_fd(void)
{
    return reserved_fd_valid(&file) ? file.fd : -1;
}

int pool_hand_down(void)
{
    /* Capabilities that an exec takes away may still let this process open it after a change of user. */
    int opened = header && geteuid() == user ? open(path_again, O_RDWR | O_CLOEXEC) : -1;
    if (opened >= 0)
        close(opened);
    int fd = opened >= 0 ? -1 : pool_valid_fd();
    return fd >= 0 && fcntl(fd, F_SETFD, 0) == 0 ? fd : -1;
}

void pool_take_back(int fd)
{
    if (fd >= 0 && fd == pool_valid_fd())
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static bool pool_claim_number(uint32_t word, uint32_t *number)
{
    for (uint64_t bits = atomic_load(&header->used[word]); bits != UINT64_MAX;) {
        int free_bit = __builtin_ctzll(~bits);
        if (!atomic_compare_exchange_weak(&header->used[word], &bits, bits | UINT64_C(1) << free_bit))
            continue;
        *number = 64 * word + (uint32_t)free_bit;
        return true;
    }
    return false;
}

bool pool_drop(int fd)
{
    struct stat status;
    return fd >= 0 && pool_is_pool_file(fd, &status) && close(fd) == 0;
}

void *pool_claim(uint32_t *number)
{
    uint32_t words = header ? header->extents / 64 : 0;
    for (uint32_t word = 0; word < words && word < POOL_EXTENTS_MAX / 64; word++) {
        if (!pool_claim_number(word, number))
            continue;
        int fd = pool_valid_fd(), opened = -1;
        if (fd < 0) /* not open(), which is a cancellation point */
            fd = opened = (int)system_call(SYS_open, (long)path_again, O_RDWR | O_CLOEXEC, 0, 0, 0, 0);
        void *extent = fd < 0 ? NULL : pool_map_range(fd, *number * extent_bytes, extent_bytes);
        if (opened >= 0)
            system_call(SYS_close, opened, 0, 0, 0, 0, 0);
        if (extent)
            madvise(extent, extent_bytes, MADV_DONTFORK);

        if (!extent || atomic_load(&header->closed)) {
            if (extent)
                pool_unmap(extent);
            atomic_fetch_and(&header->used[word], ~(UINT64_C(1) << *number % 64));
            return NULL;
        }
        atomic_store(&((struct pool_extent *)extent)->claimer, (int32_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0));
        return extent;
    }
    return NULL;
}

void pool_hand_to_children(void *part, size_t bytes)
{
    madvise(part, bytes, MADV_DOFORK);
}

void pool_unmap(void *extent)
{
    system_call(SYS_munmap, (long)extent, (long)extent_bytes, 0, 0, 0, 0);
}

void pool_ring_bell(void)
{
    if (header && atomic_exchange(&header->bell, 1) == 0)
        system_call(SYS_futex, (long)&header->bell, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}
