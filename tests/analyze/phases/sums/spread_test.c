/* Distinct values and buckets: few values are exact, buckets stay within the limit, and the order does not matter. */
#include "analyze/phases/sums/spread.h"

#include <stdlib.h>

#include "base/rng.h"
#include "tests/tap.h"

enum { LIMIT = 64, VALUES = 20000 };

static uint64_t draw(void)
{
    static struct rng state = {20041024};
    return rng_next(&state);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(const struct spread *spread, double share)
{
    struct rank_value *values = spread_sorted(spread);
    double found = spread_quantile(values, spread->used, share);
    free(values);
    return found;
}

/* R: quantile(c(1e9, 5e9, 6e9, 7000000001, 2^53), c(0.5, 0.9, 0.99), type = 7) */
static void test_exact(void)
{
    static const double x[] = {5e9, 7000000001, 1e9, 9007199254740992, 6e9};
    struct spread spread = {.limit = LIMIT};
    for (size_t i = 0; i < 5; i++)
        spread_add(&spread, x[i]);
    spread_flush(&spread);
    ok(spread_error(&spread) == 0, "few values are exact");
    is_real(quantile(&spread, 0.5), 6e9, 1e-15, "the median");
    is_real(quantile(&spread, 0.9), 7000000001 + 0.6 * (9007199254740992 - 7000000001), 1e-15, "type 7 interpolates");
    is_real(quantile(&spread, 1), 9007199254740992, 0, "the largest");
    spread_free(&spread);
}

static void test_many(void)
{
    static double x[VALUES];
    struct spread spread = {.limit = LIMIT}, backwards = {.limit = LIMIT}, parts[7], joined = {.limit = LIMIT};
    for (size_t p = 0; p < 7; p++)
        parts[p] = (struct spread){.limit = LIMIT};
    for (size_t i = 0; i < VALUES; i++)
        x[i] = (double)(1000 + draw() % 100000 * (draw() % 50));
    for (size_t i = 0; i < VALUES; i++) {
        spread_add(&spread, x[i]);
        spread_add(&backwards, x[VALUES - 1 - i]);
        spread_add(&parts[draw() % 7], x[i]);
    }
    spread_flush(&spread);
    spread_flush(&backwards);
    for (size_t p = 0; p < 7; p++) {
        spread_flush(&parts[p]);
        spread_merge(&joined, &parts[p]);
        spread_free(&parts[p]);
    }
    json_t *one = spread_save(&spread), *two = spread_save(&backwards), *three = spread_save(&joined);
    ok(json_equal(one, two) && json_equal(one, three), "any order and any split into parts give the same buckets");
    ok(spread.used <= LIMIT && spread.n == VALUES && spread_error(&spread) > 0, "buckets do not exceed the limit");
    struct spread loaded = {.limit = LIMIT};
    ok(spread_load(one, &loaded), "a saved state is loaded");
    json_t *again = spread_save(&loaded);
    ok(json_equal(one, again) && loaded.n == spread.n, "  it is the same");
    qsort(x, VALUES, sizeof *x, by_value);
    bool good = true;
    for (int p = 1; p < 100; p++) {
        double exact = x[(VALUES - 1) * (size_t)p / 100];
        good &= fabs(quantile(&spread, p / 100.) - exact) <= 1.01 * spread_error(&spread) * exact + 1000;
    }
    ok(good, "99 percentiles are within the stated error");
    json_decref(one);
    json_decref(two);
    json_decref(three);
    json_decref(again);
    spread_free(&spread);
    spread_free(&backwards);
    spread_free(&joined);
    spread_free(&loaded);
}

static void test_bad_states(void)
{
    static const char *const bad[] = {"[]",        "[0, 1]",     "[0, -1, 1]",
                                      "[0, 1, 0]", "[99, 1, 1]", "[0, 9218868437227405313, 1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct spread spread = {.limit = LIMIT};
        json_t *saved = json_loads(bad[i], 0, NULL);
        ok(!spread_load(saved, &spread), "not a state: %s", bad[i]);
        json_decref(saved);
        spread_free(&spread);
    }
}

int main(void)
{
    test_exact();
    test_many();
    test_bad_states();
    return done_testing();
}
