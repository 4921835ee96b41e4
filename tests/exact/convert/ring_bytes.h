/*
 * ring_bytes.h - writes a ring of mode memory word by word, as the exact tool does while the ring is read, and reads
 * the trace that it becomes.
 */
#ifndef ASSAY_TESTS_RING_BYTES_H
#define ASSAY_TESTS_RING_BYTES_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/exact/convert/convert.h"
#include "tests/exact/convert/raw_bytes.h"

enum { SEGMENTS = 2, WORDS = 32, ROWS_MAX = 64 };

static char raw_path[64], ring_path[64], trace_path_[64];
static struct raw_ring *ring;

static inline void name_files(void)
{
    snprintf(raw_path, sizeof raw_path, "/tmp/assay-ring-%d.exact", (int)getpid());
    snprintf(ring_path, sizeof ring_path, "/tmp/assay-ring-%d.memory", (int)getpid());
    snprintf(trace_path_, sizeof trace_path_, "/tmp/assay-ring-%d.trace", (int)getpid());
}

static inline void delete_files(void)
{
    unlink(raw_path);
    unlink(ring_path);
    unlink(trace_path_);
}

static inline void open_ring(size_t bytes)
{
    int fd = open(ring_path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        abort();
    ring = mmap(NULL, RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED)
        abort();
    close(fd);
    *ring = (struct raw_ring){RAW_RING_MAGIC, SEGMENTS, WORDS, 0, 0, 0, 0};
}

static inline void close_ring(void)
{
    munmap(ring, RAW_RING_PAGE + SEGMENTS * WORDS * sizeof(uint64_t));
}

static inline void append(const struct raw_bytes *raw, size_t from, size_t to)
{
    int fd = open(raw_path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, raw->data + from, to - from) != (ssize_t)(to - from))
        abort();
    close(fd);
}

static inline uint64_t *segment(uint64_t number)
{
    return (uint64_t *)(void *)((char *)ring + RAW_RING_PAGE) + number % SEGMENTS * WORDS;
}

static inline uint64_t mark(uint64_t kind, uint64_t rest)
{
    return kind << RAW_MARK_SHIFT | rest;
}

static inline uint64_t run_of(uint64_t block, uint64_t node)
{
    return mark(RAW_MARK_BLOCK, block << RAW_MARK_BLOCK_SHIFT | node);
}

static inline uint64_t exit_after(uint64_t instructions, uint64_t fetched)
{
    return mark(RAW_MARK_EXIT, fetched << RAW_MARK_FETCHED_SHIFT | instructions);
}

static inline void write_words(uint64_t number, const uint64_t *words, size_t count)
{
    memcpy(segment(number), words, count * sizeof *words);
}

/* Block 1: three instructions; a load of 8 in the first, a load and a store of 4 in the second. */
static inline void define_block(struct raw_bytes *raw, uint32_t id, uint8_t words)
{
    const struct raw_slot slots[] = {{0x401100, 0, 1, 0, 8, ACCESS_LOAD, words},
                                     {0x401104, 0, 2, 0, 4, ACCESS_LOAD, words},
                                     {0x401104, 0, 2, 1, 4, ACCESS_STORE, words}};
    raw_record(raw, RAW_BLOCK, &(struct raw_block){id, 3, 3, 0}, sizeof(struct raw_block), slots, sizeof slots);
}

/*
 * Block 1 as define_block() has it, with its three instructions. Block 2: a rep instruction that stores, which the core
 * has put there three times, and one after it.
 */
