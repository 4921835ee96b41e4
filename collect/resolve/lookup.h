/* lookup.h - from the definitions of a raw trace to those of the resolved one. */
#ifndef ASSAY_RESOLVE_LOOKUP_H
#define ASSAY_RESOLVE_LOOKUP_H

#include "collect/resolve/cache.h"
#include "collect/resolve/resolve.h"
#include "collect/resolve/tree.h"

/* Old ids to new ones; the caller's to free. 0 for what is lost. */
struct lookup_maps {
    uint32_t *contexts; /* [names->context_count] */
    uint32_t *methods;  /* [names->method_count]: that of the method's first frame */
};

/* Fills the tree from the names of a trace, and *maps. 0, or −1 without memory and *maps untouched. */
int lookup_all(const struct trace_names *names, struct cache *cache, struct tree *tree, struct lookup_maps *maps,
               struct resolve_report *report);

/* Whether there is anything to look up. */
bool lookup_is_native(const struct trace_names *names);

#endif
