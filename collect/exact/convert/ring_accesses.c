#include "collect/exact/convert/ring_accesses.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

enum { CHUNK_ROWS = 1 << 19 };

void ring_accesses_free(struct ring_accesses *accesses)
{
    hash_free(&accesses->path_set);
    hash_free(&accesses->site_set);
    free(accesses->paths);
    free(accesses->known);
    free(accesses->sites);
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
        free(accesses->columns[c]);
    for (size_t c = 0; c <= ITERATION_COUNT; c++)
        free(accesses->iterations[c]);
    for (size_t c = 0; c <= FETCH_COUNT; c++)
        free(accesses->fetched[c]);
    ring_loops_free(&accesses->loops);
    *accesses = (struct ring_accesses){0};
}

/* Makes capacity for entry `index`. */
static int ring_accesses_reserve(void *array, size_t *capacity, size_t index, size_t size)
{
    void **entries = array, *grown = grow_unset(*entries, capacity, index, size);
    if (!grown)
        return ENOMEM;
    *entries = grown;
    return 0;
}

/* ---------------------------------------------------------------------------- sites -- */

struct wanted_site {
    const struct ring_accesses *accesses;
    const struct ring_accesses_site *site;
};

static bool ring_accesses_is_site(const void *user, uint32_t id)
{
    const struct wanted_site *wanted = user;
    const struct ring_accesses_site *a = &wanted->accesses->known[id], *b = wanted->site;
    return a->site.context == b->site.context && a->site.thread == b->site.thread && a->site.bytes == b->site.bytes &&
           a->site.access == b->site.access && a->site.loop == b->site.loop && a->number == b->number;
}

static int ring_accesses_site_id(struct ring_accesses *accesses, const struct ring_accesses_site *site, uint32_t *id)
{
    const struct wanted_site wanted = {accesses, site};
    uint64_t key = hash_mix(hash_mix(site->site.context, (uint64_t)site->site.loop << 32 | site->site.thread),
                            (uint64_t)site->site.bytes << 32 | site->number << 1 | site->site.access);
    *id = hash_find(&accesses->site_set, key, ring_accesses_is_site, &wanted);
    if (*id)
        return 0;
    int error = ring_accesses_reserve(&accesses->known, &accesses->known_capacity, accesses->known_count + 1,
                                      sizeof *accesses->known);
    if (!error)
        error = trace_sink_site(accesses->sink, &site->site, id);
    if (!error)
        error = hash_add(&accesses->site_set, key, *id);
    if (error)
        return error;
    assert(*id == accesses->known_count + 1); /* nobody else defines sites */
    accesses->known[*id] = *site;
    accesses->known_count = *id;
    return 0;
}

/* ---------------------------------------------------------------------------- paths -- */

static uint32_t ring_mark_block(uint64_t word)
{
    return (uint32_t)(word >> RAW_MARK_BLOCK_SHIFT) & (RAW_BLOCKS_MAX - 1);
}

struct wanted_path {
    const struct ring_accesses *accesses;
    uint64_t word;
};

static bool ring_accesses_is_path(const void *user, uint32_t id)
{
    const struct wanted_path *wanted = user;
    return wanted->accesses->paths[id].word == wanted->word;
}

/* ENODATA: the block or the node is undefined. */
static int ring_accesses_new_path(struct ring_accesses *accesses, uint64_t word, uint32_t *id)
{
    const struct definitions *definitions = accesses->contexts->definitions;
    const struct definition_block *block = definitions_block(definitions, ring_mark_block(word));
    const struct definition_node *node = definitions_node(definitions, (uint32_t)word);
    const struct definition_thread *thread = node ? definitions_thread(definitions, node->thread) : NULL;
    if (!block || !thread)
        return ENODATA;
    uint32_t first = accesses->site_count;
    int error = ring_accesses_reserve(&accesses->paths, &accesses->path_capacity, accesses->path_count + 1,
                                      sizeof *accesses->paths);
    if (!error)
        error =
            ring_accesses_reserve(&accesses->sites, &accesses->site_capacity, first + block->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < block->count && !error; i++) {
        const struct definition_slot *slot = &block->slots[i];
        struct ring_accesses_site site = {
            .site = {.thread = thread->stream, .bytes = slot->raw.bytes, .access = slot->raw.access},
            .number = slot->raw.number};
        error = ring_loops_find(&accesses->loops, (uint32_t)word, slot->raw.loop, &site.site.loop);
        if (definitions_is_header(&slot->raw)) {
            accesses->sites[first + i] = site.site.loop;
            continue;
        }
        if (!error)
            error = contexts_of_instruction(accesses->contexts, (uint32_t)word, slot->location, &site.site.context);
        if (!error)
            error = ring_accesses_site_id(accesses, &site, &accesses->sites[first + i]);
    }
    if (!error) {
        accesses->site_count += block->count;
        error = hash_add(&accesses->path_set, hash_mix(word, 0), accesses->path_count + 1);
    }
    if (error)
        return error;
    *id = ++accesses->path_count;
    accesses->paths[*id] =
        (struct ring_accesses_path){.word = word, .first_site = first, .block = ring_mark_block(word)};
    return 0;
}

