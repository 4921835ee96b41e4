#include "collect/exact/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENT_WORDS_MAX = 1 << 24 };

static int check(struct ring_file *file)
{
    const struct raw_ring *ring = file->ring;
    uint64_t magic = __atomic_load_n(&ring->magic, __ATOMIC_ACQUIRE);
    if (magic != RAW_RING_MAGIC)
        return magic ? EILSEQ : EAGAIN;
    file->segments = ring->segments;
    file->segment_words = ring->segment_words;
    if (file->segments == 0 || file->segments > RAW_RING_SEGMENTS_MAX || file->segment_words > SEGMENT_WORDS_MAX ||
        file->bytes != RAW_RING_PAGE + (uint64_t)file->segments * file->segment_words * sizeof(uint64_t))
        return EILSEQ;
    return 0;
}

int ring_file_open(const char *path, struct ring_file *file)
{
    struct stat status;
    struct ring_file got = {0};
    int fd = open(path, O_RDWR | O_CLOEXEC), error = 0;
    void *bytes = MAP_FAILED;
    if (fd < 0)
        return errno;
    if (fstat(fd, &status) != 0)
        error = errno;
    else if (!S_ISREG(status.st_mode))
        error = EILSEQ;
    else if (status.st_size < RAW_RING_PAGE)
        error = EAGAIN;
    else if ((bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
        error = errno;
    close(fd);
    if (error)
        return error;
    got = (struct ring_file){.ring = bytes, .bytes = (size_t)status.st_size};
    error = check(&got);
    if (error)
        ring_file_close(&got);
    else
        *file = got;
    return error;
}

void ring_file_close(struct ring_file *file)
{
    if (file->ring)
        munmap(file->ring, file->bytes);
    *file = (struct ring_file){0};
}

static uint64_t *segment(const struct ring_file *file, uint64_t number)
{
    uint64_t *words = (uint64_t *)(void *)((char *)file->ring + RAW_RING_PAGE);
    return words + number % file->segments * file->segment_words;
}

const uint64_t *ring_file_segment(const struct ring_file *file)
{
    uint64_t filled = __atomic_load_n(&file->ring->filled, __ATOMIC_ACQUIRE);
    return filled == file->ring->drained ? NULL : segment(file, file->ring->drained);
}

void ring_file_drain(struct ring_file *file)
{
    memset(segment(file, file->ring->drained), 0, file->segment_words * sizeof(uint64_t));
    __atomic_store_n(&file->ring->drained, file->ring->drained + 1, __ATOMIC_RELEASE);
}

const uint64_t *ring_file_rest(const struct ring_file *file)
{
    return segment(file, file->ring->filled);
}

void ring_file_refuse(struct ring_file *file)
{
    __atomic_store_n(&file->ring->closed, 1, __ATOMIC_RELEASE);
}
