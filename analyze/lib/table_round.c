#include "analyze/lib/table_round.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/lib/table.h"

enum { PLAIN_DIGITS = 5 };

/* Beyond these a number has more zeros than a reader counts. */
static bool needs_exponent(double size)
{
    return size != 0 && (size < 1e-4 || size >= 1e7);
}

static int exponent_of(double size)
{
    return (int)floor(log10(size));
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

static void put_scaled(const char *mantissa, int exponent, bool latex, char text[TABLE_ROUND_MAX])
{
    if (latex)
        snprintf(text, TABLE_ROUND_MAX, "$%.40s \\times 10^{%d}$", mantissa, exponent);
    else
        snprintf(text, TABLE_ROUND_MAX, "%.40se%+03d", mantissa, exponent);
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
    char *e;
    snprintf(text, TABLE_ROUND_MAX, "%.*g", PLAIN_DIGITS, value);
    if (!latex)
        return;
    if (isinf(value)) {
        snprintf(text, TABLE_ROUND_MAX, value > 0 ? "$\\infty$" : "$-\\infty$");
    } else if ((e = strchr(text, 'e'))) {
        char mantissa[32];
        int exponent = 0;
        snprintf(mantissa, sizeof mantissa, "%.*s", (int)(e - text), text);
        sscanf(e + 1, "%d", &exponent);
        put_scaled(mantissa, exponent, true, text);
    }
}

void table_round(double value, int places, bool latex, char text[TABLE_ROUND_MAX])
{
    char mantissa[TABLE_ROUND_MAX];
    if (places == TABLE_PLACES_ALL || !isfinite(value)) {
        table_round_plain(value, latex, text);
    } else if (needs_exponent(fabs(value))) {
        int exponent = exponent_of(fabs(value));
        put_fixed(value * pow(10, -exponent), places + exponent, mantissa);
        put_scaled(mantissa, exponent, latex, text);
    } else {
        put_fixed(value, places, text);
    }
}

void table_round_estimate(double value, double half_width, bool latex, char text[TABLE_ROUND_MAX])
{
    char middle[TABLE_ROUND_MAX], half[TABLE_ROUND_MAX], both[TABLE_ROUND_MAX + 8];
    int places = table_places(half_width), exponent = 0;
    if (places == TABLE_PLACES_ALL || !isfinite(value)) {
        table_round_plain(value, latex, text);
        return;
    }
    double size = fmax(fabs(value), half_width);
    if (needs_exponent(size))
        exponent = exponent_of(size);
    double unit = pow(10, -exponent);
    put_fixed(value * unit, places + exponent, middle);
    put_fixed(half_width * unit, places + exponent, half);
    snprintf(both, sizeof both, "%.40s %s %.40s", middle, latex ? "\\pm" : "±", half);
    if (exponent && latex)
        snprintf(text, TABLE_ROUND_MAX, "$(%.80s) \\times 10^{%d}$", both, exponent);
    else if (exponent)
        snprintf(text, TABLE_ROUND_MAX, "(%.80s)e%+03d", both, exponent);
    else
        snprintf(text, TABLE_ROUND_MAX, latex ? "$%.90s$" : "%.90s", both);
}
