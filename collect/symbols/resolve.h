/*
 * resolve.h - adds symbols to a raw native trace: frames that are only addresses in a module become functions, files
 * and lines, and inlined functions get contexts of their own.
 */
#ifndef ASSAY_SYMBOLS_RESOLVE_H
#define ASSAY_SYMBOLS_RESOLVE_H

#include "trace/trace.h"

struct cache; /* see cache.h */

struct resolve_report {
    uint64_t frames;                             /* locations in modules */
    uint64_t named;                              /* of those, the ones whose function is now known */
    uint64_t with_line;                          /* of those, the ones with a source line */
    uint64_t inlined;                            /* frames added for functions that others were inlined into */
    uint64_t modules;                            /* that frames lie in */
    uint64_t modules_missing;                    /* whose file does not exist or is not an ELF file */
    uint64_t modules_changed;                    /* whose file has a different build id from the one that ran */
    char first_missing[256], first_changed[256]; /* paths; "" if there is none */
};

enum resolve_status {
    RESOLVE_DONE,
    RESOLVE_NOTHING, /* no native frames in it (a Java trace), or resolved before: the file is unchanged */
    RESOLVE_FAILED,  /* the message says why; the file is unchanged */
};

/*
 * Rewrites the trace in place: DIRECTORY/.NAME.tmp is written and renamed over it, so that a reader sees either the old
 * or the new file. Damaged or unfinished parts of the trace stay as they are. Frames of missing or changed modules keep
 * their "[module]". Memory grows with the number of distinct contexts, not with the length of the trace. The network is
 * not used for debug information. Sets the metadata `resolved` (true) and `resolution` (the numbers of the report).
 * `cache` (NULL: none) saves work if several traces are of the same programs.
 */
enum resolve_status resolve_trace(const char *path, struct cache *cache, struct resolve_report *report,
                                  struct error_text *message);

/* The same for an open trace (which still shows the old file) and its names; the keys of `more` (borrowed;
 * NULL: none) go into the metadata, too, if the trace is rewritten. */
enum resolve_status resolve_opened(const struct trace *trace, const struct trace_names *names, struct cache *cache,
                                   const json_t *more, struct resolve_report *report, struct error_text *message);

#endif
