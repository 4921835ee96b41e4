#include "trace/write/ring.h"

#include <sys/mman.h>

enum { DEEPEST_RECORD = 1 + TRACE_COLUMNS_MAX + 2 * TRACE_STACKS_MAX * TRACE_STACK_MAX };

static uint64_t *ring_words_behind(struct ring *ring)
{
    return (uint64_t *)(ring + 1);
}

size_t ring_words(size_t bytes)
{
    size_t words = 1;
    while (words < bytes / sizeof(uint64_t) || words < 2 * (size_t)DEEPEST_RECORD)
        words *= 2;
    return words;
}

void ring_init(struct ring *ring, size_t words)
{
    ring->mask = words - 1;
}

void ring_give_back(struct ring *ring, size_t words)
{
    enum { PAGE = 4096 };
    uintptr_t begin = ((uintptr_t)ring_words_behind(ring) + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
              end = (uintptr_t)(ring_words_behind(ring) + words);
    madvise((void *)begin, end - begin, MADV_DONTNEED); /* NOLINT: an address within the ring */
}

/* Kind and number of values; for each stack, its column and its depth. */
static uint64_t ring_head_word(unsigned kind, size_t n, const struct trace_stack *stacks, size_t count)
{
    uint64_t word = (uint64_t)kind | (uint64_t)n << 8;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)stacks[i].column << (16 + 8 * i) | (uint64_t)stacks[i].depth << (32 + 16 * i);
    return word;
}

static size_t ring_record_words(size_t n, const struct trace_stack *stacks, size_t count)
{
    size_t words = 1 + n;
    for (size_t i = 0; i < count; i++)
        words += 2 * stacks[i].depth;
    return words;
}

static bool ring_push_record(struct ring *ring, unsigned kind, const uint64_t *values, size_t n,
                             const struct trace_stack *stacks, size_t count)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (ring->mask + 1 - (size_t)(head - tail) < ring_record_words(n, stacks, count))
        return false;
    uint64_t *words = ring_words_behind(ring);
    words[head++ & ring->mask] = ring_head_word(kind, n, stacks, count);
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
    bool done = ring_push_record(ring, kind, values, n, stacks, count);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&ring->busy, false, memory_order_relaxed);
    return done;
}

/* A producer and consumer in step: reads `count` words, if so many have been written. */
struct reading {
    const uint64_t *words;
    size_t mask;
    uint64_t at, end;
};

static bool ring_reading_has(const struct reading *reading, size_t count)
{
    return reading->end - reading->at >= count;
}

static uint64_t ring_reading_next(struct reading *reading)
{
    return reading->words[reading->at++ & reading->mask];
}

static bool ring_read_values(struct reading *reading, uint64_t first, struct ring_record *record)
{
    record->kind = first & 0xff;
    record->value_count = first >> 8 & 0xff;
    if (record->value_count > TRACE_COLUMNS_MAX || !ring_reading_has(reading, record->value_count))
        return false;
    for (size_t i = 0; i < record->value_count; i++)
        record->values[i] = ring_reading_next(reading);
    for (size_t i = record->value_count; i < TRACE_COLUMNS_MAX; i++)
        record->values[i] = 0; /* not those of the previous record */
    return true;
}

static bool ring_read_stacks(struct reading *reading, uint64_t first, struct ring_record *record)
{
    for (size_t s = 0; s < TRACE_STACKS_MAX; s++) {
        size_t depth = first >> (32 + 16 * s) & 0xffff, column = first >> (16 + 8 * s) & 0xff;
        if (depth > TRACE_STACK_MAX || column >= TRACE_COLUMNS_MAX || !ring_reading_has(reading, 2 * depth))
            return false;
        record->depth[s] = depth;
        record->context_column[s] = column;
        for (size_t i = 0; i < depth; i++) {
            record->frames[s][i].code = ring_reading_next(reading);
            record->frames[s][i].position = (int64_t)ring_reading_next(reading);
        }
    }
    return true;
}

bool ring_pop(struct ring *ring, size_t words, struct ring_record *record, uint64_t *damaged)
{
    struct reading reading = {ring_words_behind(ring), words - 1,
                              atomic_load_explicit(&ring->tail, memory_order_relaxed),
                              atomic_load_explicit(&ring->head, memory_order_acquire)};
    if (reading.at == reading.end)
        return false;
    uint64_t first = ring_reading_has(&reading, words + 1) ? UINT64_MAX : ring_reading_next(&reading);
    bool good = ring_read_values(&reading, first, record) && ring_read_stacks(&reading, first, record);
    if (!good) {
        reading.at = reading.end;
        ++*damaged;
    }
    atomic_store_explicit(&ring->tail, reading.at, memory_order_release);
    return good;
}

size_t ring_used(const struct ring *ring)
{
    return (size_t)(atomic_load_explicit(&ring->head, memory_order_relaxed) -
                    atomic_load_explicit(&ring->tail, memory_order_relaxed));
}
