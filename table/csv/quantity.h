/*
 * quantity.h - units of measured values, and numbers followed by a unit, "1.2 ms", "3.4GiB", "12 %"; and whether
 * a cell is a number at all.
 */
#ifndef ASSAY_TABLE_CSV_QUANTITY_H
#define ASSAY_TABLE_CSV_QUANTITY_H

#include <stdbool.h>

#include "table/csv/split.h"
#include "stats/exact/decimal.h"

/* A unit is multiplier·10^exponent of the base of its kind; only units of one kind can be converted. Static storage. */
struct quantity_unit {
    const char *name;   /* as it is printed: "us" for µs */
    const char *kind;   /* "time", "bytes", "bytes/s", "%" … */
    int64_t multiplier; /* 1, 60, 3600, 1024, … */
    int32_t exponent;
};

/* The unit of this name, ignoring blanks and brackets around it ("ms", "[ms]", "(ms)"); NULL for anything else.
 * µ may be either of Unicode's two. Case matters, since Mb is not MB. */
const struct quantity_unit *quantity_unit_named(struct rows_cell name);

/* A decimal number and the name of a unit, with or without blanks between, or a time ("1:02.5", "1:02:03", "0m1.2s"),
 * in seconds; false for anything else, including a number alone. */
bool quantity_parse(struct rows_cell cell, struct decimal *value, const struct quantity_unit **unit);

/* The smaller of both units: ms of ms and s. Both are of one kind. */
const struct quantity_unit *quantity_smaller(const struct quantity_unit *a, const struct quantity_unit *b);

/* The unit of the same kind that the others are multiples of: s of ms. */
const struct quantity_unit *quantity_base(const struct quantity_unit *unit);

/* Converts from one unit to another of its kind: exactly, if 18 digits hold the result, else to double precision.
 * False if the kinds differ or the result is out of range. */
bool quantity_convert(struct decimal *value, const struct quantity_unit *from, const struct quantity_unit *to);

/* What a cell holds: 1 for a number, with or without a unit; 0 for a missing value ("", "-", "nan" …) or a number out
 * of range; −1 for any other text. */
int quantity_vote(struct rows_cell cell);

#endif
