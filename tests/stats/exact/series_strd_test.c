/*
 * series_strd_test.c - the univariate NIST StRD sets, read as decimals: at least 14.5 digits of the certified mean, sd
 * and lag-1 autocorrelation (the certified ones have 15), and the exact results, rounded once.
 */
#include "stats/exact/real_moments.h"
#include "stats/autocorrelation/series_autocorrelation.h"

#include "tests/stats/strd.h"
#include "tests/tap.h"

static const double lre_14_5 = 3.16e-15;

struct results {
    double mean, sd, r1;
};

static struct results of(const struct decimal *values, size_t n)
{
    struct results results = {NAN, NAN, NAN};
    struct real_moments moments = {0};
    struct series series = {0};
    real_moments_add(&moments, values, n);
    real_moments_mean(&moments, &results.mean);
    real_moments_sd(&moments, &results.sd);
    series_append(&series, values, n);
    series_autocorrelation(&series, 1, 2, &results.r1);
    series_free(&series);
    return results;
}

static void is_certified(const char *name, struct results got, double mean, double sd, double r1)
{
    char what[96];
    snprintf(what, sizeof what, "NIST %s: mean", name);
    is_real(got.mean, mean, lre_14_5, what);
    snprintf(what, sizeof what, "NIST %s: sd", name);
    is_real(got.sd, sd, lre_14_5, what);
    snprintf(what, sizeof what, "NIST %s: lag-1 autocorrelation", name);
    is_real(got.r1, r1, lre_14_5, what);
}

static void test_files(void)
{
    /* Computed by exact rational arithmetic (Python's fractions, mpmath's root), rounded to double. */
    static const struct {
        const char *name;
        struct results exact;
    } known[] = {
        {"univ/Lew", {-177.435, 277.3321680443161, -0.30730480060567944}},
        {"univ/Michelso", {299.8524, 0.07901054781905177, 0.5351996686212833}},
        {"univ/NumAcc1", {10000002.0, 1.0, -0.5}},
        {"univ/NumAcc3", {1000000.2, 0.1, -0.999}},
        {"univ/PiDigits", {4.5348, 2.867339060288708, -0.0035509928723797216}},
    };
    static struct strd data;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strd_there(known[i].name))
            continue;
        ok(strd_read(known[i].name, &data), "NIST %s: the whole file is read", known[i].name);
        struct results got = of(data.values, data.n), exact = known[i].exact;
        is_certified(known[i].name, got, data.mean, data.sd, data.r1);
        ok(got.mean == exact.mean && got.sd == exact.sd && got.r1 == exact.r1,
           "NIST %s: the exact results are rounded once", known[i].name);
    }
}

/* Sets made by a formula: 1001 values, the first and then alternately one below and one above. By construction the
 * certified mean is the first value, the sd 0.1, r1 -0.999. NumAcc3 has its file above. */
static void test_formulas(void)
{
    static const struct {
        const char *name, *first, *below, *above;
        double mean;
    } known[] = {{"NumAcc2", "1.2", "1.1", "1.3", 1.2},
                 {"NumAcc3", "1000000.2", "1000000.1", "1000000.3", 1000000.2},
                 {"NumAcc4", "10000000.2", "10000000.1", "10000000.3", 10000000.2}};
    static struct decimal values[1001];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool good = true;
        for (size_t k = 0; k < 1001; k++) {
            const char *text = k == 0 ? known[i].first : k % 2 ? known[i].below : known[i].above;
            good &= !decimal_parse(text, strlen(text), &values[k]);
        }
        struct results got = of(values, 1001);
        is_certified(known[i].name, got, known[i].mean, 0.1, -0.999);
        ok(good && got.mean == known[i].mean && got.sd == 0.1 && got.r1 == -0.999,
           "NIST %s: the exact results are rounded once", known[i].name);
    }
}

int main(void)
{
    test_files();
    test_formulas();
    return done_testing();
}
