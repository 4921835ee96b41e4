/*
 * decimal.h - numbers as written: digits · 10^exponent, exactly.
 *
 * "1000000000000.4" is not a double: the nearest one is 2e-5 off, which is all that is left of its last digit after
 * subtracting the mean. So tables are read as decimals, and sums of them are taken in integers (decimal_align())
 * wherever they fit.
 */
#ifndef ASSAY_STATS_EXACT_DECIMAL_H
#define ASSAY_STATS_EXACT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/status.h"

enum { DECIMAL_DIGITS = 18 }; /* of a decimal, at most */

/* |digits| < 10^18. Zero has digits 0 and any exponent. 1.50 is 150·10^-2: nothing is normalized. */
struct decimal {
    int64_t digits;
    int32_t exponent; /* -400 … 400 */
};

/*
 * All of text[length] as a number: [+-] digits [. digits] [e [+-] digits], with a digit before or after the
 * point, and E for e. More than 18 significant digits are rounded to 18, half to even (relative error at most 5e-19,
 * 1/200 of a double's). STATS_DOMAIN if it is anything else (inf, nan, blanks, 0x1p3, 1,5); STATS_OVERFLOW if it is not
 * a normal double (below 1e308, and 0 or above 1e-307). The point is '.' in any locale. About 6 ns up to 8 characters,
 * 13 up to 16, 25 above.
 */
enum stats_status decimal_parse(const char *text, size_t length, struct decimal *out);

/* The shortest decimal that reads back as this finite double (else STATS_DOMAIN): what was written, if that had at
 * most 15 digits. For numbers that come as doubles (JSON). */
enum stats_status decimal_of_double(double value, struct decimal *out);

/* The same value without zeros at the end of its digits: 15·10^-1 for 1.50, and 0·10^0 for 0. */
struct decimal decimal_reduce(struct decimal decimal);

/* Correctly rounded; and to 113 bits with a relative error of at most 2^-111, where equal values have equal bits. Both
 * take digits up to 2^62. */
double decimal_to_double(struct decimal decimal);
__float128 decimal_to_quad(struct decimal decimal);

/* value·10^exponent (|exponent| ≤ 450), as decimal_to_quad() has it of whole values. */
__float128 decimal_scale_quad(__float128 value, int32_t exponent);

/* The integer decimal / 10^exponent in *fixed if it is one and |*fixed| < 2^62; else false, *fixed untouched. */
bool decimal_align(struct decimal decimal, int32_t exponent, int64_t *fixed);

#endif
