/*
 * equal.h - whether two values of memory are the same.
 */
#ifndef ASSAY_WATCH_EQUAL_H
#define ASSAY_WATCH_EQUAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether new[bytes] equal the old ones: in all their bits, or, for elements of a floating-point type (`real`: its
 * bytes, as enum x86_real), each differs by at most `tolerance` of the old one's magnitude. NaN equals only the same
 * bits. Half precision and unknown types are compared by their bits. Async-signal-safe.
 */
bool equal_values(const void *old, const void *new, size_t bytes, unsigned real, double tolerance);

/* Whether values of this type are compared with a tolerance. */
bool equal_is_approximate(unsigned real, size_t bytes);

#endif
