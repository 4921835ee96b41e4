/*
 * several.h - an access that stays within a page; its bytes may lie in several granules, and follow several earlier
 * accesses or none. It does more than access.c and wide_access.c, and less than slow.c.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_SEVERAL_H
#define ASSAY_EXACT_TOOL_KINDS_SEVERAL_H

#include <valgrind/pub_tool_basics.h>

/*
 * Handles a load, of value[(size + 7) / 8], or a store; `silent`: its bytes hold the same values as before, and the
 * mode compares them. `size` is at most 8 or a multiple of 8. False, with nothing changed: leave it to slow.h.
 */
Bool several_load(Addr a, UInt size, ULong where, const ULong *value);
Bool several_store(Addr a, UInt size, ULong where, Bool silent);

/* A load in a mode that compares no loads: the stores of its bytes are read now. False, with nothing changed: leave it
 * to shadow_read(). */
Bool several_read(Addr a, UInt size);

#endif
