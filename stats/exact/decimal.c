#include "stats/exact/decimal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Powers of ten that are exact: 10^18 in 63 bits, 10^22 in 53, 10^48 in 113 (5^48 has 112). */
enum { INTEGER_POWERS = 18, DOUBLE_POWERS = 22, QUAD_POWERS = 48 };

static const double double_powers[DOUBLE_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const __float128 quad_powers[QUAD_POWERS + 1] = {
    1e0Q,  1e1Q,  1e2Q,  1e3Q,  1e4Q,  1e5Q,  1e6Q,  1e7Q,  1e8Q,  1e9Q,  1e10Q, 1e11Q, 1e12Q,
    1e13Q, 1e14Q, 1e15Q, 1e16Q, 1e17Q, 1e18Q, 1e19Q, 1e20Q, 1e21Q, 1e22Q, 1e23Q, 1e24Q, 1e25Q,
    1e26Q, 1e27Q, 1e28Q, 1e29Q, 1e30Q, 1e31Q, 1e32Q, 1e33Q, 1e34Q, 1e35Q, 1e36Q, 1e37Q, 1e38Q,
    1e39Q, 1e40Q, 1e41Q, 1e42Q, 1e43Q, 1e44Q, 1e45Q, 1e46Q, 1e47Q, 1e48Q};

/* 10^(48·i), each rounded once. */
static const __float128 large_powers[] = {1e0Q, 1e48Q, 1e96Q, 1e144Q, 1e192Q, 1e240Q, 1e288Q, 1e336Q, 1e384Q, 1e432Q};

static int64_t decimal_integer_power(int64_t exponent)
{
    return (int64_t)double_powers[exponent];
}

/* --- Eight characters at once, the first in the lowest byte --- */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first character is the lowest byte of a word");

#define EVERY_BYTE(value) ((uint64_t)0x0101010101010101 * (value))

/* Up to eight characters, with '0' in front of them. */
static inline uint64_t decimal_load_characters(const char *text, size_t length)
{
    uint64_t word;
    if (length >= 8) {
        memcpy(&word, text, 8);
        return word;
    }
    unsigned missing = 8 * (8 - (unsigned)length);
    uint64_t zeros = EVERY_BYTE('0') >> (64 - missing);
    if (length >= 4) { /* the two halves overlap */
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, text + length - 4, 4);
        return (uint64_t)last << 32 | (uint64_t)first << missing | zeros;
    }
    for (word = zeros; length > 0; length--, missing += 8)
        word |= (uint64_t)(unsigned char)*text++ << missing;
    return word;
}

static inline bool decimal_word_is_digits(uint64_t word)
{
    uint64_t above_nine = word + EVERY_BYTE(6);
    return ((word & EVERY_BYTE(0xf0)) ^ EVERY_BYTE(0x30)) == 0 && ((above_nine ^ word) & EVERY_BYTE(0xf0)) == 0;
}

/* Neighbours are joined three times: to numbers of two, four and eight digits. */
static inline uint64_t decimal_word_value(uint64_t word)
{
    word = ((word & EVERY_BYTE(0x0f)) * (10 << 8 | 1)) >> 8 & 0x00ff00ff00ff00ff;
    word = (word * (100 << 16 | 1)) >> 16 & 0x0000ffff0000ffff;
    return (word * ((uint64_t)10000 << 32 | 1)) >> 32;
}

struct part {
    uint64_t digits;
    bool point;
    unsigned fraction; /* digits after the point */
};

static inline bool decimal_append_eight(uint64_t word, struct part *part)
{
    uint64_t difference = word ^ EVERY_BYTE('.');
    uint64_t points = (difference - EVERY_BYTE(1)) & ~difference & EVERY_BYTE(0x80); /* the lowest one is right */
    *part = (struct part){.point = points != 0};
    if (part->point) { /* the digits before the point move over it */
        unsigned bits = (unsigned)__builtin_ctzll(points) - 7;
        uint64_t before = ((uint64_t)1 << bits) - 1;
        word = (word & ~(before << 8 | 0xff)) | (word & before) << 8 | '0';
        part->fraction = 7 - bits / 8;
    }
    part->digits = decimal_word_value(word);
    return decimal_word_is_digits(word);
}

