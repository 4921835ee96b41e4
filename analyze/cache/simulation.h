/*
 * simulation.h - what a machine's caches and data TLB do with a sequence of accesses, fetches and prefetches.
 *
 * A set is searched for a line's tag; the replaced line is the least recently used, or the one a tree of bits points
 * at. A level neither contains what those before it have, nor the opposite: a miss fills all levels that missed, and a
 * replaced line that was stored to is written to the next level that has it, or to memory.
 *
 * The simulator knows a time in cycles, which its caller gives it (one for each instruction), and to which it adds
 * nothing itself: how long the program would wait is not claimed. A prefetched line arrives after the latency of the
 * level that had it, plus a walk if the TLB did not have the page. An access that comes before waits, and then the line
 * has arrived; it is late, and not a miss of the level that is being filled. Only prefetches occupy the registers for
 * misses, each until its line arrives; a prefetching load waits for one, a prefetch instruction is dropped. What a
 * prefetch takes from a level behind the filled one is accessed there. The hardware prefetcher watches the misses of
 * the first level by loads and stores, and fills the level behind it; it has registers of its own.
 */
#ifndef ASSAY_CACHE_SIMULATION_H
#define ASSAY_CACHE_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/cache/machine.h"

struct cache_simulation;

/* What an access met. */
struct cache_outcome {
    unsigned depth; /* 0: the first level has it; n: the first n levels missed; level_count: memory */
    bool tlb_miss;
    bool late; /* a prefetch has asked for the line, which has not arrived */
    unsigned
        wait; /* cycles until the value comes, beyond those of the first level, if nothing else is done meanwhile */
};

/* What became of prefetches. issued = useful + late + useless + resident + dropped, after cache_finish(). */
struct cache_prefetches {
    uint64_t issued;
    uint64_t useful;   /* the line was accessed after it had arrived */
    uint64_t late;     /* it was accessed before */
    uint64_t useless;  /* it was replaced before an access, or never accessed */
    uint64_t resident; /* the level that prefetches fill, or one before it, had it already, or an earlier prefetch had
                          asked for it */
    uint64_t dropped;  /* its page was not in the TLB, or no register for misses was free */
};

/* How a prefetch is made: by an instruction, or by a load, which fills the first level and the TLB. */
enum cache_prefetch_kind { CACHE_PREFETCH_INSTRUCTION, CACHE_PREFETCH_LOAD };

/* Misses, for reports. An access that crosses a border of lines misses once in a level if it misses in either. */
struct cache_counts {
    uint64_t loads, stores, fetches;
    uint64_t load_misses[CACHE_LEVELS_MAX], store_misses[CACHE_LEVELS_MAX], fetch_misses[CACHE_LEVELS_MAX];
    uint64_t load_tlb_misses, store_tlb_misses;
    uint64_t write_backs[CACHE_LEVELS_MAX]; /* of replaced lines that were stored to */
    uint64_t hardware_prefetches,
        hardware_useful; /* by the simulated hardware prefetcher, and of them accessed later */
};

/* The machine is one of cache_machine_find(), or as valid. `sources` is the number of kinds of prefetches that are
 * counted apart. NULL without memory. Memory: about 24 bytes a line, of those that are used. */
struct cache_simulation *cache_simulation_new(const struct cache_machine *machine, unsigned sources);
void cache_simulation_free(struct cache_simulation *simulation);

/* Accesses, in the order of the program. `now`: cycles, never less than before. O(levels × ways). */
struct cache_outcome cache_load(struct cache_simulation *simulation, uint64_t address, unsigned bytes, uint64_t now);
struct cache_outcome cache_store(struct cache_simulation *simulation, uint64_t address, unsigned bytes, uint64_t now);
/* A fetch of one instruction. Nothing if the machine has no first level of instructions. */
struct cache_outcome cache_fetch_instruction(struct cache_simulation *simulation, uint64_t address, unsigned bytes,
                                             uint64_t now);

/* A prefetch of the line of `address`, counted for `source` < sources. cache_counts does not count a prefetching load
 * as a load.
 */
void cache_prefetch(struct cache_simulation *simulation, uint64_t address, enum cache_prefetch_kind kind,
                    unsigned source, uint64_t now);

/* Whether the first level has this line and it has arrived: changes nothing. */
bool cache_has(const struct cache_simulation *simulation, uint64_t address, uint64_t now);

/* What is unknown between two bursts of accesses: everything is forgotten, outstanding prefetches end as useless, and
 * nothing is written back. */
void cache_clear(struct cache_simulation *simulation);
/* Lines that were prefetched and not accessed become useless. Once, at the end. */
void cache_finish(struct cache_simulation *simulation);

const struct cache_counts *cache_counts(const struct cache_simulation *simulation);
const struct cache_prefetches *cache_prefetches(const struct cache_simulation *simulation, unsigned source);

#endif