/* The path of a mark, probably the one that followed the previous one the last time. */
static int ring_accesses_find_path(struct ring_accesses *accesses, uint64_t word, uint32_t last, uint32_t *id)
{
    if (last && accesses->paths[last].next && accesses->paths[last].next_word == word) {
        *id = accesses->paths[last].next;
        return 0;
    }
    *id =
        hash_find(&accesses->path_set, hash_mix(word, 0), ring_accesses_is_path, &(struct wanted_path){accesses, word});
    int error = *id ? 0 : ring_accesses_new_path(accesses, word, id);
    if (!error && last) {
        accesses->paths[last].next_word = word;
        accesses->paths[last].next = *id;
    }
    return error;
}

/* ---------------------------------------------------------------------------- rows -- */

/* Writes the rows, if there are any, of `width` columns. */
static int ring_accesses_flush_rows(struct ring_accesses *accesses, unsigned kind, uint64_t *const *values,
                                    uint32_t width, uint32_t *rows, uint64_t now_ns)
{
    struct chunk_columns columns = {.kind = kind, .count = *rows, .column_count = width};
    assert(width <= TRACE_COLUMNS_MAX && *rows <= CHUNK_ROWS);
    for (size_t c = 0; c < width; c++)
        columns.integers[c] = values[c];
    *rows = 0;
    return columns.count ? trace_sink_columns(accesses->sink, &columns, now_ns) : 0;
}

/* Iterations and fetches come before the accesses that belong to them. */
int ring_accesses_flush(struct ring_accesses *accesses, uint64_t now_ns)
{
    int error = ring_accesses_flush_rows(accesses, TRACE_ITERATION, accesses->iterations, ITERATION_COUNT + 1,
                                         &accesses->iteration_rows, now_ns);
    if (!error)
        error = ring_accesses_flush_rows(accesses, TRACE_FETCH, accesses->fetched, FETCH_COUNT + 1,
                                         &accesses->fetch_rows, now_ns);
    if (!error)
        error = ring_accesses_flush_rows(accesses, TRACE_ACCESS, accesses->columns,
                                         accesses->values ? ACCESS_VALUE_3 + 1 : ACCESS_VALUE, &accesses->rows, now_ns);
    return error;
}

/* ---------------------------------------------------------------------------- words -- */

static uint64_t ring_word_kind(uint64_t word)
{
    return word >> RAW_MARK_SHIFT;
}

/* The read position, and the end. */
struct reading {
    const uint64_t *at, *end;
    bool whole;
    uint64_t now_ns;
};

static int ring_accesses_put_access(struct ring_accesses *accesses, const struct reading *reading, uint32_t site,
                                    const struct definition_slot *slot)
{
    if (accesses->rows == CHUNK_ROWS) {
        int error = ring_accesses_flush(accesses, reading->now_ns);
        if (error)
            return error;
    }
    uint32_t row = accesses->rows;
    accesses->columns[ACCESS_SITE][row] = site;
    accesses->columns[ACCESS_INSTRUCTIONS][row] = accesses->instructions + slot->raw.instructions;
    accesses->columns[ACCESS_ADDRESS][row] = *reading->at;
    for (uint32_t i = 0; accesses->values && i < RAW_VALUE_WORDS; i++)
        accesses->columns[ACCESS_VALUE + i][row] = i < slot->raw.words ? reading->at[1 + i] : 0;
    accesses->rows++;
    accesses->count++;
    return 0;
}

