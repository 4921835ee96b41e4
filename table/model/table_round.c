#include "table/model/table_round.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/table.h"

enum { PLAIN_DIGITS = 5 };

/* Beyond these a number has more zeros than readers can count. */
static bool table_round_needs_exponent(double size)
{
    return size != 0 && (size < 1e-4 || size >= 1e7);
}

static int table_round_exponent(double size)
{
    return (int)floor(log10(size));
}

/* value · 10^power; in two steps, since 10^power alone may overflow where the product does not. */
static double table_round_scale(double value, int power)
{
    const int half = power / 2;
    return value * pow(10, half) * pow(10, power - half);
}

/* %.*f, with places < 0 rounding before the point. */
static void table_round_print_fixed(double value, int places, char text[TABLE_ROUND_MAX])
{
    double unit = pow(10, -places);
    if (fabs(value) <= unit / 2)
        value = 0; /* and not -0 */
    else if (places < 0)
        value = round(value / unit) * unit;
    snprintf(text, TABLE_ROUND_MAX, "%.*f", places > 0 ? places : 0, value);
}

/* Rounding brought a mantissa below ten to ten or more. */
static bool table_round_is_carried(const char *mantissa)
{
    return fabs(strtod(mantissa, NULL)) >= 10;
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

static void table_round_print_number(const char *number, bool latex, char text[TABLE_ROUND_MAX])
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
    int exponent = table_round_exponent(half_width);
    if (half_width > 9 * pow(10, exponent)) /* 0.096 is rounded up to 0.10 */
        exponent++;
    return (half_width < 3.55 * pow(10, exponent)) - exponent;
}

/* The digits after the point that leave so many significant ones once the number is rounded; below 0: it is rounded
 * before the point. TABLE_PLACES_ALL for 0 and what is not finite. */
