#include "stats/exact/series.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

static void append(struct series *series, int64_t digits, int32_t exponent)
{
    series_append(series, &(struct decimal){digits, exponent}, 1);
}

static void test_invalid(void)
{
    struct series series = {0}, none = {0};
    struct decimal one = {1, 0};
    ok(!series_append(&series, &one, 0) && series.n == 0, "appending no values changes nothing");
    ok(!series_join(&series, &none) && series.n == 0, "joining an empty series changes nothing");
    ok(series_append(&series, &one, SIZE_MAX / 4) == STATS_NO_MEMORY && series.n == 0,
       "more values than any memory holds are refused");
    append(&series, 7, 0);
    ok(series_append(&series, &one, SIZE_MAX) == STATS_NO_MEMORY && series.n == 1 && series_double(&series, 0) == 7,
       "  and nothing changes");
    series_free(&series);
    ok(series.n == 0 && !series.fixed, "a cleared series is empty");
    series_free(&series);
}

/* The text determines the common power of ten. Expected values by hand. */
static void test_exponent(void)
{
    struct series series = {0};
    append(&series, 0, 0);
    append(&series, 0, -5);
    ok(series.exponent == 0 && series.magnitude == 0, "zeros have no exponent of their own");
    append(&series, 1, 30);
    ok(!series.wide && series.exponent == 30 && series.fixed[2] == 1 && series.fixed[0] == 0,
       "0 and 1e30 are integers");
    append(&series, -150, 27);
    ok(series.exponent == 28 && series.fixed[2] == 100 && series.fixed[3] == -15, "-1.50e29 is -15e28");
    append(&series, 46, 45);
    ok(series.exponent == 28 && series.fixed[4] == 4600000000000000000, "46e45 just fits");
    ok(series.magnitude == 4600000000000000000, "the largest magnitude is known");
    append(&series, -47, 45);
    ok(series.wide && !series.fixed && series.n == 6, "-47e45 does not fit: the series gets 113 bits");
    const double expected[] = {0, 0, 1e30, -1.5e29, 46e45, -47e45};
    bool same = true;
    for (size_t i = 0; i < 6; i++)
        same &= series_double(&series, i) == expected[i];
    ok(same, "  with all its values");
    series_free(&series);
}

/* A million values 1e0, 1e-1 … 1e-17, 1e0 …, in blocks: each exponent but the first makes all earlier values longer. */
static void test_shrinking_exponent(void)
{
    enum { N = 1000000, BLOCK = 9999 };
    static struct decimal values[N];
    struct series blocks = {0}, single = {0};
    for (size_t i = 0; i < N; i++)
        values[i] = (struct decimal){1, -(int32_t)(i / 40000 < 18 ? i / 40000 : i % 18)};
    for (size_t i = 0; i < N; i += BLOCK)
        series_append(&blocks, values + i, N - i < BLOCK ? N - i : BLOCK);
    for (size_t i = 0; i < N; i++)
        series_append(&single, values + i, 1);
    ok(!blocks.wide && blocks.exponent == -17 && blocks.n == N, "1e0 to 1e-17 are integers times 1e-17");
    size_t same = 0;
    for (size_t i = 0; i < N; i++)
        same += series_double(&blocks, i) == decimal_to_double(values[i]);
    is_u64(same, N, "  every value is unchanged");
    ok(memcmp(blocks.fixed, single.fixed, N * sizeof *single.fixed) == 0 && single.exponent == -17,
       "  appended one by one they are the same");
    series_free(&blocks);
    series_free(&single);
}

/* Integers or 113 bits: the values are the same whatever the order, the blocks and the notation. */
static void test_order(void)
{
    static const struct {
        struct decimal values[4];
        bool wide;
    } known[] = {{{{1, 300}, {1, -300}, {5, 0}, {0, 0}}, true},
                 {{{12345678901234567, -16}, {100000, 0}, {3, 0}, {0, -400}}, true},
                 {{{1234567890123456, -15}, {100, 0}, {0, 300}, {2500, -2}}, false},
                 {{{460, 16}, {100, -2}, {1000000, 12}, {-7, 0}}, false},
                 {{{15, -60}, {150, -61}, {1500, -62}, {3, 0}}, true}};
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        unsigned kinds = 0, same = 0;
        for (unsigned order = 0; order < 256; order++) {
            unsigned which[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};
            if ((1u << which[0] | 1u << which[1] | 1u << which[2] | 1u << which[3]) != 15)
                continue;
            struct series first = {0}, second = {0};
            for (size_t i = 0; i < 4; i++)
                series_append(i < order % 5 ? &first : &second, &known[c].values[which[i]], 1);
            series_join(&first, &second);
            kinds += (first.wide != NULL) == known[c].wide;
            for (size_t i = 0; i < 4; i++)
                same += series_quad(&first, i) == decimal_to_quad(known[c].values[which[i]]);
            series_free(&first);
            series_free(&second);
        }
        is_u64(kinds, 24,
               known[c].wide ? "the series has 113 bits in every order" : "the series has integers in every order");
        is_u64(same, 96, "  with the same values");
    }
}

