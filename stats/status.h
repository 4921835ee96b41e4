/*
 * status.h - what every fallible function of stats returns.
 *
 * Rules of this directory: pure numerics over libc, GSL and GMP; no input or output, no globals, no exit (but GMP ends
 * the process without memory; a program can say how). A function that fails leaves its out-parameters untouched. NaN is
 * never a result: where a quantity does not exist, the status says why.
 */
#ifndef ASSAY_STATS_STATUS_H
#define ASSAY_STATS_STATUS_H

enum stats_status {
    STATS_OK = 0,
    STATS_TOO_FEW,  /* not enough values for this quantity to exist */
    STATS_CONSTANT, /* all values are equal, and the quantity divides by their variance */
    STATS_DOMAIN,   /* an argument outside the stated range: NaN, infinite, negative, a confidence of 1 … */
    STATS_OVERFLOW, /* values so large, so small or so many that a sum or a result is not a number of ours */
    STATS_NO_MEMORY,
    STATS_DEPENDENT /* a term is a linear combination of the others: its coefficient does not exist */
};

/* A text for messages: "too few values". Static storage. */
const char *stats_status_text(enum stats_status status);

#endif
