#include "stats/exact/decimal.h"

#include <locale.h>
#include <stdlib.h>

#include <quadmath.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

static enum stats_status parse(const char *text, struct decimal *out)
{
    return decimal_parse(text, strlen(text), out);
}

/* Texts that are not numbers. */
static const char *const texts[] = {"",
                                    "nan",
                                    "NaN",
                                    "inf",
                                    "-inf",
                                    "Infinity",
                                    "1,5",
                                    "+",
                                    "-",
                                    ".",
                                    "-.",
                                    "+.",
                                    "e5",
                                    ".e5",
                                    "1e",
                                    "1e+",
                                    "1e-",
                                    " 1",
                                    "1 ",
                                    "1.2.3",
                                    "1..2",
                                    "..",
                                    "--1",
                                    "+-1",
                                    "0x1p3",
                                    "1_000",
                                    "1e5.5",
                                    "1e5e5",
                                    "1d5",
                                    "1.5f",
                                    "-e1",
                                    ("\xef\xbb\xbf"
                                     "1"),
                                    "12345678,",
                                    "1234567890123,5",
                                    "123.45678.9",
                                    "1234567890.1234.5",
                                    "12345678901234567.8.9",
                                    "123456789012345678901234x",
                                    "1/2",
                                    ":",
                                    "1:",
                                    "12345:78",
                                    "/2345678"};

/* Texts that are not normal doubles. */
static const char *const ends[] = {"1e308",
                                   "-1e308",
                                   "12e307",
                                   "1e-308",
                                   "0.9e-307",
                                   "1e99999999999999999999",
                                   "1e-99999999999999999999",
                                   "999999999999999999.9e290"};

static void test_invalid(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct decimal out = {42, 7};
        ok(parse(texts[i], &out) == STATS_DOMAIN && out.digits == 42 && out.exponent == 7, "\"%s\" is refused",
           texts[i]);
    }
    struct decimal out = {42, 7};
    ok(decimal_parse("1\0002", 3, &out) == STATS_DOMAIN, "a zero byte inside is refused");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        ok(parse(ends[i], &out) == STATS_OVERFLOW && out.digits == 42, "\"%s\" is out of range", ends[i]);
    ok(decimal_of_double(NAN, &out) == STATS_DOMAIN && decimal_of_double(-INFINITY, &out) == STATS_DOMAIN &&
           out.digits == 42,
       "NaN and infinity are not decimals");
}

/* By hand. */
static void test_known(void)
{
    static const struct {
        const char *text;
        int64_t digits;
        int32_t exponent;
    } known[] = {
        {"7", 7, 0},
        {"1.50", 150, -2},
        {"+.5", 5, -1},
        {"5.", 5, 0},
        {"-12.5e-3", -125, -4},
        {"1E5", 1, 5},
        {"1.0E-5", 10, -6},
        {"00012", 12, 0},
        {"123456", 123456, 0},
        {"-123.456", -123456, -3},
        {"12345.678", 12345678, -3},
        {"12345678", 12345678, 0},
        {".12345678", 12345678, -8},
        {"123456789.", 123456789, 0},
        {"12345678.12345678", 1234567812345678, -8},
        {"1000000000000.4", 10000000000004, -1},
        {"0.4967141530112327", 4967141530112327, -16},
        {"123456789012345678", 123456789012345678, 0},
        {"1234567890123456785", 123456789012345678, 1},
        {"1234567890123456775", 123456789012345678, 1},
        {"12345678901234567850001", 123456789012345679, 5},
        {"12345678901234567849999", 123456789012345678, 5},
        {"1234567890.1234567850001", 123456789012345679, -8},
        {"999999999999999999.5", 100000000000000000, 1},
        {"-999999999999999999.4", -999999999999999999, 0},
        {"0.1000000000000000055511151231257827", 100000000000000006, -18},
        {"1000000000000000000000000000000", 100000000000000000, 13},
        {"0.00000000000000000000000000000000000000000001e44", 1, 0},
        {"1e00000000000000000000000005", 1, 5},
        {"9.99e307", 999, 305},
        {"1e-307", 1, -307},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct decimal out = {0, 0};
        enum stats_status status = parse(known[i].text, &out);
        ok(!status && out.digits == known[i].digits && out.exponent == known[i].exponent,
           "\"%s\" is %" PRId64 "e%" PRId32, known[i].text, known[i].digits, known[i].exponent);
    }
    static const char *const zeros[] = {
        "0", "-0", "+0.000", "0e999999999", "0e-99999999999999999999999", ".0", "00000000000000000000000000.000000"};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        struct decimal out = {42, 7};
        ok(!parse(zeros[i], &out) && out.digits == 0 && out.exponent >= -400 && out.exponent <= 400, "\"%s\" is 0",
           zeros[i]);
    }
}

