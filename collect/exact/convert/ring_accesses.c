#include "collect/exact/convert/ring_accesses.h"

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
    *accesses = (struct ring_accesses){0};
}

/* Makes room for entry `index`. */
static int reserve(void *array, size_t *capacity, size_t index, size_t size)
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

static bool same_site(const void *user, uint32_t id)
{
    const struct wanted_site *wanted = user;
    const struct ring_accesses_site *a = &wanted->accesses->known[id], *b = wanted->site;
    return a->site.context == b->site.context && a->site.thread == b->site.thread && a->site.bytes == b->site.bytes &&
           a->site.access == b->site.access && a->number == b->number;
}

static int site_id(struct ring_accesses *accesses, const struct ring_accesses_site *site, uint32_t *id)
{
    const struct wanted_site wanted = {accesses, site};
    uint64_t key = hash_mix(hash_mix(site->site.context, site->site.thread),
                            (uint64_t)site->site.bytes << 32 | site->number << 1 | site->site.access);
    *id = hash_find(&accesses->site_set, key, same_site, &wanted);
    if (*id)
        return 0;
    int error =
        reserve(&accesses->known, &accesses->known_capacity, accesses->known_count + 1, sizeof *accesses->known);
    if (!error)
        error = trace_sink_site(accesses->sink, &site->site, id);
    if (!error)
        error = hash_add(&accesses->site_set, key, *id);
    if (error)
        return error;
    accesses->known[*id] = *site;
    accesses->known_count = *id;
    return 0;
}

/* ---------------------------------------------------------------------------- paths -- */

static uint32_t block_of(uint64_t word)
{
    return (uint32_t)(word >> RAW_MARK_BLOCK_SHIFT) & (RAW_BLOCKS_MAX - 1);
}

static int add_sites(struct ring_accesses *accesses, const struct definition_block *block, uint32_t node,
                     uint32_t stream)
{
    int error =
        reserve(&accesses->sites, &accesses->site_capacity, accesses->site_count + block->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < block->count && !error; i++) {
        const struct definition_slot *slot = &block->slots[i];
        struct ring_accesses_site site = {
            .site = {.thread = stream, .bytes = slot->raw.bytes, .access = slot->raw.access},
            .number = slot->raw.number};
        error = contexts_of_instruction(accesses->contexts, node, slot->place, &site.site.context);
        if (!error)
            error = site_id(accesses, &site, &accesses->sites[accesses->site_count + i]);
    }
    if (!error)
        accesses->site_count += block->count;
    return error;
}

struct wanted_path {
    const struct ring_accesses *accesses;
    uint64_t word;
};

static bool same_path(const void *user, uint32_t id)
{
    const struct wanted_path *wanted = user;
    return wanted->accesses->paths[id].word == wanted->word;
}

/* ENODATA: the block or the node is undefined. */
static int new_path(struct ring_accesses *accesses, uint64_t word, uint32_t *id)
{
    const struct definitions *definitions = accesses->contexts->definitions;
    const struct definition_block *block = definitions_block(definitions, block_of(word));
    const struct definition_node *node = definitions_node(definitions, (uint32_t)word);
    const struct definition_thread *thread = node ? definitions_thread(definitions, node->thread) : NULL;
    if (!block || !thread)
        return ENODATA;
    uint32_t first = accesses->site_count;
    int error = reserve(&accesses->paths, &accesses->path_capacity, accesses->path_count + 1, sizeof *accesses->paths);
    if (!error)
        error = add_sites(accesses, block, (uint32_t)word, thread->stream);
    if (!error)
        error = hash_add(&accesses->path_set, hash_mix(word, 0), accesses->path_count + 1);
    if (error)
        return error;
    *id = ++accesses->path_count;
    accesses->paths[*id] = (struct ring_accesses_path){.word = word, .first_site = first, .block = block_of(word)};
    return 0;
}