static inline void define_code(struct raw_bytes *raw)
{
    const struct raw_instruction plain[] = {{0x401100, 4, 1}, {0x401104, 3, 2}, {0x401107, 2, 3}},
                                 repeated[] = {{0x401200, 2, 1}, {0x401200, 2, 1}, {0x401200, 2, 1}, {0x401202, 5, 2}};
    const struct raw_slot stores[] = {{0x401200, 0, 1, 0, 4, ACCESS_STORE, 0},
                                      {0x401200, 0, 1, 0, 4, ACCESS_STORE, 0},
                                      {0x401200, 0, 1, 0, 4, ACCESS_STORE, 0}};
    define_block(raw, 1, 0);
    raw_record(raw, RAW_CODE, &(struct raw_code){1, 3}, sizeof(struct raw_code), plain, sizeof plain);
    raw_record(raw, RAW_BLOCK, &(struct raw_block){2, 3, 2, 0}, sizeof(struct raw_block), stores, sizeof stores);
    raw_record(raw, RAW_CODE, &(struct raw_code){2, 4}, sizeof(struct raw_code), repeated, sizeof repeated);
}

static inline void begin_raw(struct raw_bytes *raw, const char *json)
{
    raw_hello(raw, 4711, 1000, json);
    raw_module(raw, 1, "/nowhere/prog", 0x400000, 0x401000, 0x402000);
    raw_thread(raw, 1, 4711);
    raw_node(raw, 1, 0, 0, RAW_ROOT);
}

/* ---------------------------------------------------------------------------- reading -- */

struct row {
    uint64_t columns[TRACE_COLUMNS_MAX];
    struct trace_site site;
    uint64_t position; /* of the instruction in its module */
    uint64_t header;   /* of the loop around it; 0: none */
};

struct iteration {
    uint64_t accesses, count, position, outer; /* positions of the loop's header and of that around it; 0: none */
};

struct read {
    struct row rows[ROWS_MAX];
    struct iteration iterations[ROWS_MAX];
    size_t count, iteration_count;
    bool finished;
};

static inline uint64_t position_of(const struct trace_names *names, uint32_t context)
{
    return (uint64_t)names->frames[trace_names_context(names, context)->frame].position;
}

static inline uint64_t header_of(const struct trace_names *names, uint64_t loop)
{
    return loop ? position_of(names, trace_names_loop(names, loop)->context) : 0;
}

static inline void read_iterations(const struct trace_batch *batch, const struct trace_names *names, struct read *read)
{
    for (size_t row = 0; row < batch->count && read->iteration_count < ROWS_MAX; row++) {
        uint64_t loop = batch->integers[ITERATION_LOOP][row];
        read->iterations[read->iteration_count++] =
            (struct iteration){batch->integers[ITERATION_ACCESSES][row], batch->integers[ITERATION_COUNT][row],
                               header_of(names, loop), header_of(names, trace_names_loop(names, loop)->outer)};
    }
}

static inline bool read_trace(struct read *read)
{
    struct trace *trace;
    struct trace_names names;
    struct trace_loss loss = {0};
    struct error_text problem;
    struct trace_batch batch = {0};
    *read = (struct read){0};
    if (trace_open(trace_path_, &trace, &problem) != 0 || trace_names_load(trace, &names, &loss) != 0)
        return false;
    bool good = loss.chunks == 0;
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        unsigned kind = trace_chunk_at(trace, i)->kind;
        if (kind != TRACE_ACCESS && kind != TRACE_ITERATION)
            continue;
        good &= trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem) == 0;
        if (kind == TRACE_ITERATION) {
            read_iterations(&batch, &names, read);
            continue;
        }
        for (size_t row = 0; row < batch.count && read->count < ROWS_MAX; row++) {
            struct row *to = &read->rows[read->count++];
            for (size_t c = 0; c <= ACCESS_VALUE_3; c++)
                to->columns[c] = batch.integers[c][row];
            to->site = *trace_names_site(&names, to->columns[ACCESS_SITE]);
            to->position = position_of(&names, to->site.context);
            to->header = header_of(&names, to->site.loop);
        }
    }
    read->finished = trace_has_index(trace);
    trace_batch_free(&batch);
    trace_names_free(&names);
    trace_close(trace);
    return good;
}

#endif