/* The same grammar, the slow way. */
static bool is_number(const char *c)
{
    c += *c == '+' || *c == '-';
    size_t before = strspn(c, "0123456789"), after = 0;
    c += before;
    if (*c == '.') {
        after = strspn(c + 1, "0123456789");
        c += 1 + after;
    }
    if (before + after == 0)
        return false;
    if (*c == 'e' || *c == 'E') {
        c++;
        c += *c == '+' || *c == '-';
        size_t digits = strspn(c, "0123456789");
        if (digits == 0)
            return false;
        c += digits;
    }
    return *c == '\0';
}

/* Whether all digits of a number, without its exponent, are 0. */
static bool is_zero(const char *text)
{
    return text[strspn(text, "+-.0")] == '\0' ||
           strpbrk(text + strspn(text, "+-.0"), "eE") == text + strspn(text, "+-.0");
}

/* Random texts of every length up to 22, mostly numbers, compared with strtod, which rounds correctly. */
static void test_against_strtod(void)
{
    static const char alphabet[] = "01234567890123456789012345678901234567890123456789....--+e,E";
    unsigned wrong = 0, numbers = 0;
    for (unsigned i = 0; i < 400000; i++) {
        char text[24];
        size_t length = i % 19;
        for (size_t k = 0; k < length; k++)
            text[k] = alphabet[(size_t)(rng_uniform() * (sizeof alphabet - 1))];
        text[length] = '\0';
        struct decimal out = {42, 7};
        enum stats_status status = parse(text, &out);
        double expected = strtod(text, NULL);
        bool normal = is_zero(text) || (fabs(expected) >= 1e-307 && fabs(expected) < 1e308);
        numbers += is_number(text) && normal;
        if (!is_number(text))
            wrong += status != STATS_DOMAIN;
        else if (normal)
            wrong += status != STATS_OK || decimal_to_double(out) != expected;
        else
            wrong += status != STATS_OVERFLOW;
        if (wrong == 1)
            printf("# \"%s\": status %d, %" PRId64 "e%" PRId32 "\n", text, (int)status, out.digits, out.exponent);
    }
    ok(numbers > 50000, "%u of 400000 random texts are numbers", numbers);
    is_u64(wrong, 0, "every text has strtod's value, or is refused");
}

/* Seventeen and eighteen digits with every exponent, where a second rounding would show. */
static void test_rounding(void)
{
    unsigned wrong = 0;
    for (int exponent = -324; exponent <= 290; exponent++)
        for (unsigned i = 0; i < 200; i++) {
            struct decimal decimal = {(int64_t)(1e17 + 8e17 * rng_uniform()) + (int64_t)(i % 7), exponent};
            char text[64];
            snprintf(text, sizeof text, "%" PRId64 "e%" PRId32, decimal.digits, decimal.exponent);
            wrong += decimal_to_double(decimal) != strtod(text, NULL);
        }
    is_u64(wrong, 0, "18 digits are rounded once");
    /* 2^53 + 1 lies in the middle of two doubles; and so, for every k, does (2^53 + 1)·10^k/10^k */
    struct decimal middle = {9007199254740993, 0};
    ok(decimal_to_double(middle) == 0x1p53, "a tie is rounded to even");
    middle = (struct decimal){900719925474099301, -2};
    ok(decimal_to_double(middle) == 0x1p53 + 2, "  and a value above it up");
}