/* The path of a mark, probably the one that followed the previous one the last time. */
static int path_of(struct ring_accesses *accesses, uint64_t word, uint32_t last, uint32_t *id)
{
    if (last && accesses->paths[last].next && accesses->paths[last].next_word == word) {
        *id = accesses->paths[last].next;
        return 0;
    }
    *id = hash_find(&accesses->path_set, hash_mix(word, 0), same_path, &(struct wanted_path){accesses, word});
    int error = *id ? 0 : new_path(accesses, word, id);
    if (!error && last) {
        accesses->paths[last].next_word = word;
        accesses->paths[last].next = *id;
    }
    return error;
}

/* ---------------------------------------------------------------------------- rows -- */

int ring_accesses_flush(struct ring_accesses *accesses, uint64_t now_ns)
{
    if (accesses->rows == 0)
        return 0;
    struct chunk_columns columns = {.kind = TRACE_ACCESS,
                                    .count = accesses->rows,
                                    .column_count = accesses->values ? ACCESS_VALUE_3 + 1 : ACCESS_VALUE};
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
        columns.integers[c] = accesses->columns[c];
    accesses->rows = 0;
    return trace_sink_accesses(accesses->sink, &columns, now_ns);
}

static int allocate(struct ring_accesses *accesses)
{
    for (size_t c = 0; c <= (accesses->values ? ACCESS_VALUE_3 : ACCESS_ADDRESS); c++)
        if (!accesses->columns[c] && !(accesses->columns[c] = calloc(CHUNK_ROWS, sizeof(uint64_t))))
            return ENOMEM;
    return 0;
}

static void put_values(struct ring_accesses *accesses, const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < RAW_VALUE_WORDS; i++)
        accesses->columns[ACCESS_VALUE + i][accesses->rows] = i < count ? words[i] : 0;
}

/* ---------------------------------------------------------------------------- words -- */

static uint64_t kind_of(uint64_t word)
{
    return word >> RAW_MARK_SHIFT;
}

/* The read position, and the end. */
struct reading {
    const uint64_t *at, *end;
    bool whole;
    uint64_t now_ns;
};

static int put_access(struct ring_accesses *accesses, const struct reading *reading, uint32_t site,
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
    if (accesses->values)
        put_values(accesses, reading->at + 1, slot->raw.words);
    accesses->rows++;
    accesses->count++;
    return 0;
}

/* One execution, after its mark. A zero, where the process was killed, ends it. */
static int take_block(struct ring_accesses *accesses, struct reading *reading, const struct ring_accesses_path *path)
{
    const struct definition_block *block = definitions_block(accesses->contexts->definitions, path->block);
    uint64_t done = block->instructions;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct definition_slot *slot = &block->slots[i];
        if (reading->end - reading->at < 1 + slot->raw.words)
            return EILSEQ;
        if (kind_of(*reading->at) == RAW_MARK_EXIT)
            break;
        if (*reading->at == 0 && !reading->whole) {
            done = i ? block->slots[i - 1].raw.instructions : 0;
            break;
        }
        if (kind_of(*reading->at) == RAW_MARK_BLOCK || kind_of(*reading->at) == RAW_MARK_END)
            return EILSEQ;
        if (kind_of(*reading->at) != RAW_MARK_ABSENT) {
            int error = put_access(accesses, reading, accesses->sites[path->first_site + i], slot);
            if (error)
                return error;
        }
        reading->at += 1 + slot->raw.words;
    }
    if (reading->at < reading->end && kind_of(*reading->at) == RAW_MARK_EXIT)
        done = (uint32_t)*reading->at++;
    accesses->instructions += done;
    return 0;
}

int ring_accesses_take(struct ring_accesses *accesses, const uint64_t *words, size_t count, bool whole, uint64_t now_ns)
{
    struct reading reading = {words, words + count, whole, now_ns};
    uint32_t path = 0, before = 0;
    int error = allocate(accesses);
    for (; !error && reading.at < reading.end && kind_of(*reading.at) == RAW_MARK_BLOCK; before = path) {
        error = path_of(accesses, *reading.at, before, &path);
        reading.at++;
        if (!error)
            error = take_block(accesses, &reading, &accesses->paths[path]);
    }
    if (error)
        return error;
    return reading.at == reading.end || *reading.at == 0 || kind_of(*reading.at) == RAW_MARK_END ? 0 : EILSEQ;
}
