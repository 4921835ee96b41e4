/* Rounding for readers: estimates, numbers, shares, percentages and p. The expected texts were written by hand. */
#include "table/model/table_round.h"

#include "analyze/cli/number.h"
#include "table/model/p_text.h"
#include "table/model/table.h"
#include "tests/tap.h"

static void test_places(void)
{
    ok(table_places(0.04) == 2 && table_places(0.4) == 1 && table_places(4) == 0 && table_places(40) == -1,
       "a value is rounded to the first digit of its half width");
    ok(table_places(0.013) == 3 && table_places(1.4) == 1 && table_places(120) == -1, "  to the second below 3.55");
    ok(table_places(0.0355) == 2 && table_places(0.0354) == 3,
       "a half width of 0.0355 is rounded to 0.04, 0.0354 to 0.036");
    ok(table_places(0.091) == 2, "a half width of 0.091 is rounded to 0.10");
    ok(table_places(0) == TABLE_PLACES_ALL && table_places(NAN) == TABLE_PLACES_ALL &&
           table_places(INFINITY) == TABLE_PLACES_ALL,
       "without a half width all digits are kept");
}

/* "1.1312 ± 0.0223 is written 1.13 ± 0.02" */
__attribute__((format(printf, 3, 4))) static void is_written(const char *text, const char *expected, const char *format,
                                                             ...)
{
    char what[100], title[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(title, sizeof title, "%s is written %s", what, expected);
    is_text(text, expected, title);
}

static void is_interval(double value, double low, double high, const char *plain, const char *latex)
{
    char text[TABLE_ROUND_MAX];
    table_round_estimate(value, low, high, 0, false, text);
    is_written(text, plain, "%g from %g to %g", value, low, high);
    table_round_estimate(value, low, high, 0, true, text);
    is_written(text, latex, "%g from %g to %g", value, low, high);
}

static void is_estimate(double value, double half_width, const char *plain, const char *latex)
{
    is_interval(value, value - half_width, value + half_width, plain, latex);
}

static void test_estimates(void)
{
    is_estimate(1.1312, 0.0223, "1.131 ± 0.023", "$1.131 \\pm 0.023$");
    is_estimate(1.1312, 0.0123, "1.131 ± 0.013", "$1.131 \\pm 0.013$");
    is_estimate(1.1312, 0.02, "1.131 ± 0.020", "$1.131 \\pm 0.020$");
    is_estimate(12345.6, 432, "12300 ± 500", "$12300 \\pm 500$");
    is_estimate(-0.5, 3, "-0.5 ± 3.0", "$-0.5 \\pm 3.0$");
    is_estimate(4.7123e-9, 3.2e-11, "(4.712 ± 0.032)e-09", "$(4.712 \\pm 0.032) \\times 10^{-9}$");
    is_estimate(2.5e12, 1.2e10, "(2.500 ± 0.012)e+12", "$(2.500 \\pm 0.012) \\times 10^{12}$");
    is_estimate(2.5, NAN, "2.5", "2.5");
    is_estimate(2.5, 0, "2.5", "2.5");
    is_estimate(INFINITY, 1, "inf", "$\\infty$");
    is_estimate(-2.5, NAN, "-2.5", "$-2.5$");
    is_estimate(0, 9.7e-8, "(0.0 ± 1.0)e-07", "$(0.0 \\pm 1.0) \\times 10^{-7}$"); /* and not 10e-08 */
    is_estimate(9.996e7, 3e5, "(9.996 ± 0.030)e+07", "$(9.996 \\pm 0.030) \\times 10^{7}$");
    is_estimate(2e-320, 1e-320, "(2.0 ± 1.0)e-320", "$(2.0 \\pm 1.0) \\times 10^{-320}$");
}

static void test_intervals(void)
{
    is_interval(1.273, 1.083, 3.636, "1.27 [1.08, 3.64]", "$1.27\\ [1.08, 3.64]$");
    is_interval(2, 1.94999, 2.5, "2.00 [1.94, 2.50]", "$2.00\\ [1.94, 2.50]$");
    is_interval(2, 1.951, 2.0491, "2.00 ± 0.05", "$2.00 \\pm 0.05$");
    is_interval(2, 1.5, INFINITY, "2.0 [1.5, inf)", "$2.0\\ [1.5, \\infty)$");
    is_interval(2, 2, 2.5, "2.0 [2.0, 2.5]", "$2.0\\ [2.0, 2.5]$");
    is_interval(3e-9, 2.5e-9, 5e-9, "(3.0 [2.5, 5.0])e-09", "$(3.0\\ [2.5, 5.0]) \\times 10^{-9}$");
}

static void test_single(void)
{
    char text[TABLE_ROUND_MAX];
    table_round(1.23456, 2, false, text);
    is_text(text, "1.23", "a number is rounded to two places");
    table_round(1234.56, -2, false, text);
    is_text(text, "1200", "a number is rounded to hundreds");
    table_round(1.5e-7, 9, false, text);
    is_text(text, "1.50e-07", "many zeros become a power of ten");
    table_round_plain(1.5e-7, true, text);
    is_text(text, "$1.5 \\times 10^{-7}$", "  typeset in LaTeX");
    table_round_plain(-INFINITY, true, text);
    is_text(text, "$-\\infty$", "  so is infinity");
}

static void is_rounded(double value, int places, const char *plain, const char *latex)
{
    char text[TABLE_ROUND_MAX];
    table_round(value, places, false, text);
    is_written(text, plain, "%g, to %d places,", value, places);
    table_round(value, places, true, text);
    is_written(text, latex, "%g, to %d places,", value, places);
}

static void test_zero_and_carry(void)
{
    is_rounded(3e-7, 2, "0", "0");
    is_rounded(-3e8, -10, "0", "0");
    is_rounded(-0.001, 2, "0.00", "0.00");
    is_rounded(9.996e-7, 9, "1.000e-06", "$1.000 \\times 10^{-6}$");
    is_rounded(-6e-7, 6, "-1e-06", "$-1 \\times 10^{-6}$");
    is_rounded(5e-310, 310, "5e-310", "$5 \\times 10^{-310}$");
}

static void is_share(double share, const char *plain, const char *latex)
{
    char text[TABLE_ROUND_MAX];
    table_round_share(share, 0, false, text);
    is_written(text, plain, "a share of %g", share);
    table_round_share(share, 0, true, text);
    is_written(text, latex, "a share of %g", share);
}

static void test_shares(void)
{
    is_share(0.125, "12.50%", "12.50\\%");
    is_share(-0.125, "-12.50%", "$-12.50\\%$");
    is_share(-0.00001, "0.00%", "0.00\\%");
    is_share(99999, "9999900.00%", "9999900.00\\%");
    is_share(1e300, "1e+302%", "$1 \\times 10^{302}\\%$");
    is_share(-1.5e308, "-1.5e+310%", "$-1.5 \\times 10^{310}\\%$");
    is_share(INFINITY, "inf", "$\\infty$");
    is_share(-INFINITY, "-inf", "$-\\infty$");
}

static void is_percent(double share, const char *expected)
{
    char text[NUMBER_PERCENT_MAX];
    is_written(number_percent(share, text), expected, "%.16g in percent", share);
}

static void test_percent(void)
{
    is_percent(0.95, "95");
    is_percent(0.5, "50");
    is_percent(0.07, "7");
    is_percent(0.005, "0.5");
    is_percent(0.999, "99.9");
    is_percent(0.9999999999, "99.99999999");
    is_percent(0.9999999999999999, "99.99999999999999");
    is_percent(0.00012, "0.012");
    is_percent(1e-7, "1e-05");
}

static void test_p(void)
{
    char text[P_TEXT_MAX];
    p_text(0.034123, -1.46695, text);
    is_text(text, "0.0341", "p is rounded to three digits");
    p_text(2.13e-7, -6.6716, text);
    is_text(text, "2.1e-07", "a small p is rounded to two");
    p_text(0, -2476.67399, text); /* 10^-0.67399 = 0.2119 */
    is_text(text, "2.1e-2477", "a p below all doubles is computed from its logarithm");
    p_text(0, -INFINITY, text);
    is_text(text, "0", "p = 0 is 0");
    p_text(0, -500.001, text); /* 10^-0.001 = 0.9977 */
    is_text(text, "1.0e-500", "a p whose digits round up to ten gets the next exponent");
    p_text_use_digits(3);
    p_text(0.034123, -1.46695, text);
    is_text(text, "0.0341", "three digits of p");
    p_text(1, 0, text);
    is_text(text, "1.00", "  of 1");
    p_text(0.1, -1, text);
    is_text(text, "0.100", "  of 0.1");
    p_text(2.136e-7, -6.6704, text);
    is_text(text, "2.14e-07", "  of a small one");
    p_text(0, -500.0001, text); /* 10^-0.0001 = 0.99977 */
    is_text(text, "1.00e-500", "  of one that rounds up");
    p_text_use_digits(0);
    p_text(NAN, NAN, text);
    is_text(text, "-", "a missing p is a dash");
}

static void test_bytes(void)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } known[] = {{0, "0 B"},
                 {999, "999 B"},
                 {1000, "1.00 kB"},
                 {9994, "9.99 kB"},
                 {9995, "10.0 kB"}, /* not 9.995, which has four digits */
                 {99949, "99.9 kB"},
                 {99950, "100 kB"},
                 {999499, "999 kB"},
                 {999500, "1.00 MB"},
                 {1063000000, "1.06 GB"},
                 {UINT64_C(2500000000000), "2.50 TB"},
                 {UINT64_MAX, "18.4 EB"}};
    char text[TABLE_ROUND_MAX];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        table_round_bytes(known[i].bytes, 0, text);
        is_written(text, known[i].text, "%llu bytes", (unsigned long long)known[i].bytes);
    }
}

int main(void)
{
    test_places();
    test_estimates();
    test_intervals();
    test_single();
    test_zero_and_carry();
    test_shares();
    test_percent();
    test_bytes();
    test_p();
    return done_testing();
}
