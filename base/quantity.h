/*
 * quantity.h - numbers with units on the command line.
 */
#ifndef ASSAY_BASE_QUANTITY_H
#define ASSAY_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "10ms", "2.5us", "1 s": nanoseconds, rounded to the nearest. Units ns, us (µs), ms, s; a plain number is
 * milliseconds. Accepts 0 to 2^53 ns (104 days). Otherwise returns false, with *ns untouched.
 */
bool quantity_time(const char *text, uint64_t *ns);

/* A whole number 0 to 2^63 - 1, decimal. Otherwise returns false, with *count untouched. */
bool quantity_count(const char *text, uint64_t *count);

/* The same with decimal suffixes K, M or G: "100M". */
bool quantity_large(const char *text, uint64_t *count);

/* A share: "1%", "0.01"; 0 ≤ share < 1. Otherwise returns false, with *share untouched. */
bool quantity_share(const char *text, double *share);

#endif
