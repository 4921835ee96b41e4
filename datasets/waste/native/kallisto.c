/*
 * Lookups in Kallisto 0.43, KmerHashTable.h, line 131 (dissertation, Table 3.2): a poor hash sends many keys of a table
 * with open addressing to the same slots, which are compared over and over. After: the bits of the key are mixed.
 */
#include "case.h"

enum { SLOTS = 1 << 14, KEYS = 6000 };

static uint64_t table[SLOTS], keys[KEYS];

/* Some of the bits of the key, which leave out three quarters of the table. */
static size_t kallisto_hash_bits(uint64_t key)
{
    return (size_t)(key >> 4) & (SLOTS / 4 - 1);
}

static size_t kallisto_hash_mixed(uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key >> 32) & (SLOTS - 1);
}

/* The slot of the key, or the free one where it belongs. */
CASE_NAMED static size_t kallisto_find(size_t slot, uint64_t key)
{
    while (table[slot] != 0 && table[slot] != key) /* @blamed */
        slot = (slot + 1) & (SLOTS - 1);           /* @blamed */
    return slot;
}

static double kallisto_run(size_t steps, size_t (*hash)(uint64_t))
{
    uint64_t seed = 7;
    double found = 0;
    for (int i = 0; i < KEYS; i++) {
        keys[i] = (uint64_t)case_random(&seed) << 16 | case_random(&seed) << 2 | 1;
        table[kallisto_find(hash(keys[i]), keys[i])] = keys[i];
    }
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < KEYS; i++) {
            uint64_t key = keys[i] + (step + (size_t)i) % 2 * 2; /* every other key is not in the table */
            found += table[kallisto_find(hash(key), key)] == key;
        }
    return found;
}

static double kallisto_before(size_t steps)
{
    return kallisto_run(steps, kallisto_hash_bits);
}

static double kallisto_after(size_t steps)
{
    return kallisto_run(steps, kallisto_hash_mixed);
}

const struct waste_case waste_case = {kallisto_before, kallisto_after};
