#include "table/read/rows_groups.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { FIRST_SLOTS = 256, CHUNK_BYTES = 1 << 14 };

/* ------------------------------------------------------------------------------------------ copies -- */

struct rows_chunk {
    struct rows_chunk *next;
    size_t used, capacity;
    char bytes[];
};

static void rows_arena_clear(struct rows_arena *arena)
{
    while (arena->chunks) {
        struct rows_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}

/* ------------------------------------------------------------------------------------------ texts -- */

static inline uint64_t rows_load_8(const char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

static inline uint64_t rows_load_4(const char *text)
{
    uint32_t word;
    memcpy(&word, text, 4);
    return word;
}

static inline uint64_t rows_mix_hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b << 31 | b >> 33)) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 32);
}

/* Length, a and b determine a text of up to 16 bytes: its ends overlap if it is shorter than two words. */
static inline struct rows_text_slot rows_text_key(const char *text, size_t length)
{
    struct rows_text_slot key = {.length = (uint32_t)length};
    if (length > 16) {
        uint64_t hash = length;
        for (size_t i = 0; i + 8 <= length; i += 8)
            hash = rows_mix_hash(hash + 1, rows_load_8(text + i));
        key.a = rows_mix_hash(hash, rows_load_8(text + length - 8));
        key.b = rows_load_8(text);
    } else if (length >= 8) {
        key.a = rows_load_8(text);
        key.b = rows_load_8(text + length - 8);
    } else if (length >= 4) {
        key.a = rows_load_4(text) << 32 | rows_load_4(text + length - 4);
    } else if (length > 0) {
        key.a = (uint64_t)(unsigned char)text[0] << 16 | (uint64_t)(unsigned char)text[length / 2] << 8 |
                (unsigned char)text[length - 1];
    }
    return key;
}

static inline uint64_t rows_text_hash(const struct rows_text_slot *key)
{
    return rows_mix_hash(key->a + key->length, key->b);
}

static bool rows_texts_grow_slots(struct rows_texts *texts)
{
    size_t capacity = texts->capacity ? 2 * texts->capacity : FIRST_SLOTS;
    struct rows_text_slot *slots = calloc(capacity, sizeof *slots);
    assert((texts->capacity & (texts->capacity - 1)) == 0);
    if (!slots)
        return false;
    for (size_t i = 0; i < texts->capacity; i++) {
        if (!texts->slots[i].id)
            continue;
        size_t at = rows_text_hash(&texts->slots[i]) & (capacity - 1);
        while (slots[at].id)
            at = (at + 1) & (capacity - 1);
        slots[at] = texts->slots[i];
    }
    free(texts->slots);
    texts->slots = slots;
    texts->capacity = capacity;
    return true;
}

static uint32_t rows_texts_add(struct rows_texts *texts, struct rows_arena *arena, struct rows_text_slot key,
                               const char *text)
{
    if (memchr(text, '\0', key.length))
        return ROWS_GROUP_NUL;
    if (texts->count + 1 > texts->capacity / 2 && !rows_texts_grow_slots(texts))
        return ROWS_GROUP_FULL;
    const char **grown = grow_unset(texts->texts, &texts->text_capacity, texts->count, sizeof *grown);
    if (!grown)
        return ROWS_GROUP_FULL;
    texts->texts = grown;
    size_t length = key.length;
    struct rows_chunk *chunk = arena->chunks;
    if (!chunk || chunk->capacity - chunk->used <= length) {
        size_t capacity = length < CHUNK_BYTES ? CHUNK_BYTES : length + 1;
        chunk = malloc(sizeof *chunk + capacity);
        if (!chunk)
            return ROWS_GROUP_FULL;
        *chunk = (struct rows_chunk){arena->chunks, 0, capacity};
        arena->chunks = chunk;
    }
    char *copy = chunk->bytes + chunk->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    chunk->used += length + 1;
    size_t at = rows_text_hash(&key) & (texts->capacity - 1);
    while (texts->slots[at].id)
        at = (at + 1) & (texts->capacity - 1);
    texts->texts[texts->count++] = copy;
    key.id = texts->count;
    texts->slots[at] = key;
    return key.id - 1;
}

static inline uint32_t rows_texts_find(struct rows_texts *texts, struct rows_arena *arena, struct rows_cell cell)
{
    struct rows_text_slot key = rows_text_key(cell.text, cell.length);
    size_t at = rows_text_hash(&key) & (texts->capacity - 1);
    for (; texts->slots[at].id; at = (at + 1) & (texts->capacity - 1)) {
        const struct rows_text_slot *slot = &texts->slots[at];
        if (slot->a == key.a && slot->b == key.b && slot->length == key.length &&
            (key.length <= 16 || memcmp(texts->texts[slot->id - 1], cell.text, cell.length) == 0))
            return slot->id - 1;
    }
    return rows_texts_add(texts, arena, key, cell.text);
}

