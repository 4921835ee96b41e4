/*
 * slow.h - an access of any size at any place, whatever the state, piece by piece. access.h handles the usual cases.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_SLOW_H
#define ASSAY_EXACT_TOOL_KINDS_SLOW_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/context.h"

enum { SLOW_BYTES_MAX = 1024 }; /* of an access */

/* `lane`: bytes of a floating-point lane; 0: values are compared exactly. value: [size] */
void slow_load(Addr a, UInt size, UInt lane, UInt handle, const UChar *value);

/* change: old ^ new value; with a lane the old value, followed, at a word boundary, by the new one; NULL: values are
 * not needed. */
void slow_store(Addr a, UInt size, UInt lane, UInt handle, const ULong *change);

/* They become the last accesses, but count nowhere. */
void slow_fill_load(Addr a, UInt size, UInt handle, const UChar *value);
void slow_fill_store(Addr a, UInt size, UInt handle);

/* The kernel's store of up to 8 bytes: it ends the life of earlier ones, and does not count in any total. */
void slow_kernel_store(Addr a, UInt size, UInt context);

#endif
