/* lookup.h - from the definitions of a raw trace to those of the resolved one. */
#ifndef ASSAY_RESOLVE_LOOKUP_H
#define ASSAY_RESOLVE_LOOKUP_H

#include "collect/resolve/cache.h"
#include "collect/resolve/resolve.h"
#include "collect/resolve/tree.h"

/*
 * Fills the tree from the names of a trace, and contexts[old id] with new ids (0 for the contexts whose definition is
 * lost; [names->context_count], the caller's to free). 0, or −1 without memory.
 */
int lookup_all(const struct trace_names *names, struct cache *cache, struct tree *tree, uint32_t **contexts,
               struct resolve_report *report);

/* Whether there is anything to look up. */
bool lookup_is_native(const struct trace_names *names);

#endif