/* ------------------------------------------------------------------------------------------ groups -- */

int rows_groups_init(struct rows_groups *groups, size_t column_count)
{
    groups->column_count = column_count;
    groups->columns = calloc(column_count + 1, sizeof *groups->columns);
    groups->ids = calloc(column_count + 1, sizeof *groups->ids);
    groups->capacity = FIRST_SLOTS;
    groups->slots = calloc(groups->capacity, sizeof *groups->slots);
    if (!groups->columns || !groups->ids || !groups->slots)
        return -1;
    for (size_t i = 0; i < column_count; i++)
        if (!rows_texts_grow_slots(&groups->columns[i]))
            return -1;
    return 0;
}

void rows_groups_free(struct rows_groups *groups)
{
    for (size_t i = 0; groups->columns && i < groups->column_count; i++) {
        free(groups->columns[i].slots);
        free(groups->columns[i].texts);
    }
    rows_arena_clear(&groups->arena);
    free(groups->columns);
    free(groups->ids);
    free(groups->slots);
    free(groups->group_ids);
    free(groups->texts);
    *groups = (struct rows_groups){0};
}

void rows_groups_clear(struct rows_groups *groups)
{
    for (size_t i = 0; i < groups->column_count; i++) {
        memset(groups->columns[i].slots, 0, groups->columns[i].capacity * sizeof *groups->columns[i].slots);
        groups->columns[i].count = 0;
    }
    memset(groups->slots, 0, groups->capacity * sizeof *groups->slots);
    groups->count = 0;
    rows_arena_clear(&groups->arena);
}

static inline uint64_t rows_group_hash(const struct rows_groups *groups, const uint32_t *ids)
{
    uint64_t hash = 0;
    for (size_t c = 0; c < groups->column_count; c++)
        hash = rows_mix_hash(hash, ids[c] + UINT64_C(1));
    return hash;
}

/* A group with the ids of the current row. */
static uint32_t rows_groups_add(struct rows_groups *groups)
{
    size_t columns = groups->column_count;
    if (groups->count == groups->group_capacity) {
        size_t capacity = groups->group_capacity ? 2 * (size_t)groups->group_capacity : 64;
        uint32_t *ids = realloc(groups->group_ids, capacity * columns * sizeof *ids);
        if (ids)
            groups->group_ids = ids;
        const char **texts = realloc(groups->texts, capacity * columns * sizeof *texts);
        if (texts)
            groups->texts = texts;
        if (ids && texts)
            groups->group_capacity = (uint32_t)capacity;
        if (!ids || !texts)
            return ROWS_GROUP_FULL;
    }
    for (size_t c = 0; c < columns; c++) {
        groups->group_ids[groups->count * columns + c] = groups->ids[c];
        groups->texts[groups->count * columns + c] = groups->columns[c].texts[groups->ids[c]];
    }
    return groups->count++;
}

static uint32_t rows_groups_find_several(struct rows_groups *groups)
{
    size_t columns = groups->column_count;
    assert((groups->capacity & (groups->capacity - 1)) == 0);
    if (groups->count + 1 > groups->capacity / 2) {
        size_t capacity = 2 * groups->capacity;
        uint32_t *slots = calloc(capacity, sizeof *slots);
        if (!slots)
            return ROWS_GROUP_FULL;
        for (uint32_t g = 0; g < groups->count; g++) {
            size_t at = rows_group_hash(groups, groups->group_ids + g * groups->column_count) & (capacity - 1);
            while (slots[at])
                at = (at + 1) & (capacity - 1);
            slots[at] = g + 1;
        }
        free(groups->slots);
        groups->slots = slots;
        groups->capacity = capacity;
    }
    size_t at = rows_group_hash(groups, groups->ids) & (groups->capacity - 1);
    for (; groups->slots[at]; at = (at + 1) & (groups->capacity - 1)) {
        uint32_t group = groups->slots[at] - 1;
        if (memcmp(groups->group_ids + group * columns, groups->ids, columns * sizeof *groups->ids) == 0)
            return group;
    }
    uint32_t group = rows_groups_add(groups);
    if (group != ROWS_GROUP_FULL)
        groups->slots[at] = group + 1;
    return group;
}

uint32_t rows_groups_find(struct rows_groups *groups, const struct rows_cell *cells)
{
    for (size_t c = 0; c < groups->column_count; c++) {
        groups->ids[c] = rows_texts_find(&groups->columns[c], &groups->arena, cells[c]);
        if (groups->ids[c] >= ROWS_GROUP_NUL)
            return groups->ids[c];
    }
    if (groups->column_count != 1)
        return groups->column_count ? rows_groups_find_several(groups) : 0;
    if (groups->ids[0] == groups->count)
        return rows_groups_add(groups);
    return groups->ids[0];
}
