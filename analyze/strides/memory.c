#include "analyze/strides/memory.h"

#include <stdlib.h>

enum { WORD_BITS = 20 };

struct memory_word {
    uint64_t address, value;
    uint32_t part;  /* the latest in which it was announced */
    uint32_t bytes; /* of the value; 0: it is unknown */
};

struct memory {
    struct memory_word words[1 << WORD_BITS];
};

struct memory *memory_new(void)
{
    return calloc(1, sizeof(struct memory));
}

void memory_free(struct memory *memory)
{
    free(memory);
}

static size_t place_of(uint64_t address)
{
    return (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - WORD_BITS));
}

void memory_load(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes)
{
    struct memory_word *word = &memory->words[place_of(address)];
    *word = (struct memory_word){address, value, word->address == address ? word->part : 0, bytes};
}

void memory_store(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes)
{
    struct memory_word *word = &memory->words[place_of(address)];
    if (word->address != address)
        return;
    word->bytes = bytes == word->bytes ? bytes : 0;
    word->value = value;
}

void memory_announce_load(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes, uint32_t part)
{
    struct memory_word *word = &memory->words[place_of(address)];
    if (word->address != address || word->part != part)
        *word = (struct memory_word){address, value, part, bytes};
}

void memory_announce_store(struct memory *memory, uint64_t address, uint32_t part)
{
    struct memory_word *word = &memory->words[place_of(address)];
    if (word->address == address)
        word->part = part;
}

bool memory_get(const struct memory *memory, uint64_t address, uint64_t *value)
{
    const struct memory_word *word = &memory->words[place_of(address)];
    *value = word->value;
    return word->address == address && word->bytes > 0;
}
