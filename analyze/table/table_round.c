#include "analyze/table/table_round.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/table/table.h"

enum { PLAIN_DIGITS = 5 };

/* Beyond these a number has more zeros than readers can count. */
static bool needs_exponent(double size)
{
    return size != 0 && (size < 1e-4 || size >= 1e7);
}

static int exponent_of(double size)
{
    return (int)floor(log10(size));
}

/* value · 10^power; in two steps, since 10^power alone may overflow where the product does not. */
static double scaled(double value, int power)
{
    return value * pow(10, power / 2) * pow(10, power - power / 2);
}

/* %.*f, with places < 0 rounding before the point. */
static void put_fixed(double value, int places, char text[TABLE_ROUND_MAX])
{
    double unit = pow(10, -places);
    if (fabs(value) <= unit / 2)
        value = 0; /* and not -0 */
    else if (places < 0)
        value = round(value / unit) * unit;
    snprintf(text, TABLE_ROUND_MAX, "%.*f", places > 0 ? places : 0, value);
}

/* Rounding brought a mantissa below ten to ten or more. */
static bool is_carried(const char *mantissa)
{
    return fabs(strtod(mantissa, NULL)) >= 10;
}

static void put_scaled(const char *mantissa, int exponent, bool latex, char text[TABLE_ROUND_MAX])
{
    if (latex)
        snprintf(text, TABLE_ROUND_MAX, "$%.40s \\times 10^{%d}$", mantissa, exponent);
    else
        snprintf(text, TABLE_ROUND_MAX, "%.40se%+03d", mantissa, exponent);
}

void table_round_typeset(const char *number, char text[TABLE_ROUND_MAX])
{
    const char *sign = *number == '-' ? "-" : "", *e = strchr(number, 'e');
    size_t length = strcspn(number, "e%");
    const char *unit = number[strlen(number) - (*number != '\0')] == '%' ? "\\%" : "";
    if (strcmp(number + strlen(sign), "inf") == 0) {
        snprintf(text, TABLE_ROUND_MAX, "$%s\\infty$", sign);
    } else if (e) {
        snprintf(text, TABLE_ROUND_MAX, "$%.*s \\times 10^{%ld}%s$", (int)length, number, strtol(e + 1, NULL, 10),
                 unit);
    } else if (*sign) {
        snprintf(text, TABLE_ROUND_MAX, "$%.*s%s$", (int)length, number, unit);
    } else {
        snprintf(text, TABLE_ROUND_MAX, "%.*s%s", (int)length, number, unit);
    }
}

static void put_number(const char *number, bool latex, char text[TABLE_ROUND_MAX])
{
    if (latex)
        table_round_typeset(number, text);
    else
        snprintf(text, TABLE_ROUND_MAX, "%s", number);
}

int table_places(double half_width)
{
    if (!(half_width > 0) || isinf(half_width))
        return TABLE_PLACES_ALL;
    int exponent = exponent_of(half_width);
    if (half_width >= 9.5 * pow(10, exponent)) /* 0.096 is rounded to 0.10 */
        exponent++;
    return (half_width < 1.95 * pow(10, exponent)) - exponent;
}

void table_round_plain(double value, bool latex, char text[TABLE_ROUND_MAX])
{
    char number[32];
    snprintf(number, sizeof number, "%.*g", PLAIN_DIGITS, value);
    put_number(number, latex, text);
}

void table_round_share(double share, bool latex, char text[TABLE_ROUND_MAX])
{
    char number[TABLE_ROUND_MAX];
    if (isinf(share))
        snprintf(number, sizeof number, share > 0 ? "inf" : "-inf");
    else if (fabs(share) >= 1e5) /* a long double, since a hundred times the share may not be a double */
        snprintf(number, sizeof number, "%.*Lg%%", PLAIN_DIGITS, 100 * (long double)share);
    else
        snprintf(number, sizeof number, "%.2f%%", fabs(share) < 5e-5 ? 0 : share * 100);
    put_number(number, latex, text);
}

/* For a size that needs an exponent. */
static void round_scaled(double value, int places, bool latex, char text[TABLE_ROUND_MAX])
{
    char mantissa[TABLE_ROUND_MAX];
    int exponent = exponent_of(fabs(value));
    put_fixed(scaled(value, -exponent), places + exponent, mantissa);
    if (is_carried(mantissa)) {
        exponent++;
        put_fixed(scaled(value, -exponent), places + exponent, mantissa);
    }
    if (strtod(mantissa, NULL) == 0)
        snprintf(text, TABLE_ROUND_MAX, "0");
    else
        put_scaled(mantissa, exponent, latex, text);
}

void table_round(double value, int places, bool latex, char text[TABLE_ROUND_MAX])
{
    char number[TABLE_ROUND_MAX];
    if (places == TABLE_PLACES_ALL || !isfinite(value)) {
        table_round_plain(value, latex, text);
    } else if (needs_exponent(fabs(value))) {
        round_scaled(value, places, latex, text);
    } else {
        put_fixed(value, places, number);
        put_number(number, latex, text);
    }
}

/* "1.13 ± 0.02", both times 10^exponent. Returns whether one of them was rounded up to ten. */
static bool put_both(double value, double half_width, int exponent, bool latex, char text[TABLE_ROUND_MAX])
{
    char middle[TABLE_ROUND_MAX], half[TABLE_ROUND_MAX];
    int places = table_places(half_width) + exponent;
    put_fixed(scaled(value, -exponent), places, middle);
    put_fixed(scaled(half_width, -exponent), places, half);
    snprintf(text, TABLE_ROUND_MAX, "%.40s %s %.40s", middle, latex ? "\\pm" : "±", half);
    return is_carried(middle) || is_carried(half);
}

void table_round_estimate(double value, double half_width, bool latex, char text[TABLE_ROUND_MAX])
{
    char both[TABLE_ROUND_MAX];
    double size = fmax(fabs(value), half_width);
    if (table_places(half_width) == TABLE_PLACES_ALL || !isfinite(value)) {
        table_round_plain(value, latex, text);
        return;
    }
    int exponent = needs_exponent(size) ? exponent_of(size) : 0;
    if (put_both(value, half_width, exponent, latex, both) && exponent)
        put_both(value, half_width, ++exponent, latex, both);
    if (exponent && latex)
        snprintf(text, TABLE_ROUND_MAX, "$(%.90s) \\times 10^{%d}$", both, exponent);
    else if (exponent)
        snprintf(text, TABLE_ROUND_MAX, "(%.90s)e%+03d", both, exponent);
    else
        snprintf(text, TABLE_ROUND_MAX, latex ? "$%.90s$" : "%.90s", both);
}