static void test_join(void)
{
    struct series whole = {0}, parts[3] = {{0}, {0}, {0}};
    for (int64_t i = 0; i < 3000; i++) {
        append(&whole, i * i - 7, (int32_t)(i / 1000) - 2);
        append(&parts[i / 1000], i * i - 7, (int32_t)(i / 1000) - 2);
    }
    struct series joined = {0};
    for (size_t p = 0; p < 3; p++)
        series_join(&joined, &parts[p]);
    ok(joined.n == 3000 && joined.exponent == whole.exponent && joined.magnitude == whole.magnitude &&
           memcmp(joined.fixed, whole.fixed, 3000 * sizeof *whole.fixed) == 0,
       "joined parts make the whole");
    ok(parts[1].n == 1000 && series_double(&parts[1], 0) == 99999.3, "  and are unchanged");
    append(&parts[0], 1, -40);
    ok(!series_join(&joined, &parts[0]) && joined.wide && joined.n == 4001 && series_double(&joined, 4000) == 1e-40 &&
           series_double(&joined, 0) == -0.07,
       "a part in 113 bits gives the whole 113 bits");
    ok(!series_join(&parts[0], &parts[2]) && parts[0].n == 2001, "integers can be joined to 113 bits");
    for (size_t p = 0; p < 3; p++)
        series_free(&parts[p]);
    series_free(&joined);
    series_free(&whole);
}

static void test_doubles(void)
{
    enum { N = 20000 };
    static double x[N], sorted[N];
    struct series series = {0};
    for (size_t i = 0; i < N; i++)
        append(&series, (int64_t)(1e9 * (rng_uniform() - 0.5)), -6);
    series_to_doubles(&series, x);
    series_to_sorted(&series, sorted);
    bool same = true, ordered = true;
    double sum = 0, sum_sorted = 0; /* exact: multiples of 1e-6 below 1e3, as integers */
    for (size_t i = 0; i < N; i++) {
        same &= x[i] == (double)series.fixed[i] / 1e6;
        ordered &= i == 0 || sorted[i - 1] <= sorted[i];
        sum += rint(x[i] * 1e6);
        sum_sorted += rint(sorted[i] * 1e6);
    }
    ok(same, "doubles are in the order of the series");
    ok(ordered && sum == sum_sorted, "  and sorted on request");
    append(&series, 1, 200);
    static double wide[N + 1];
    series_to_sorted(&series, wide);
    ok(series.wide && memcmp(wide, sorted, sizeof sorted) == 0 && wide[N] == 1e200,
       "a series of 113 bits gives the same doubles");
    series_free(&series);
}

/* A series that is read behaves as the one that was written, also with more values. */
static bool comes_back(struct series *series)
{
    char *bytes = NULL;
    size_t size;
    struct series copy;
    FILE *to = open_memstream(&bytes, &size);
    bool good = to && series_write(series, to) == STATS_OK && fclose(to) == 0;
    FILE *from = good ? fmemopen(bytes, size, "r") : NULL;
    good = from && series_read(&copy, from) == STATS_OK && fgetc(from) == EOF;
    if (from)
        fclose(from);
    free(bytes);
    for (int more = 0; good && more < 2; more++) {
        good = copy.n == series->n && !copy.wide == !series->wide && copy.exponent == series->exponent &&
               copy.magnitude == series->magnitude;
        for (size_t i = 0; good && i < series->n; i++)
            good = series_quad(&copy, i) == series_quad(series, i);
        append(series, 12345, -2);
        append(&copy, 12345, -2);
    }
    series_free(&copy);
    return good;
}

static void test_written(void)
{
    struct series series = {0}, cut;
    ok(comes_back(&series), "an empty series is written and read");
    series_free(&series);
    append(&series, 0, 3);
    ok(comes_back(&series), "  and so is a zero");
    for (int64_t i = -500; i < 500; i++)
        append(&series, i * i * i, -3);
    ok(comes_back(&series), "  and so are integers");
    append(&series, 1, 300);
    append(&series, 1, -300);
    ok(series.wide && comes_back(&series), "  and values in 113 bits");
    char bytes[64];
    FILE *to = fmemopen(bytes, sizeof bytes, "w"), *from = fmemopen(bytes, sizeof bytes, "r");
    setvbuf(to, NULL, _IONBF, 0);
    ok(series_write(&series, to) == STATS_NO_MEMORY, "writing without room is an error");
    ok(series_read(&cut, from) == STATS_NO_MEMORY && cut.n == 0 && !cut.wide, "reading without the end is an error");
    fclose(to);
    fclose(from);
    series_free(&series);
}

int main(void)
{
    test_invalid();
    test_exponent();
    test_shrinking_exponent();
    test_order();
    test_join();
    test_doubles();
    test_written();
    return done_testing();
}
