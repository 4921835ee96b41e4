/*
 * difference.h - the first difference between two texts, as a reader wants to see it.
 */
#ifndef ASSAY_RECORD_COMPARE_DIFFERENCE_H
#define ASSAY_RECORD_COMPARE_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DIFFERENCE_SHOWN = 80 };

struct difference {
    uint64_t line;                                                 /* the first is 1 */
    char one[DIFFERENCE_SHOWN + 32], other[DIFFERENCE_SHOWN + 32]; /* that line of both, as far as it is shown */
};

/* Whether the files differ, both from their beginnings; and where. `numbers` false: sequences of digits count as equal.
 * Bytes that can't be printed are shown as \xNN, a line
 * that is not there as "(ends before)". */
bool difference_find(FILE *one, FILE *other, bool numbers, struct difference *found);

/* Bytes of a file. */
long difference_bytes(FILE *file);

#endif
