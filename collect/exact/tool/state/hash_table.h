/* hash_table.h - a hash table from two words to a number that is not 0. It only grows. */
#ifndef ASSAY_EXACT_TOOL_STATE_HASH_TABLE_H
#define ASSAY_EXACT_TOOL_STATE_HASH_TABLE_H

#include <valgrind/pub_tool_basics.h>

struct hash_table_entry {
    ULong a, b;
    UInt value; /* 0: free */
};
struct hash_table {
    const HChar *name;
    struct hash_table_entry *entries;
    ULong mask; /* entries − 1 */
    ULong count;
};

void hash_table_init(struct hash_table *table, const HChar *name);

/* The number of a key; 0: not there. O(1). */
UInt hash_table_find(const struct hash_table *table, ULong a, ULong b);

/*
 * The location of a key's number, which is 0 if the key is new: then the caller must set it to another value before the
 * next call. O(1) amortised.
 */
UInt *hash_table_at(struct hash_table *table, ULong a, ULong b);

#endif
