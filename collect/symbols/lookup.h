/* lookup.h - from the definitions of a raw trace to those of the resolved one. */
#ifndef ASSAY_SYMBOLS_LOOKUP_H
#define ASSAY_SYMBOLS_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/symbols/cache.h"
#include "collect/symbols/resolve.h"
#include "trace/write/tree.h"

/* Old ids to new ones; the caller's to free. 0 for lost ones. */
struct lookup_maps {
    uint32_t *contexts; /* [names->context_count] */
    uint32_t *loops;    /* [names->context_count]: of a loop's header to the loop */
    uint32_t *entries;  /* [names->context_count]: of a function's first instruction to the function */
    uint32_t *methods;  /* [names->method_count]: that of the method's first frame */
};
void lookup_maps_free(struct lookup_maps *maps);

/* What contexts are, possibly among other uses. */
enum lookup_use {
    LOOKUP_HEADER = 1, /* the header of a loop */
    LOOKUP_ENTRY = 2   /* a function that is called; a call that was inlined at its beginning is not it */
};

/* Fills the tree from the names of a trace, and *maps. uses[names->context_count]: bits of enum lookup_use. 0, or −1
 * without memory and *maps untouched. */
int lookup_all(const struct trace_names *names, const uint8_t *uses, struct cache *cache, struct tree *tree,
               struct lookup_maps *maps, struct resolve_report *report);

/* Whether there is anything to look up. */
bool lookup_is_native(const struct trace_names *names);

#endif