/* digits with at most one point, two to sixteen characters; nothing else. */
static inline bool decimal_parse_short(const char *text, size_t length, struct decimal *out)
{
    struct part head = {0}, tail;
    if (length <= 8) {
        if (!decimal_append_eight(decimal_load_characters(text, length), &tail))
            return false;
        *out = (struct decimal){(int64_t)tail.digits, -(int32_t)tail.fraction};
        return true;
    }
    if (!decimal_append_eight(decimal_load_characters(text + length - 8, 8), &tail) ||
        !decimal_append_eight(decimal_load_characters(text, length - 8), &head) || (head.point && tail.point))
        return false;
    uint64_t digits = head.digits * (tail.point ? 10000000 : 100000000) + tail.digits;
    *out = (struct decimal){(int64_t)digits, -(int32_t)(head.point ? head.fraction + 8 : tail.fraction)};
    return true;
}

/* --- Any number --- */

#define DIGITS_END ((uint64_t)1000000000000000000)
enum { LEADING_MIN = -307, LEADING_MAX = 307 };

/* So far from any double that adding more makes no difference. */
static const int64_t absurd_exponent = (int64_t)1 << 56;

struct scan {
    uint64_t digits;  /* the first 18 that are significant */
    unsigned next;    /* the one after them */
    bool more;        /* whether any after that isn't 0 */
    int64_t dropped;  /* digits after the first 18 */
    int64_t exponent; /* of digits */
};

static bool decimal_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *decimal_scan_digits(struct scan *scan, const char *text, const char *end)
{
    while (end - text >= 8 && scan->digits < 10000000000u && decimal_word_is_digits(decimal_load_characters(text, 8))) {
        scan->digits = scan->digits * 100000000 + decimal_word_value(decimal_load_characters(text, 8));
        text += 8;
    }
    for (; text < end && decimal_is_digit(*text); text++) {
        unsigned digit = (unsigned)(*text - '0');
        if (scan->digits < DIGITS_END / 10)
            scan->digits = 10 * scan->digits + digit;
        else if (scan->dropped++ == 0)
            scan->next = digit;
        else
            scan->more |= digit > 0;
    }
    return text;
}

static bool decimal_scan_exponent(struct scan *scan, const char *text, const char *end)
{
    bool negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    if (text == end)
        return false;
    int64_t exponent = 0;
    for (; text < end; text++) {
        if (!decimal_is_digit(*text))
            return false;
        if (exponent < absurd_exponent)
            exponent = 10 * exponent + (*text - '0');
    }
    scan->exponent += negative ? -exponent : exponent;
    return true;
}

static enum stats_status decimal_parse_any(const char *text, const char *end, struct decimal *out)
{
    struct scan scan = {0};
    const char *rest = decimal_scan_digits(&scan, text, end);
    ptrdiff_t count = rest - text;
    if (rest < end && *rest == '.') {
        const char *fraction = rest + 1;
        rest = decimal_scan_digits(&scan, fraction, end);
        count += rest - fraction;
        scan.exponent -= rest - fraction;
    }
    scan.exponent += scan.dropped;
    if (count == 0)
        return STATS_DOMAIN;

    if (rest != end && !((*rest == 'e' || *rest == 'E') && decimal_scan_exponent(&scan, rest + 1, end)))
        return STATS_DOMAIN;
    bool up = scan.next > 5 || (scan.next == 5 && (scan.more || scan.digits % 2 == 1));
    scan.digits += up;
    if (scan.digits == DIGITS_END) {
        scan.digits /= 10;
        scan.exponent++;
    }
    if (scan.digits == 0) {
        *out = (struct decimal){0, 0};
        return STATS_OK;
    }
    /* By the exponent of the first digit (2 for 123), which is counted only where it matters. */
    int64_t leading = scan.exponent;
    if (!(leading >= LEADING_MIN && leading <= LEADING_MAX - DECIMAL_DIGITS)) {
        for (unsigned i = 1; i < DECIMAL_DIGITS && scan.digits >= (uint64_t)decimal_integer_power(i); i++)
            leading++;
        if (!(leading >= LEADING_MIN && leading <= LEADING_MAX))
            return STATS_OVERFLOW;
    }
    *out = (struct decimal){(int64_t)scan.digits, (int32_t)scan.exponent};
    return STATS_OK;
}