/* Iterations of the same loop that no access separates are one row. Loop 0 stands for a gap between bursts. */
static int ring_accesses_put_iteration(struct ring_accesses *accesses, const struct reading *reading, uint32_t loop,
                                       uint64_t count)
{
    uint64_t **columns = accesses->iterations;
    uint32_t row = accesses->iteration_rows;
    if (row > 0 && columns[ITERATION_LOOP][row - 1] == loop &&
        columns[ITERATION_ACCESSES][row - 1] == accesses->count) {
        columns[ITERATION_COUNT][row - 1] += count;
        return 0;
    }
    if (row == CHUNK_ROWS) {
        int error = ring_accesses_flush(accesses, reading->now_ns);
        if (error)
            return error;
        row = 0;
    }
    columns[ITERATION_ACCESSES][row] = accesses->count;
    columns[ITERATION_LOOP][row] = loop;
    columns[ITERATION_COUNT][row] = count;
    accesses->iteration_rows = row + 1;
    return 0;
}

/* The headers among slots from … to - 1 of which at least the first `done` instructions were executed. */
static int ring_accesses_put_headers(struct ring_accesses *accesses, const struct reading *reading,
                                     const struct ring_accesses_path *path, uint32_t from, uint32_t to, uint64_t done)
{
    const struct definition_block *block = definitions_block(accesses->contexts->definitions, path->block);
    int error = 0;
    for (uint32_t i = from; i < to && !error; i++)
        if (block->slots[i].raw.access == RAW_HEADER && block->slots[i].raw.instructions <= done)
            error = ring_accesses_put_iteration(accesses, reading, accesses->sites[path->first_site + i], 1);
    return error;
}

/* The late headers of a block of which the first `done` instructions were executed: one for each instruction. */
static int ring_accesses_put_late_headers(struct ring_accesses *accesses, const struct reading *reading,
                                          const struct ring_accesses_path *path, uint64_t done)
{
    const struct definition_block *block = definitions_block(accesses->contexts->definitions, path->block);
    uint64_t last = UINT64_MAX;
    int error = 0;
    for (uint32_t i = 0; i < block->count && !error; i++) {
        const struct raw_slot *slot = &block->slots[i].raw;
        if (slot->access != RAW_LATE_HEADER || slot->instructions > done || slot->instructions == last)
            continue;
        last = slot->instructions;
        error = ring_accesses_put_iteration(accesses, reading, accesses->sites[path->first_site + i], 1);
    }
    return error;
}

/* ---------------------------------------------------------------------------- fetches -- */

/* Makes space for all rows of an execution: their chunks are then written at the same time. */
static int ring_accesses_reserve_rows(struct ring_accesses *accesses, const struct reading *reading, uint32_t slots)
{
    if (accesses->fetch_rows < CHUNK_ROWS && accesses->rows + slots <= CHUNK_ROWS &&
        accesses->iteration_rows + slots < CHUNK_ROWS)
        return 0;
    return ring_accesses_flush(accesses, reading->now_ns);
}

static void ring_accesses_put_fetch(struct ring_accesses *accesses, uint64_t code, uint64_t count)
{
    uint32_t row = accesses->fetch_rows++;
    accesses->fetched[FETCH_CODE][row] = code;
    accesses->fetched[FETCH_INSTRUCTIONS][row] = accesses->instructions;
    accesses->fetched[FETCH_ACCESSES][row] = accesses->count;
    accesses->fetched[FETCH_COUNT][row] = count;
}

/* Begins an execution; how many instructions it fetches, ring_accesses_cut_fetch() puts in. */
static int ring_accesses_start_fetch(struct ring_accesses *accesses, const struct reading *reading,
                                     struct definition_block *block)
{
    int error = block->code ? ring_accesses_reserve_rows(accesses, reading, block->count) : EILSEQ;
    if (!error && !block->code_id)
        error = trace_sink_code(accesses->sink, block->code, block->code_count, &block->code_id);
    if (!error)
        ring_accesses_put_fetch(accesses, block->code_id, block->code_count);
    return error;
}

/* The last execution was left early, after so many instructions, of which it has fetched so many; 0: as many as they
 * are. */
static int ring_accesses_cut_fetch(struct ring_accesses *accesses, const struct definition_block *block,
                                   uint32_t fetched, uint64_t done)
{
    uint32_t count = fetched;
    while (fetched == 0 && count < block->code_count && block->code[count].instructions <= done)
        count++;
    if (count > block->code_count)
        return EILSEQ;
    accesses->fetched[FETCH_COUNT][accesses->fetch_rows - 1] = count;
    return 0;
}

/* ---------------------------------------------------------------------------- executions -- */

