/*
 * rows_groups.h - numbers for the distinct combinations of texts in a part's group columns.
 */
#ifndef ASSAY_TABLE_READ_ROWS_GROUPS_H
#define ASSAY_TABLE_READ_ROWS_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "table/csv/split.h"

enum { ROWS_GROUP_NUL = UINT32_MAX - 1, ROWS_GROUP_FULL = UINT32_MAX };

/* A set of texts, by length and up to 16 bytes of them: longer ones are compared in full. */
struct rows_text_slot {
    uint64_t a, b; /* text of up to 16 bytes; else its hash and its first bytes */
    uint32_t length;
    uint32_t id; /* from 1; 0: free */
};

struct rows_texts {
    struct rows_text_slot *slots;
    size_t capacity; /* slots, a power of two */
    uint32_t count;
    size_t text_capacity;
    const char **texts; /* [id − 1] */
};

/* Copies of texts that don't move, freed together. */
struct rows_arena {
    struct rows_chunk *chunks; /* the first is the one in use */
};

struct rows_groups {
    size_t column_count;
    struct rows_texts *columns; /* [column_count] */
    struct rows_arena arena;
    uint32_t *ids;       /* of the current row: [column_count] */
    uint32_t *slots;     /* of groups, by their ids, from 1; if there are several columns */
    size_t capacity;     /* slots, a power of two */
    uint32_t *group_ids; /* [group·column_count + column], as texts */
    const char **texts;
    uint32_t count, group_capacity;
};

/* Start with {0}. 0, or -1 without memory; to be freed in either case. */
int rows_groups_init(struct rows_groups *groups, size_t column_count);
void rows_groups_free(struct rows_groups *groups);

/* Forgets all groups and texts, for the next part. */
void rows_groups_clear(struct rows_groups *groups);

/* The group of a row with these texts, one per column; numbered from 0 in the order of their appearance. ROWS_GROUP_NUL
 * if a text holds a NUL byte, ROWS_GROUP_FULL without memory. Expected O(lengths), about 5 ns for a short text. */
uint32_t rows_groups_find(struct rows_groups *groups, const struct rows_cell *cells);

#endif
