/*
 * memory.h - what an experiment's description, plan and results consist of: memory that is freed as a whole.
 *
 * It is glibc's obstack, which ends the program with a message when there is no memory.
 */
#ifndef ASSAY_EXPERIMENT_MEMORY_H
#define ASSAY_EXPERIMENT_MEMORY_H

#include <limits.h>
#include <obstack.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

/* `count` items of `size` bytes, filled with zeros. */
static inline void *memory_allocate(struct obstack *memory, size_t count, size_t size)
{
    if (size && count > INT_MAX / size)
        obstack_alloc_failed_handler();
    void *items = obstack_alloc(memory, (int)(count * size));
    memset(items, 0, count * size);
    return items;
}

/* A list of *capacity items of `size` bytes that has one more than `count`: the same, or a copy of twice the capacity.
 */
static inline void *memory_lengthen(struct obstack *memory, void *list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return list;
    size_t held = *capacity;
    *capacity = held ? 2 * held : 16;
    void *longer = memory_allocate(memory, *capacity, size);
    if (held)
        memcpy(longer, list, held * size);
    return longer;
}

/* Appends to the text that is growing; memory_finish() ends it. */
static inline void memory_grow(struct obstack *memory, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        obstack_1grow(memory, text[i]);
}

static inline char *memory_finish(struct obstack *memory)
{
    obstack_1grow(memory, '\0');
    return obstack_finish(memory);
}

static inline char *memory_copy(struct obstack *memory, const void *text, size_t length)
{
    memory_grow(memory, text, length);
    return memory_finish(memory);
}

/* A formatted text. */
char *memory_print(struct obstack *memory, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
