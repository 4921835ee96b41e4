/*
 * bench_outline.h - which keys a JSON text has, without parsing it, so that a truncated document still shows its
 * format.
 */
#ifndef ASSAY_BENCH_BENCH_OUTLINE_H
#define ASSAY_BENCH_BENCH_OUTLINE_H

#include <stddef.h>
#include <stdint.h>

/* Which of these paths (at most 32) occur in the text, as a bit each. "results[].command" is the key "command" in an
 * element of the array "results"; followed by "#", its value is a number; by "[", an array. "[][]#" is a
 * number in an array in the outermost one. Values one after the other (JSON lines) are each outermost. Text that is not
 * JSON gives arbitrary bits. O(length). */
uint32_t bench_outline(const char *text, size_t length, const char *const *paths, size_t path_count);

#endif
