/*
 * simulated.h - shared by the exact tool and the probes of mode methods: the counters of a simulated processor.
 *
 * The tool (`--assay-mode=methods`) keeps one struct simulated, whose counters are those of the running thread. The
 * program's own code reads it like any other memory, after requesting its address; while `paused` is not 0 nothing is
 * counted, and the simulated caches and branch predictor are not changed. The tool keeps counters and `paused` for each
 * thread, so a thread always reads and writes its own.
 *
 * The model: each level is set-associative and replaces the least recently used line, a store allocates a line as a
 * load does, and the second level, which instructions and data share, handles the misses of the first. An access that
 * spans two lines misses a level at most once. A conditional branch is predicted by 2^14 two-bit counters, which its
 * address and the outcomes of the last 14 branches choose (gshare); an indirect jump or call by the last target of
 * those that share its entry of 512; returns are always predicted. All threads share one processor; the kernel's
 * accesses and prefetches are not included. Source: S. McFarling, "Combining Branch Predictors", DEC WRL TN-36, 1993
 * (gshare).
 */
#ifndef ASSAY_EXACT_TOOL_COUNTERS_SIMULATED_H
#define ASSAY_EXACT_TOOL_COUNTERS_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

enum simulated_counter {
    SIMULATED_INSTRUCTIONS,
    SIMULATED_L1I_MISSES,
    SIMULATED_L1D_MISSES,
    SIMULATED_L1_MISSES, /* both */
    SIMULATED_L2_MISSES,
    SIMULATED_BRANCH_MISSES,
    SIMULATED_COUNTERS
};

enum simulated_level { SIMULATED_L1I, SIMULATED_L1D, SIMULATED_L2, SIMULATED_LEVELS };

/* bytes = sets × ways × line_bytes; line_bytes is a power of two. */
struct simulated_cache {
    uint64_t bytes;
    uint32_t ways, line_bytes;
};

enum {
    SIMULATED_LINE_LEAST = 16,
    SIMULATED_LINE_MOST = 4096,
    SIMULATED_WAYS_MOST = 1024,
    SIMULATED_BYTES_MOST = 1 << 30
};

/* Whether such a cache can exist: within these limits, and with at least two sets. */
static inline bool simulated_is_possible(const struct simulated_cache *cache)
{
    uint64_t line = cache->line_bytes, way = cache->ways * line;
    return line >= SIMULATED_LINE_LEAST && line <= SIMULATED_LINE_MOST && (line & (line - 1)) == 0 && cache->ways > 0 &&
           cache->ways <= SIMULATED_WAYS_MOST && cache->bytes >= 2 * way && cache->bytes <= SIMULATED_BYTES_MOST &&
           cache->bytes % way == 0;
}

struct simulated {
    uint64_t counters[SIMULATED_COUNTERS];           /* since the thread began */
    uint64_t paused;                                 /* the program writes it */
    struct simulated_cache caches[SIMULATED_LEVELS]; /* bytes 0: there are none, and no misses */
};

/* Requests the address of the tool's struct simulated. */
#define SIMULATED_REQUEST ((uint64_t)'A' << 24 | (uint64_t)'Y' << 16)

/*
 * From the program: the tool's structure, or NULL if the program does not run under it. Outside Valgrind the
 * instructions do nothing; Valgrind takes them, with rax, as a request.
 */
static inline struct simulated *simulated_find(void)
{
    const uint64_t request[6] = {SIMULATED_REQUEST};
    uint64_t found = 0;
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
                     : "+d"(found)
                     : "a"(request)
                     : "cc", "memory");
    return (struct simulated *)found; /* NOLINT */
}

#endif
