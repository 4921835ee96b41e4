#include "analyze/strides/memory.h"

#include <stdlib.h>

enum { SET_BITS = 18, WAYS = 4 };

struct memory_word {
    uint64_t address, value;
    uint32_t part;  /* the latest in which it was announced */
    uint32_t bytes; /* of the value; 0: it is unknown */
};

struct memory {
    struct memory_word sets[1 << SET_BITS][WAYS]; /* in each the most recently used first */
};

struct memory *memory_new(void)
{
    return calloc(1, sizeof(struct memory));
}

void memory_free(struct memory *memory)
{
    free(memory);
}

static struct memory_word *memory_set(struct memory *memory, uint64_t address)
{
    return memory->sets[(address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SET_BITS)];
}

/* Moves a word of a set to its front. */
static void memory_move_to_front(struct memory_word *set, unsigned way)
{
    struct memory_word word = set[way];
    for (; way > 0; way--)
        set[way] = set[way - 1];
    set[0] = word;
}

/* The word of this address, which then is at the front of its set; NULL: nothing is known of it. */
static struct memory_word *memory_find(struct memory *memory, uint64_t address)
{
    struct memory_word *set = memory_set(memory, address);
    for (unsigned way = 0; way < WAYS; way++)
        if (set[way].address == address) {
            memory_move_to_front(set, way);
            return set;
        }
    return NULL;
}

/* The same, or one that takes the place of the least recently used word, of part 0. */
static struct memory_word *memory_find_or_replace(struct memory *memory, uint64_t address)
{
    struct memory_word *word = memory_find(memory, address), *set = memory_set(memory, address);
    if (word)
        return word;
    memory_move_to_front(set, WAYS - 1);
    set[0] = (struct memory_word){.address = address};
    return set;
}

void memory_load(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes)
{
    struct memory_word *word = memory_find_or_replace(memory, address);
    word->value = value;
    word->bytes = bytes;
}

void memory_store(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes)
{
    struct memory_word *word = memory_find(memory, address);
    if (!word)
        return;
    word->bytes = bytes == word->bytes ? bytes : 0;
    word->value = value;
}

void memory_announce_load(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes, uint32_t part)
{
    struct memory_word *word = memory_find_or_replace(memory, address);
    if (word->part != part)
        *word = (struct memory_word){address, value, part, bytes};
}

void memory_announce_store(struct memory *memory, uint64_t address, uint32_t part)
{
    struct memory_word *word = memory_find(memory, address);
    if (word)
        word->part = part;
}

bool memory_read(struct memory *memory, uint64_t address, uint64_t *value)
{
    const struct memory_word *word = memory_find(memory, address);
    *value = word ? word->value : 0;
    return word && word->bytes > 0;
}
