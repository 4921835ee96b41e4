/*
 * cross_test.c - columns and sums of products are compared with the decimals from which the series were made: digits ·
 * 10^k and Σ a·b, one big product after another.
 */
#include "stats/exact/cross.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/stats/series_of.h"
#include "tests/tap.h"

enum { ROOM = 160, ROWS = 40, COLUMNS = 3, DEGREE = 4 };

/* The decimal in units of 10^exponent, of which it must be a multiple. */
static void set_decimal(mpz_ptr number, struct decimal decimal, int32_t exponent)
{
    mpz_set_si(number, decimal.digits);
    for (int32_t k = decimal.exponent; decimal.digits && k > exponent; k--)
        mpz_mul_ui(number, number, 10);
}

static struct decimal drawn(int32_t exponents)
{
    int64_t digits = (int64_t)(1e18 * rng_uniform()), power = 1;
    for (int cut = (int)(24 * rng_uniform()) - 6; cut > 0; cut--)
        power *= 10;
    digits = digits / power * (rng_uniform() < 0.5 ? -1 : 1);
    return (struct decimal){digits, (int32_t)(exponents * (2 * rng_uniform() - 1))};
}

/* Every value is read as it was written, whatever its exponent. */
static void test_values(void)
{
    enum { N = 3000 };
    static struct decimal written[N];
    struct series series = {0};
    for (size_t i = 0; i < N; i++)
        written[i] = drawn(280);
    written[0] = (struct decimal){0, 0};
    written[1] = (struct decimal){999999999999999999, 270};
    written[2] = (struct decimal){-1, -300};
    for (size_t i = 3; i < 500; i++) /* powers of two and their neighbours, where exponents change */
        written[i] = (struct decimal){((int64_t)1 << (i % 59)) + (int64_t)(i % 3) - 1, (int32_t)(i / 59) - 4};
    series_must(series_append(&series, written, N), "append");
    struct column column;
    ok(series.wide && !column_open(&column, &series), "a wide column is opened");
    unsigned good = 0, within = 0;
    mpz_t expected;
    mpz_init(expected);
    for (size_t i = 0; i < N; i++) {
        static uint64_t limb[ROOM];
        struct column_value value = {.limb = limb};
        column_read(&column, i, &value);
        set_decimal(expected, written[i], column.exponent);
        good += value.length == mpz_size(expected) && value.negative == (mpz_sgn(expected) < 0) &&
                memcmp(limb, mpz_limbs_read(expected), value.length * sizeof *limb) == 0;
        within += value.length <= column.limbs && value.length * 64 < column.bits + 64;
    }
    is_u64(good, N, "  it has the decimals");
    is_u64(within, N, "  in no more bits than it states");
    mpz_clear(expected);
    column_close(&column);
    series_free(&series);
}

/* The columns' expected values, by row, in units of the columns. */
static mpz_t values[COLUMNS][ROWS];

static bool is_sum(mpz_srcptr got, size_t i, size_t power_i, size_t j, size_t power_j)
{
    mpz_t sum, term;
    mpz_init(sum);
    mpz_init(term);
    for (size_t row = 0; row < ROWS; row++) {
        mpz_set_ui(term, 1);
        for (size_t k = 0; k < power_i; k++)
            mpz_mul(term, term, values[i][row]);
        for (size_t k = 0; k < power_j; k++)
            mpz_mul(term, term, values[j][row]);
        mpz_add(sum, sum, term);
    }
    bool same = mpz_cmp(got, sum) == 0;
    mpz_clear(sum);
    mpz_clear(term);
    return same;
}

static mpz_t *entries(size_t count)
{
    mpz_t *entry = malloc(count * sizeof *entry);
    for (size_t i = 0; i < count; i++)
        mpz_init_set_si(entry[i], -7); /* the previous contents must not matter */
    return entry;
}

static void free_entries(mpz_t *entry, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mpz_clear(entry[i]);
    free(entry);
}

static void check_products(const struct column *columns, const char *what)
{
    mpz_t *entry = entries(COLUMNS * COLUMNS);
    ok(!cross_columns(columns, COLUMNS, ROWS, entry), "the products of %s columns are summed", what);
    unsigned good = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = i; j < COLUMNS; j++)
            good += is_sum(entry[i * COLUMNS + j], i, 1, j, 1);
    is_u64(good, COLUMNS * (COLUMNS + 1) / 2, "  the sums are right");
    free_entries(entry, COLUMNS * COLUMNS);
}

static void check_powers(const struct column *columns, unsigned lowest, const char *what)
{
    size_t terms = DEGREE - lowest + 1, order = terms + 1;
    mpz_t *entry = entries(order * order);
    ok(!cross_powers(&columns[1], &columns[2], lowest, DEGREE, ROWS, entry), "%s columns: powers from %u are summed",
       what, lowest);
    unsigned good = 0;
    for (size_t i = 0; i < terms; i++) {
        for (size_t j = i; j < terms; j++)
            good += is_sum(entry[i * order + j], 1, 2 * lowest + i + j, 1, 0);
        good += is_sum(entry[i * order + terms], 1, lowest + i, 2, 1);
    }
    good += is_sum(entry[terms * order + terms], 2, 2, 2, 0);
    is_u64(good, order * (order + 1) / 2, "  the sums are right");
    free_entries(entry, order * order);
}

/* A column of ones and two of such decimals. */
static void check(const struct decimal (*written)[ROWS], bool wide, const char *what)
{
    struct series series[COLUMNS] = {0};
    struct column columns[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i > 0)
            series_must(series_append(&series[i], written[i], ROWS), "append");
        series_must(column_open(&columns[i], i > 0 ? &series[i] : NULL), "column");
        for (size_t row = 0; row < ROWS; row++)
            set_decimal(values[i][row], i > 0 ? written[i][row] : (struct decimal){1, 0}, columns[i].exponent);
    }
    ok(!series[1].wide == !wide && !series[2].wide == !wide, "%s columns are kept as such", what);
    check_products(columns, what);
    check_powers(columns, 0, what);
    check_powers(columns, 1, what);
    for (size_t i = 0; i < COLUMNS; i++) {
        column_close(&columns[i]);
        series_free(&series[i]);
    }
}

static void test_sums(void)
{
    static struct decimal small[COLUMNS][ROWS], large[COLUMNS][ROWS], wide[COLUMNS][ROWS];
    for (size_t i = 1; i < COLUMNS; i++)
        for (size_t row = 0; row < ROWS; row++) {
            small[i][row] = (struct decimal){(int64_t)(200 * rng_uniform()) - 100, -1};
            large[i][row] =
                (struct decimal){461168601842738790, 1}; /* 2^62 − 4: sums in 128 bits would not hold them */
            wide[i][row] = drawn(20);
        }
    for (size_t i = 1; i < COLUMNS; i++)
        large[i][5] = (struct decimal){-3, 0};
    check(small, false, "small");
    check(large, false, "large");
    check(wide, true, "wide");
}

int main(void)
{
    for (size_t i = 0; i < COLUMNS * ROWS; i++)
        mpz_init(values[i / ROWS][i % ROWS]);
    test_values();
    test_sums();
    for (size_t i = 0; i < COLUMNS * ROWS; i++)
        mpz_clear(values[i / ROWS][i % ROWS]);
    return done_testing();
}
