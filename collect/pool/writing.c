/*
 * The pool in the writing process.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_call.h"
#include "collect/pool/pool.h"

_Static_assert(sizeof(struct pool_header) <= POOL_PAGE + POOL_RING_BYTES, "the header fits into an extent");
_Static_assert(sizeof(struct pool_process) <= POOL_PAGE + POOL_RING_BYTES, "a process fits into an extent");
_Static_assert(sizeof(struct pool_thread) <= POOL_PAGE, "a thread leaves room for its ring");

int pool_create(struct pool *pool, size_t ring_bytes)
{
    enum { LEAST = 64 };
    assert(ring_bytes >= POOL_RING_BYTES && ring_bytes % POOL_PAGE == 0);
    size_t extent_bytes = POOL_PAGE + ring_bytes;
    uint32_t extents = 2 * POOL_EXTENTS_MAX;
    int error = ENOMEM;
    struct sigaction before, ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignored, &before); /* there may be a limit of files */
    while (error && (extents /= 2) >= LEAST) {
        size_t bytes = extents * extent_bytes;
        void *memory = MAP_FAILED;
        int fd = memfd_create("assay", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        /* Nobody can make it shorter under those that have it mapped. */
        if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 &&
            fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
            memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        error = memory == MAP_FAILED ? errno : 0;
        if (error && fd >= 0)
            close(fd);
        else if (!error)
            *pool = (struct pool){.header = memory, .fd = fd};
    }
    sigaction(SIGXFSZ, &before, NULL);
    if (error)
        return error;
    pool->extent_bytes = extent_bytes;
    pool->header->extents = extents;
    pool->header->ring_bytes = (uint32_t)ring_bytes;
    atomic_store(&pool->header->used[0], 1);
    pool->header->magic = POOL_MAGIC;
    return 0;
}

void pool_close(struct pool *pool)
{
    munmap(pool->header, pool->header->extents * pool->extent_bytes);
    close(pool->fd);
}

void *pool_extent(const struct pool *pool, uint32_t number)
{
    return (char *)pool->header + number * pool->extent_bytes;
}

void pool_free(const struct pool *pool, uint32_t number)
{
    fallocate(pool->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(number * pool->extent_bytes),
              (off_t)pool->extent_bytes);
    atomic_fetch_and(&pool->header->used[number / 64], ~(UINT64_C(1) << number % 64));
}

void pool_wait(const struct pool *pool, uint64_t timeout_ns)
{
    struct timespec timeout = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
    system_call(SYS_futex, (long)&pool->header->bell, FUTEX_WAIT, 0, (long)&timeout, 0, 0);
    atomic_store(&pool->header->bell, 0);
}