enum stats_status decimal_parse(const char *text, size_t length, struct decimal *out)
{
    const char *end = text + length;
    bool negative = length > 0 && *text == '-';
    text += length > 0 && (*text == '-' || *text == '+');
    struct decimal decimal;
    size_t left = (size_t)(end - text);
    if (left < 2 || left > 16 || !decimal_parse_short(text, left, &decimal)) {
        enum stats_status status = decimal_parse_any(text, end, &decimal);
        if (status)
            return status;
    }
    *out = (struct decimal){negative ? -decimal.digits : decimal.digits, decimal.exponent};
    return STATS_OK;
}

/* --- Doubles --- */

struct decimal decimal_reduce(struct decimal decimal)
{
    if (decimal.digits == 0)
        return (struct decimal){0, 0};
    while (decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    return decimal;
}

/* value to `precision` digits, rounded. */
static struct decimal decimal_round_double(double value, int precision)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
    int64_t digits = 0;
    const char *c = text;
    for (; *c != 'e'; c++) /* past the decimal point of this locale */
        if (decimal_is_digit(*c))
            digits = 10 * digits + (*c - '0');
    return (struct decimal){value < 0 ? -digits : digits, (int32_t)(strtol(c + 1, NULL, 10) - (precision - 1))};
}

enum stats_status decimal_of_double(double value, struct decimal *out)
{
    if (!isfinite(value))
        return STATS_DOMAIN;
    int precision = fabs(value) < DBL_MIN ? 1 : DBL_DIG; /* 15 digits always survive; fewer near 0 */
    struct decimal decimal = decimal_round_double(value, precision);
    while (precision < DBL_DECIMAL_DIG && decimal_to_double(decimal) != value)
        decimal = decimal_round_double(value, ++precision);
    *out = decimal_reduce(decimal);
    return STATS_OK;
}

/*
 * With both operands exact, one division or product rounds once. In 113 bits digits·10^21 is exact (62 + 49 bits, 2^21
 * aside); and rounding digits/10^24 to 113 bits and then to 53 is the same as rounding once, because such a quotient
 * can't come nearer than 2^-110 of itself to the middle of two doubles (54 bits, times 56 of 5^24) unless it is there.
 */
double decimal_to_double(struct decimal decimal)
{
    int64_t digits = decimal.digits;
    int32_t exponent = decimal.exponent;
    int64_t exact = (int64_t)1 << DBL_MANT_DIG;
    if (digits >= -exact && digits <= exact && exponent >= -DOUBLE_POWERS && exponent <= DOUBLE_POWERS)
        return exponent < 0 ? (double)digits / double_powers[-exponent] : (double)digits * double_powers[exponent];
    if (exponent >= -24 && exponent <= 21)
        return (double)decimal_to_quad(decimal);
    char text[64];
    snprintf(text, sizeof text, "%" PRId64 "e%" PRId32, digits, exponent);
    return strtod(text, NULL); /* no point in it, so no locale */
}

__float128 decimal_scale_quad(__float128 value, int32_t exponent)
{
    int32_t power = exponent < 0 ? -exponent : exponent;
    if (power <= QUAD_POWERS)
        return exponent < 0 ? value / quad_powers[power] : value * quad_powers[power];
    __float128 large = large_powers[power / QUAD_POWERS], small = quad_powers[power % QUAD_POWERS];
    return exponent < 0 ? value / large / small : value * large * small;
}

/* Beyond 10^±48 it rounds more than once, so all ways of writing a value must take the same steps. */
__float128 decimal_to_quad(struct decimal decimal)
{
    if (decimal.exponent < -QUAD_POWERS || decimal.exponent > QUAD_POWERS - INTEGER_POWERS)
        decimal = decimal_reduce(decimal);
    return decimal_scale_quad((__float128)decimal.digits, decimal.exponent);
}

bool decimal_align(struct decimal decimal, int32_t exponent, int64_t *fixed)
{
    int64_t shift = (int64_t)decimal.exponent - exponent, limit = (int64_t)1 << 62;
    if (decimal.digits == 0) {
        *fixed = 0;
        return true;
    }
    if (shift < -INTEGER_POWERS || shift > INTEGER_POWERS)
        return false;
    int64_t power = decimal_integer_power(shift < 0 ? -shift : shift), largest = (limit - 1) / power;
    if (shift < 0) {
        if (decimal.digits % power)
            return false;
        *fixed = decimal.digits / power;
        return true;
    }
    if (decimal.digits > largest || decimal.digits < -largest)
        return false;
    *fixed = decimal.digits * power;
    return true;
}
