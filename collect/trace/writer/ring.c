#include "collect/trace/writer/ring.h"

#include <errno.h>
#include <sys/mman.h>

enum { DEEPEST_RECORD = 1 + TRACE_COLUMNS_MAX + 2 * TRACE_STACKS_MAX * TRACE_STACK_MAX };

int ring_init(struct ring *ring, size_t bytes)
{
    size_t words = 1;
    while (words < bytes / sizeof(uint64_t) || words < 2 * (size_t)DEEPEST_RECORD)
        words *= 2;
    /* Directly from the kernel: most rings are hardly used, and thousands of short threads must not leave holes of this
     * size in the measured program's heap. */
    uint64_t *memory = mmap(NULL, words * sizeof *memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return ENOMEM;
    *ring = (struct ring){.words = memory, .mask = words - 1};
    return 0;
}

void ring_give_back(struct ring *ring)
{
    madvise(ring->words, (ring->mask + 1) * sizeof *ring->words, MADV_DONTNEED);
}

void ring_free(struct ring *ring)
{
    if (ring->words)
        munmap(ring->words, (ring->mask + 1) * sizeof *ring->words);
    ring->words = NULL;
}

/* Kind and number of values; for each stack, its column and its depth. */
static uint64_t head_word(unsigned kind, size_t n, const struct trace_stack *stacks, size_t count)
{
    uint64_t word = (uint64_t)kind | (uint64_t)n << 8;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)stacks[i].column << (16 + 8 * i) | (uint64_t)stacks[i].depth << (32 + 16 * i);
    return word;
}

static size_t words_of(size_t n, const struct trace_stack *stacks, size_t count)
{
    size_t words = 1 + n;
    for (size_t i = 0; i < count; i++)
        words += 2 * stacks[i].depth;
    return words;
}

static bool push(struct ring *ring, unsigned kind, const uint64_t *values, size_t n, const struct trace_stack *stacks,
                 size_t count)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (ring->mask + 1 - (size_t)(head - tail) < words_of(n, stacks, count))
        return false;
    uint64_t *words = ring->words;
    words[head++ & ring->mask] = head_word(kind, n, stacks, count);
    for (size_t i = 0; i < n; i++)
        words[head++ & ring->mask] = values[i];
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < stacks[s].depth; i++) {
            words[head++ & ring->mask] = stacks[s].frames[i].code;
            words[head++ & ring->mask] = (uint64_t)stacks[s].frames[i].position;
        }
    atomic_store_explicit(&ring->head, head, memory_order_release);
    return true;
}

bool ring_push(struct ring *ring, unsigned kind, const uint64_t *values, size_t n, const struct trace_stack *stacks,
               size_t count)
{
    /* Producer and interrupting handler are one thread: a plain flag with compiler ordering is enough. */
    if (atomic_load_explicit(&ring->busy, memory_order_relaxed))
        return false;
    atomic_store_explicit(&ring->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    bool done = push(ring, kind, values, n, stacks, count);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&ring->busy, false, memory_order_relaxed);
    return done;
}

bool ring_pop(struct ring *ring, struct ring_record *record)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&ring->head, memory_order_acquire))
        return false;
    const uint64_t *words = ring->words;
    uint64_t first = words[tail++ & ring->mask];
    record->kind = first & 0xff;
    record->value_count = first >> 8 & 0xff;
    for (size_t i = 0; i < record->value_count; i++)
        record->values[i] = words[tail++ & ring->mask];
    for (size_t i = record->value_count; i < TRACE_COLUMNS_MAX; i++)
        record->values[i] = 0; /* not those of the previous record */
    for (size_t s = 0; s < TRACE_STACKS_MAX; s++) {
        record->context_column[s] = first >> (16 + 8 * s) & 0xff;
        record->depth[s] = first >> (32 + 16 * s) & 0xffff;
        for (size_t i = 0; i < record->depth[s]; i++) {
            record->frames[s][i].code = words[tail++ & ring->mask];
            record->frames[s][i].position = (int64_t)words[tail++ & ring->mask];
        }
    }
    atomic_store_explicit(&ring->tail, tail, memory_order_release);
    return true;
}

size_t ring_used(const struct ring *ring)
{
    return (size_t)(atomic_load_explicit(&ring->head, memory_order_relaxed) -
                    atomic_load_explicit(&ring->tail, memory_order_relaxed));
}
