/*
 * reference.h - the state of a simulation, and what one request does to the levels, the TLB and the hardware
 * prefetcher.
 */
#ifndef ASSAY_CACHE_REFERENCE_H
#define ASSAY_CACHE_REFERENCE_H

#include "analyze/cache/array.h"
#include "analyze/cache/prefetcher.h"
#include "analyze/cache/simulation.h"

#define REFERENCE_NO_PAGE UINT64_MAX
enum { MARK_HARDWARE = 1, MARK_SOURCES = 2 }; /* marks of lines: that of source n is MARK_SOURCES + n */

/* One kind of prefetches. */
struct source {
    struct cache_prefetches counts;
    uint64_t outstanding; /* lines that have its mark */
};

struct cache_simulation {
    struct cache_machine machine;
    struct cache_array data[CACHE_LEVELS_MAX], instructions, tlb;
    struct cache_array *path[2][CACHE_LEVELS_MAX]; /* [whether it is a fetch]: the levels in the order of the search */
    uint64_t recent_page;                          /* the most recently used one of the TLB, or REFERENCE_NO_PAGE */
    unsigned bytes_max;                            /* of an access */
    uint64_t *mshrs;                               /* [machine.mshrs]: when the line of each arrives */
    struct prefetcher prefetcher;
    struct source *sources;
    unsigned source_count;
    struct cache_counts counts;
};

/* What is searched for in the levels. */
struct request {
    uint64_t address;
    unsigned bytes;
    bool write, fetch;
    uint64_t now;
    uint64_t arrival; /* of the last line that was in flight; 0: none was */
};

/*
 * Searches the levels from `level` on; returns the first that has all of the request, or level_count. Those before it
 * get what they miss, except by a store that does not allocate. A level asks the next one for its whole line; with
 * cachegrind's rules it passes the access on. The request is changed.
 */
unsigned reference_levels(struct cache_simulation *simulation, struct request *request, unsigned level);

/* Puts a block that this level does not have into it. The line is valid until the next call. */
struct cache_line *reference_fill(struct cache_simulation *simulation, struct cache_array *array, unsigned level,
                                  uint64_t block);

/* Whether the TLB, if there is one, misses a page; then it gets it. */
bool reference_tlb(struct cache_simulation *simulation, uint64_t address, unsigned bytes);

/* Cycles until a value comes from this level, or from memory. */
unsigned reference_latency(const struct cache_machine *machine, unsigned level);

/* The level that the hardware prefetcher fills. */
unsigned reference_hardware_level(const struct cache_machine *machine);

/* An access to this address has missed the first level: the hardware prefetcher may act. */
void reference_missed(struct cache_simulation *simulation, uint64_t address, uint64_t now);

#endif
