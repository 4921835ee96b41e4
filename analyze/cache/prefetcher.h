/*
 * prefetcher.h - what a prefetcher of the hardware asks for when accesses miss the first level.
 *
 * Next line: the block after the one that missed. Stream: eight streams, one in a page, each in one direction; two
 * misses that follow each other within 256 bytes begin it, and from then on it stays 256 bytes ahead. Neither leaves
 * the page. Sources: A. J. Smith, "Cache Memories", ACM Computing Surveys 14 (3), 1982; Intel, "IA-32 Intel
 * Architecture Optimization Reference Manual" (248966), chapter 6, which describes the one of the Pentium 4.
 */
#ifndef ASSAY_CACHE_PREFETCHER_H
#define ASSAY_CACHE_PREFETCHER_H

#include <stdint.h>

#include "analyze/cache/machine.h"

enum { PREFETCHER_STREAMS = 8, PREFETCHER_AHEAD = 256, PREFETCHER_LINES_MAX = PREFETCHER_AHEAD / 16 };

struct prefetcher_stream {
    uint64_t page, last, used; /* last: the block that missed last; used: 0: the stream is free */
    int direction;             /* 0: there was only one miss */
};

struct prefetcher {
    enum cache_prefetcher kind;
    unsigned line, page; /* bytes */
    uint64_t time;       /* misses so far */
    struct prefetcher_stream streams[PREFETCHER_STREAMS];
};

void prefetcher_init(struct prefetcher *prefetcher, enum cache_prefetcher kind, unsigned line, unsigned page);

/* An access to this address has missed. Returns how many lines are asked for, in this order. O(streams). */
unsigned prefetcher_miss(struct prefetcher *prefetcher, uint64_t address, uint64_t lines[PREFETCHER_LINES_MAX]);

#endif
