/*
 * machine.h - what the cache simulator simulates: levels, a data TLB, prefetchers, latencies.
 */
#ifndef ASSAY_CACHE_MACHINE_H
#define ASSAY_CACHE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error_text.h"

enum { CACHE_LEVELS_MAX = 3, CACHE_MACHINE_NAME_MAX = 64 };

enum cache_replacement { CACHE_LRU, CACHE_TREE_PLRU };
enum cache_prefetcher { CACHE_PREFETCHER_NONE, CACHE_PREFETCHER_NEXT_LINE, CACHE_PREFETCHER_STREAM };

/* bytes = sets × ways × line. The limits are those of a valid machine. */
struct cache_level {
    uint64_t bytes;   /* of data (and, unless split, instructions); at most 2^32 */
    unsigned line;    /* bytes, a power of two from 16 to 4096 */
    unsigned ways;    /* of a set, at most 1024; with tree PLRU a power of two, at most 64 */
    unsigned latency; /* cycles from the access to the value, if this level has it */
    enum cache_replacement replacement;
};

struct cache_machine {
    char name[CACHE_MACHINE_NAME_MAX];           /* "pentium4"; of levels as text "custom" */
    unsigned level_count;                        /* 1 to CACHE_LEVELS_MAX */
    struct cache_level levels[CACHE_LEVELS_MAX]; /* data, the first level first */
    struct cache_level instructions;             /* the first level of instructions; bytes 0: they are not simulated */
    unsigned tlb_entries, tlb_ways;   /* of the data TLB; 0 entries: none. Ways equal to entries: fully associative */
    unsigned page;                    /* bytes, a power of two; the hardware prefetcher stays within one */
    unsigned walk;                    /* cycles that a miss of the TLB adds */
    unsigned memory;                  /* cycles from the access to the value, if no level has it */
    unsigned mshrs;                   /* misses of the first level that can be outstanding */
    bool write_allocate;              /* a store that misses loads the line */
    enum cache_prefetcher prefetcher; /* of the hardware; --hardware-prefetcher changes it */
    unsigned prefetch_level;          /* index of the level that a prefetch instruction fills, and those behind it */
    bool prefetch_needs_tlb;          /* a prefetch instruction whose page is not in the TLB is dropped */
    bool cachegrind;                  /* with cachegrind's rules: what crosses lines is one access, at most a line is
                                         accessed, every store allocates, the last level is shared */
};

/*
 * The machine of this name: "pentium4", "athlon-mp" (Inagaki et al., Table 2; what it leaves open is in machine.c, with
 * its source), "cachegrind" (its own defaults, where it can't ask the processor), "this" (the processor that runs this,
 * from /sys), or levels as in "D1=32K,8,64:L2=256K,4,64:LL=8M,16,64:TLB=64,4,4K", each with size, ways and line,
 * optionally the latency; I1 is the first level of instructions, TLB has entries, ways and page, optionally the cycles
 * of a walk. "cachegrind:" before levels takes cachegrind's rules, for D1, LL and I1. The number of sets is a power of
 * two, except for "this", whose blocks are distributed modulo another number. STATUS_GOOD, or STATUS_BAD with a
 * message that says what is wrong and lists the names; *machine is untouched then.
 */
int cache_machine_find(const char *text, struct cache_machine *machine, struct error_text *message);

/* What a level is called: "D1", "L2", "L3", with cachegrind's rules "LL". */
const char *cache_machine_level_name(const struct cache_machine *machine, unsigned level);

/* Replaces the hardware prefetcher by the one of this name ("none", "next-line", "stream"). False: there is no such
 * one. */
bool cache_machine_prefetcher(struct cache_machine *machine, const char *name);

/* Whether they simulate the same, whatever their names. */
bool cache_machine_same(const struct cache_machine *a, const struct cache_machine *b);

/* For partial states: NULL without memory; whether it is a saved machine, else *machine is untouched. */
json_t *cache_machine_save(const struct cache_machine *machine);
bool cache_machine_load(struct cache_machine *machine, const json_t *saved);

#endif