static int table_round_places(double value, int digits)
{
    char text[64];
    if (value == 0 || !isfinite(value))
        return TABLE_PLACES_ALL;
    snprintf(text, sizeof text, "%.*e", digits - 1, value); /* 9.996 is 10.0 with three digits */
    return digits - 1 - (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

void table_round_plain(double value, bool latex, char text[TABLE_ROUND_MAX])
{
    char number[32];
    snprintf(number, sizeof number, "%.*g", PLAIN_DIGITS, value);
    table_round_print_number(number, latex, text);
}

void table_round(double value, int places, bool latex, char text[TABLE_ROUND_MAX])
{
    char number[TABLE_ROUND_MAX];
    if (places == TABLE_PLACES_ALL || !isfinite(value)) {
        table_round_plain(value, latex, text);
    } else if (table_round_needs_exponent(fabs(value))) {
        char mantissa[TABLE_ROUND_MAX];
        int exponent = table_round_exponent(fabs(value));
        table_round_print_fixed(table_round_scale(value, -exponent), places + exponent, mantissa);
        if (table_round_is_carried(mantissa)) {
            exponent++;
            table_round_print_fixed(table_round_scale(value, -exponent), places + exponent, mantissa);
        }
        if (strtod(mantissa, NULL) == 0)
            snprintf(text, TABLE_ROUND_MAX, "0");
        else if (latex)
            snprintf(text, TABLE_ROUND_MAX, "$%.40s \\times 10^{%d}$", mantissa, exponent);
        else
            snprintf(text, TABLE_ROUND_MAX, "%.40se%+03d", mantissa, exponent);
    } else {
        table_round_print_fixed(value, places, number);
        table_round_print_number(number, latex, text);
    }
}

void table_round_digits(double value, int digits, bool latex, char text[TABLE_ROUND_MAX])
{
    table_round(value, table_round_places(value, digits), latex, text);
}

void table_round_share(double share, int digits, bool latex, char text[TABLE_ROUND_MAX])
{
    char number[TABLE_ROUND_MAX];
    if (digits && share != 0 && fabs(share) < 1e300) {
        table_round_digits(100 * share, digits, false, number);
        strcat(number, "%");
        table_round_print_number(number, latex, text);
        return;
    }
    if (isinf(share))
        snprintf(number, sizeof number, share > 0 ? "inf" : "-inf");
    else if (fabs(share) >= 1e5) /* a long double, since a hundred times the share may not be a double */
        snprintf(number, sizeof number, "%.*Lg%%", PLAIN_DIGITS, 100 * (long double)share);
    else
        snprintf(number, sizeof number, "%.2f%%", fabs(share) < 5e-5 ? 0 : share * 100);
    table_round_print_number(number, latex, text);
}

/* The next number of that many places that is not below the value (up) or not above it; a number that has no more
 * places than that is itself. */
static double table_round_to_places(double value, int places, bool up)
{
    double unit = pow(10, -places), count = value / unit, nearest = round(count);
    if (fabs(count - nearest) <= 1e-9 * fmax(1, fabs(count)))
        return nearest * unit;
    return (up ? ceil(count) : floor(count)) * unit;
}

static void table_round_print_bound(double bound, int places, bool up, bool latex, char text[TABLE_ROUND_MAX])
{
    if (isinf(bound))
        snprintf(text, TABLE_ROUND_MAX, "%s%s", bound < 0 ? "-" : "", latex ? "\\infty" : "inf");
    else
        table_round_print_fixed(table_round_to_places(bound, places, up), places, text);
}

/* The text of an estimate times 10^-exponent, without that power of ten. Returns whether the value or a bound was
 * rounded up to ten. */
static bool table_round_print_estimate(double value, double low, double high, int digits, int exponent, bool latex,
                                       char text[TABLE_ROUND_MAX])
{
    char middle[TABLE_ROUND_MAX], lower[TABLE_ROUND_MAX], upper[TABLE_ROUND_MAX];
    value = table_round_scale(value, -exponent);
    low = table_round_scale(low, -exponent);
    high = table_round_scale(high, -exponent);
    double below = value - low, above = high - value;
    int wanted = digits ? table_round_places(value, digits) : TABLE_PLACES_ALL;
    int places = wanted == TABLE_PLACES_ALL ? table_places(fmax(below, above)) : wanted;
    bool even = isfinite(below) && isfinite(above) &&
                table_round_to_places(below, places, true) == table_round_to_places(above, places, true);
    if (even) {
        table_round_print_fixed(value, places, middle);
        table_round_print_bound(fmax(below, above), places, true, latex, upper);
        snprintf(text, TABLE_ROUND_MAX, "%.40s %s %.40s", middle, latex ? "\\pm" : "±", upper);
        return table_round_is_carried(middle) || table_round_is_carried(upper);
    }
    double shorter = below > 0 && below < above ? below : above > 0 && isfinite(above) ? above : below;
    places = wanted == TABLE_PLACES_ALL ? table_places(shorter) : wanted;
    table_round_print_fixed(value, places, middle);
    table_round_print_bound(low, places, false, latex, lower);
    table_round_print_bound(high, places, true, latex, upper);
    snprintf(text, TABLE_ROUND_MAX, "%.40s%s[%.40s, %.40s%c", middle, latex ? "\\ " : " ", lower, upper,
             isinf(high) ? ')' : ']');
    return table_round_is_carried(middle) || (isfinite(low) && table_round_is_carried(lower)) ||
           (isfinite(high) && table_round_is_carried(upper));
}

void table_round_estimate(double value, double low, double high, int digits, bool latex, char text[TABLE_ROUND_MAX])
{
    char all[TABLE_ROUND_MAX];
    bool wide = low < value || high > value, bounded = isfinite(low) || isfinite(high);
    if (isnan(low) || isnan(high) || !isfinite(value) || !wide || !bounded) {
        if (digits)
            table_round_digits(value, digits, latex, text);
        else
            table_round_plain(value, latex, text);
        return;
    }
    /* The largest number that is to be written. */
    double size = fabs(value), half = fmax(value - low, high - value);
    size = fmax(size, isfinite(half) ? half : isfinite(low) ? fabs(low) : isfinite(high) ? fabs(high) : size);
    int exponent = table_round_needs_exponent(size) ? table_round_exponent(size) : 0;
    if (table_round_print_estimate(value, low, high, digits, exponent, latex, all) && exponent)
        table_round_print_estimate(value, low, high, digits, ++exponent, latex, all);
    if (exponent && latex)
        snprintf(text, TABLE_ROUND_MAX, "$(%.120s) \\times 10^{%d}$", all, exponent);
    else if (exponent)
        snprintf(text, TABLE_ROUND_MAX, "(%.120s)e%+03d", all, exponent);
    else
        snprintf(text, TABLE_ROUND_MAX, latex ? "$%.120s$" : "%.120s", all);
}

void table_round_bytes(uint64_t bytes, int digits, char text[TABLE_ROUND_MAX])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 999.5; value /= 1000) /* three digits: 999.5 would be 1000 */
        unit++;
    int places = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    if (digits && bytes)
        places = table_round_places(value, digits);
    char number[TABLE_ROUND_MAX];
    table_round_print_fixed(value, unit == 0 ? 0 : places, number);
    snprintf(text, TABLE_ROUND_MAX, "%.100s %s", number, units[unit]);
}
