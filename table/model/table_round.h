/*
 * table_round.h - numbers for readers, rounded to the precision that their interval supports.
 */
#ifndef ASSAY_TABLE_MODEL_TABLE_ROUND_H
#define ASSAY_TABLE_MODEL_TABLE_ROUND_H

#include <stdbool.h>
#include <stdint.h>

enum { TABLE_ROUND_MAX = 160 };

/* In LaTeX, numbers can be used both in text and in a table: "1.5", "$-1.5$", "$1.5 \times 10^{-7}$",
 * "$\infty$": any math is within one pair of dollars. */

/* As table_round_estimate() without an interval: a value with `places` digits after the point; a number that would
 * need a power of ten, but is rounded to 0, is "0". */
void table_round(double value, int places, bool latex, char text[TABLE_ROUND_MAX]);

/* A value with its interval: "1.13 ± 0.03", "(4.71 ± 0.04)e-09", in LaTeX "$1.13 \pm 0.03$", where both of its sides
 * are the same number when they are rounded up; else "1.3 [1.1, 3.7]", whose bounds are rounded outwards to what the
 * shorter side supports. Without an interval (NaN), or one of no width, only the value, with five significant digits.
 * `digits` above 0: the value has so many significant digits, and the bounds are rounded outwards to its last one. */
void table_round_estimate(double value, double low, double high, int digits, bool latex, char text[TABLE_ROUND_MAX]);

/* So many significant digits (≥ 1), and zeros before the point: 1230 for 1234 and three digits. */
void table_round_digits(double value, int digits, bool latex, char text[TABLE_ROUND_MAX]);

/* Five significant digits; in LaTeX with typeset powers of ten and ∞. */
void table_round_plain(double value, bool latex, char text[TABLE_ROUND_MAX]);

/* A share of one as percent with two digits after the point, "12.50%"; from 1e7 % on with a power of ten. An infinite
 * one is "inf". `digits` above 0: so many significant digits. */
void table_round_share(double share, int digits, bool latex, char text[TABLE_ROUND_MAX]);

/* Bytes with three significant digits (or `digits`, if that is above 0) and a unit of powers of 1000: "999 B", "1.06
 * GB".
 */
void table_round_bytes(uint64_t bytes, int digits, char text[TABLE_ROUND_MAX]);

/* "-1.5", "1.8e-41", "inf", with or without "%", of at most 100 characters, as LaTeX. */
void table_round_typeset(const char *number, char text[TABLE_ROUND_MAX]);

#endif
