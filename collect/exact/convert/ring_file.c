#include "collect/exact/convert/ring_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENT_WORDS_MAX = 1 << 24 };

int ring_file_open(const char *path, struct ring_file *file)
{
    struct stat status;
    struct raw_ring head;
    struct ring_file got = {.fd = open(path, O_RDWR | O_CLOEXEC)};
    if (got.fd < 0)
        return errno;
    int error = fstat(got.fd, &status) != 0 ? errno : !S_ISREG(status.st_mode) ? EILSEQ : 0;
    ssize_t size = error ? 0 : pread(got.fd, &head, sizeof head, 0);
    if (!error && size < 0)
        error = errno;
    else if (!error && (size < (ssize_t)sizeof head || head.magic == 0))
        error = EAGAIN;
    if (error) {
        close(got.fd);
        return error;
    }
    if (head.magic != RAW_RING_MAGIC || head.segments == 0 || head.segments > RAW_RING_SEGMENTS_MAX ||
        head.segment_words == 0 || head.segment_words > SEGMENT_WORDS_MAX) {
        error = EILSEQ;
    } else {
        got.segments = head.segments;
        got.segment_words = head.segment_words;
        got.bytes = RAW_RING_PAGE + (size_t)head.segments * head.segment_words * sizeof(uint64_t);
        void *bytes = mmap(NULL, got.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, got.fd, 0);
        error = bytes == MAP_FAILED ? errno : 0;
        got.ring = error ? NULL : bytes;
    }
    if (error)
        close(got.fd);
    else
        *file = got;
    return error;
}

void ring_file_close(struct ring_file *file)
{
    if (file->ring) {
        munmap(file->ring, file->bytes);
        close(file->fd);
    }
    *file = (struct ring_file){0};
}

static uint64_t *ring_file_segment_words(const struct ring_file *file, uint64_t number)
{
    uint64_t *words = (uint64_t *)(void *)((char *)file->ring + RAW_RING_PAGE);
    return words + number % file->segments * file->segment_words;
}

/* Whether the file is long enough: memory beyond its end must not be touched. */
static bool ring_file_holds_segment(const struct ring_file *file, uint64_t number)
{
    struct stat status;
    uint64_t segments = number < file->segments ? number + 1 : file->segments;
    return fstat(file->fd, &status) == 0 &&
           (uint64_t)status.st_size >= RAW_RING_PAGE + segments * file->segment_words * sizeof(uint64_t);
}

const uint64_t *ring_file_segment(const struct ring_file *file)
{
    assert(file->ring);
    uint64_t filled = __atomic_load_n(&file->ring->filled, __ATOMIC_ACQUIRE), drained = file->ring->drained;
    return filled == drained || !ring_file_holds_segment(file, drained) ? NULL : ring_file_segment_words(file, drained);
}

void ring_file_drain(struct ring_file *file)
{
    assert(file->ring);
    memset(ring_file_segment_words(file, file->ring->drained), 0, file->segment_words * sizeof(uint64_t));
    __atomic_store_n(&file->ring->drained, file->ring->drained + 1, __ATOMIC_RELEASE);
}

const uint64_t *ring_file_rest(const struct ring_file *file)
{
    assert(file->ring);
    return ring_file_holds_segment(file, file->ring->filled) ? ring_file_segment_words(file, file->ring->filled) : NULL;
}

void ring_file_refuse(struct ring_file *file)
{
    assert(file->ring);
    __atomic_store_n(&file->ring->closed, 1, __ATOMIC_RELEASE);
}