/* One execution, after its mark. A zero, where the process was killed, ends it. */
static int ring_accesses_read_block(struct ring_accesses *accesses, struct reading *reading,
                                    const struct ring_accesses_path *path)
{
    struct definition_block *block = definitions_block(accesses->contexts->definitions, path->block);
    uint64_t done = block->instructions;
    uint32_t next = 0, fetched = 0; /* slots before `next` were put */
    bool early = false;             /* it did not come to its end */
    int error = accesses->fetches ? ring_accesses_start_fetch(accesses, reading, block) : 0;
    for (uint32_t i = 0; i < block->count && !error; i++) {
        const struct definition_slot *slot = &block->slots[i];
        if (definitions_is_header(&slot->raw))
            continue;
        if (reading->end - reading->at < 1 + slot->raw.words)
            return EILSEQ;
        if (ring_word_kind(*reading->at) == RAW_MARK_EXIT)
            break;
        if (*reading->at == 0 && !reading->whole) {
            done = next ? block->slots[next - 1].raw.instructions : 0;
            early = true;
            break;
        }
        if (ring_word_kind(*reading->at) == RAW_MARK_BLOCK || ring_word_kind(*reading->at) == RAW_MARK_END)
            return EILSEQ;
        if (next < i)
            error = ring_accesses_put_headers(accesses, reading, path, next, i, UINT64_MAX);
        if (!error && ring_word_kind(*reading->at) != RAW_MARK_ABSENT)
            error = ring_accesses_put_access(accesses, reading, accesses->sites[path->first_site + i], slot);
        reading->at += 1 + slot->raw.words;
        next = i + 1;
    }
    if (error)
        return error;
    if (reading->at < reading->end && ring_word_kind(*reading->at) == RAW_MARK_EXIT) {
        fetched = (uint32_t)(*reading->at >> RAW_MARK_FETCHED_SHIFT) &
                  ((1U << (RAW_MARK_SHIFT - RAW_MARK_FETCHED_SHIFT)) - 1);
        done = (uint32_t)*reading->at++;
        early = true;
    }
    if (accesses->fetches && early)
        error = ring_accesses_cut_fetch(accesses, block, fetched, done);
    if (!error)
        error = ring_accesses_put_headers(accesses, reading, path, next, block->count, done);
    if (!error && block->late)
        error = ring_accesses_put_late_headers(accesses, reading, path, done);
    accesses->instructions += done;
    return error;
}

int ring_accesses_read(struct ring_accesses *accesses, const uint64_t *words, size_t count, bool whole, uint64_t now_ns)
{
    for (size_t c = 0; c <= (accesses->values ? ACCESS_VALUE_3 : ACCESS_ADDRESS); c++)
        if (!accesses->columns[c] && !(accesses->columns[c] = calloc(CHUNK_ROWS, sizeof(uint64_t))))
            return ENOMEM;
    for (size_t c = 0; c <= ITERATION_COUNT; c++)
        if (!accesses->iterations[c] && !(accesses->iterations[c] = calloc(CHUNK_ROWS, sizeof(uint64_t))))
            return ENOMEM;
    for (size_t c = 0; accesses->fetches && c <= FETCH_COUNT; c++)
        if (!accesses->fetched[c] && !(accesses->fetched[c] = calloc(CHUNK_ROWS, sizeof(uint64_t))))
            return ENOMEM;

    struct reading reading = {words, words + count, whole, now_ns};
    uint32_t path = 0, before = 0;
    int error = 0;
    for (; !error && reading.at < reading.end; before = path) {
        uint64_t mark = *reading.at;
        if (ring_word_kind(mark) == RAW_MARK_BLOCK) {
            error = ring_accesses_find_path(accesses, mark, before, &path);
            reading.at++;
            if (!error)
                error = ring_accesses_read_block(accesses, &reading, &accesses->paths[path]);
        } else if (ring_word_kind(mark) == RAW_MARK_GAP) {
            uint64_t instructions = mark & ((UINT64_C(1) << RAW_MARK_SHIFT) - 1);
            reading.at++;
            error = ring_accesses_put_iteration(accesses, &reading, 0, instructions);
            if (!error && accesses->fetches)
                error = ring_accesses_reserve_rows(accesses, &reading, 0);
            if (!error && accesses->fetches)
                ring_accesses_put_fetch(accesses, 0, instructions);
            accesses->instructions += instructions;
        } else {
            break;
        }
    }
    if (error)
        return error;
    return reading.at == reading.end || *reading.at == 0 || ring_word_kind(*reading.at) == RAW_MARK_END ? 0 : EILSEQ;
}
