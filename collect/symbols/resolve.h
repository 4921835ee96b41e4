/*
 * resolve.h - gives a raw native trace its symbols: frames that are only a place in a module become functions, files
 * and lines, and functions that the compiler inlined get contexts of their own.
 */
#ifndef ASSAY_SYMBOLS_RESOLVE_H
#define ASSAY_SYMBOLS_RESOLVE_H

#include "collect/trace/trace.h"

struct cache; /* see cache.h */

struct resolve_report {
    uint64_t frames;                             /* places in modules */
    uint64_t named;                              /* of those, the ones whose function is known now */
    uint64_t with_line;                          /* of those, the ones with a source line */
    uint64_t inlined;                            /* frames added for functions that others were inlined into */
    uint64_t modules;                            /* that frames lie in */
    uint64_t modules_missing;                    /* whose file is not there or is no ELF file */
    uint64_t modules_changed;                    /* whose file has another build id than the one that ran */
    char first_missing[256], first_changed[256]; /* paths; "" if there is none */
};

enum resolve_status {
    RESOLVE_DONE,
    RESOLVE_NOTHING, /* no native frames in it (a Java trace), or resolved before: the file is as it was */
    RESOLVE_FAILED,  /* problem->text says why; the file is as it was */
};

/*
 * Rewrites the trace in place: DIRECTORY/.NAME.tmp is written and renamed over it, so that a reader sees the old file
 * or the new one. What is damaged or unfinished in the trace stays so. Frames of missing or changed modules keep their
 * "[module]". Memory grows with the number of distinct contexts, not with the length of the trace. No network is asked
 * for debug information. Sets the metadata `resolved` (true) and `resolution` (the numbers of the report).
 * `cache` (NULL: none) spares work where several traces are of the same programs.
 */
enum resolve_status resolve_trace(const char *path, struct cache *cache, struct resolve_report *report,
                                  struct trace_problem *problem);

/* The same for a trace that is open (it goes on showing the old file) and its names; the keys of `more` (borrowed;
 * NULL: none) go into the metadata, too, if the trace is rewritten. */
enum resolve_status resolve_opened(const struct trace *trace, const struct trace_names *names, struct cache *cache,
                                   const json_t *more, struct resolve_report *report, struct trace_problem *problem);

#endif
