/*
 * ljung_box_rate_test [REPLICATES] - simulates how often Ljung-Box at alpha = 0.0001 rejects independent intervals.
 *
 * The intervals are uniform in 10 ± 3 ms, alone and with 1 % of long stalls, as they are and capped at twice the
 * period. Without an argument, runs few replicates of the small sizes, and fails if the result is very unlikely. With
 * 100000 (a few minutes), prints the figures that autocorrelation.h and the man page of assay-intervals state.
 */
#include "stats/autocorrelation/autocorrelation.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

enum kind { UNIFORM, STALLS, CAPPED };
static const char *const kind_names[] = {"uniform", "with stalls", "with stalls, capped"};
static const double alpha = 0.0001;

static int64_t draw(enum kind kind)
{
    double interval = 7e6 + 6e6 * rng_uniform();
    if (kind != UNIFORM && rng_uniform() < 0.01)
        interval += 100e6 * rng_uniform();
    return (int64_t)(kind == CAPPED && interval > 20e6 ? 20e6 : interval);
}

static bool rejected(enum kind kind, size_t n, size_t lags)
{
    static int64_t x[10000];
    struct autocorrelation *state = NULL;
    struct ljung_box box = {.p = 1};
    for (size_t i = 0; i < n; i++)
        x[i] = draw(kind);
    autocorrelation_new(lags, &state);
    autocorrelation_add(state, x, n);
    autocorrelation_ljung_box(state, lags, &box);
    autocorrelation_free(state);
    return box.p < alpha;
}

static double rate(enum kind kind, size_t n, size_t lags, unsigned replicates)
{
    unsigned rejections = 0;
    for (unsigned i = 0; i < replicates; i++)
        rejections += rejected(kind, n, lags);
    double share = rejections / (double)replicates;
    printf("# n %5zu, lags %3zu, %-19s: rejected %.5f ± %.5f at alpha %g\n", n, lags, kind_names[kind], share,
           sqrt(share / replicates), alpha);
    fflush(stdout);
    return share;
}

static void print_table(unsigned replicates)
{
    static const size_t sizes[] = {50, 100, 200, 500, 1000, 2000, 5000, 10000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i], all = n > 100 ? 100 : n - 1, used = autocorrelation_lags_for(n, 100);
        unsigned times = n > 1000 ? replicates / 2 : replicates;
        if (all != used)
            rate(UNIFORM, n, all, times);
        for (enum kind kind = UNIFORM; kind <= CAPPED; kind++)
            rate(kind, n, used, times);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        print_table((unsigned)strtoul(argv[1], NULL, 10));
    /* 20000 replicates: a rate of 0.0028 gives 56 rejections, more than 100 once in a million runs; the seed is fixed.
     */
    ok(rate(UNIFORM, 100, autocorrelation_lags_for(100, 100), 20000) < 0.005,
       "n 100: the rate with n/5 lags is below 0.005");
    ok(rate(UNIFORM, 500, autocorrelation_lags_for(500, 100), 20000) < 0.005,
       "n 500: the rate with 100 lags is below 0.005");
    ok(rate(CAPPED, 500, autocorrelation_lags_for(500, 100), 20000) < 0.005, "n 500: also with capped stalls");
    ok(rate(UNIFORM, 200, 100, 5000) > 0.005, "n 200: with 100 lags, too many, it is above");
    return done_testing();
}