static void test_doubles(void)
{
    static const struct {
        double value;
        int64_t digits;
        int32_t exponent;
    } known[] = {{0.1, 1, -1},
                 {1e23, 1, 23},
                 {-1.5, -15, -1},
                 {0.0, 0, 0},
                 {-0.0, 0, 0},
                 {100, 1, 2},
                 {0x1p-1074, 5, -324},
                 {1.0 / 3, 3333333333333333, -16},
                 {0x1p53, 9007199254740992, 0},
                 {1.7976931348623157e308, 17976931348623157, 292}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct decimal out = {42, 7};
        ok(!decimal_of_double(known[i].value, &out) && out.digits == known[i].digits &&
               out.exponent == known[i].exponent,
           "%.17g is %" PRId64 "e%" PRId32, known[i].value, known[i].digits, known[i].exponent);
    }
    unsigned back = 0, tried = 0;
    for (unsigned i = 0; i < 20000; i++) {
        double value = ldexp(rng_uniform() - 0.5, (int)(2000 * rng_uniform()) - 1040);
        struct decimal out;
        tried++;
        back += !decimal_of_double(value, &out) && decimal_to_double(out) == value &&
                llabs(out.digits) < 100000000000000000;
    }
    is_u64(back, tried, "every double is read again from at most 17 digits");
}

static void test_locale(void)
{
    struct decimal out = {0, 0};
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        skip("there is no locale with a comma here");
        return;
    }
    ok(!parse("1.5", &out) && out.digits == 15 && !decimal_of_double(0.25, &out) && out.digits == 25 &&
           out.exponent == -2 &&
           decimal_to_double((struct decimal){123456789012345678, -60}) == 1.23456789012345678e-43,
       "the locale makes no difference");
    setlocale(LC_ALL, "C");
}

static void test_quad(void)
{
    unsigned close = 0, tried = 0;
    for (int exponent = -400; exponent <= 400; exponent++) {
        struct decimal decimal = {(int64_t)(1e18 * rng_uniform()) | 1, exponent};
        char text[64];
        snprintf(text, sizeof text, "%" PRId64 "e%" PRId32, decimal.digits, decimal.exponent);
        __float128 expected = strtoflt128(text, NULL), error = fabsq(decimal_to_quad(decimal) - expected);
        tried++;
        close += error <= expected * 0x1p-111Q;
    }
    is_u64(close, tried, "113 bits agree with libquadmath to 2^-111");
    unsigned same = 0;
    for (int32_t exponent = -390; exponent <= 390; exponent++) {
        int64_t digits = (int64_t)(1e16 * rng_uniform());
        __float128 value = decimal_to_quad((struct decimal){digits, exponent});
        same += value == decimal_to_quad((struct decimal){digits * 10, exponent - 1}) &&
                value == decimal_to_quad((struct decimal){digits * 100, exponent - 2});
    }
    is_u64(same, 781, "equal values have equal bits, however they are written");
}

static void test_align(void)
{
    int64_t fixed = 42;
    ok(decimal_align((struct decimal){15, -1}, -3, &fixed) && fixed == 1500, "1.5 is 1500 thousandths");
    ok(decimal_align((struct decimal){-1500, -3}, -1, &fixed) && fixed == -15, "-1.500 is -15 tenths");
    ok(decimal_align((struct decimal){0, 300}, -300, &fixed) && fixed == 0, "0 is 0 in any unit");
    fixed = 42;
    ok(!decimal_align((struct decimal){1501, -3}, -1, &fixed) && fixed == 42, "1.501 is not a whole number of tenths");
    ok(!decimal_align((struct decimal){5, 0}, -18, &fixed) && fixed == 42,
       "5 is not aligned to 10^-18: 5·10^18 is above 2^62");
    ok(!decimal_align((struct decimal){-5, 0}, -18, &fixed) && fixed == 42, "  nor is -5");
    ok(decimal_align((struct decimal){4, 0}, -18, &fixed) && fixed == 4000000000000000000, "  but 4 is");
    fixed = 42;
    ok(!decimal_align((struct decimal){1, 0}, -400, &fixed) && !decimal_align((struct decimal){1, -400}, 400, &fixed) &&
           fixed == 42,
       "exponents that are far apart are not aligned");
    struct decimal reduced = decimal_reduce((struct decimal){-1500, -2});
    ok(reduced.digits == -15 && reduced.exponent == 0, "-15.00 is -15");
}

int main(void)
{
    test_invalid();
    test_known();
    test_against_strtod();
    test_rounding();
    test_doubles();
    test_locale();
    test_quad();
    test_align();
    return done_testing();
}
