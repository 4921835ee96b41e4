/* tolerance.h - nearly equal floating-point values. */
#ifndef ASSAY_EXACT_TOOL_STATE_TOLERANCE_H
#define ASSAY_EXACT_TOOL_STATE_TOLERANCE_H

#include <valgrind/pub_tool_basics.h>

/*
 * Whether in every lane the new value is bitwise equal to the old one or differs from it by at most tolerance × |old|,
 * with the tolerance of the configuration. lane: 4 (float), 8 (double) or 10 (x87 extended) bytes; bytes that fill no
 * lane, and lanes of other sizes, must be equal.
 */
Bool tolerance_is_near(const UChar *old, const UChar *new, UInt size, UInt lane);

#endif
