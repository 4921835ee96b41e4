/*
 * slow.h - an access of any size at any place, whatever was there before: piece by piece. access.h has the usual ones.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_SLOW_H
#define ASSAY_EXACT_TOOL_KINDS_SLOW_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/context.h"

enum { SLOW_BYTES_MAX = 1024 }; /* of an access */

/* `lane`: bytes of a floating-point lane; 0: values are compared exactly. value: [size] */
void slow_load(Addr a, UInt size, UInt lane, UInt handle, const UChar *value);

/* change: old ^ new value; with a lane the old value, and behind it, from a whole word on, the new one; NULL: nobody
 * asks for values. */
void slow_store(Addr a, UInt size, UInt lane, UInt handle, const ULong *change);

/* The kernel's store of up to 8 bytes: it ends the life of those before it, and counts in no total. */
void slow_kernel_store(Addr a, UInt size, UInt context);

#endif
