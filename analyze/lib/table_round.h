/*
 * table_round.h - numbers for people: rounded to what their interval supports.
 */
#ifndef ASSAY_TABLE_ROUND_H
#define ASSAY_TABLE_ROUND_H

#include <stdbool.h>

enum { TABLE_ROUND_MAX = 160 };

/* As table_round_estimate() without a half width: value with so many digits after the point. */
void table_round(double value, int places, bool latex, char text[TABLE_ROUND_MAX]);

/* "1.13 ± 0.02", "(4.71 ± 0.03)e-09"; in LaTeX "$1.13 \pm 0.02$". Without a half width above 0 (NaN, infinite, 0) the
 * value alone, with five significant digits. */
void table_round_estimate(double value, double half_width, bool latex, char text[TABLE_ROUND_MAX]);

/* Five significant digits; in LaTeX with a power of ten and ∞ as they are typeset. */
void table_round_plain(double value, bool latex, char text[TABLE_ROUND_MAX]);

#endif
