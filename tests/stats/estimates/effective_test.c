/*
 * effective_test [REPLICATES] - effective sample size, and how often the interval that it corrects covers the mean.
 *
 * Without an argument, tests few replicates of some processes against the limits; with 20000 (minutes), prints the
 * coverages that effective.h states.
 */
#include "stats/estimates/effective.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

static void test_invalid(void)
{
    struct effective out = {.ess = 42}, good = {50, 30, 1}, none = {1, 1, 1};
    struct interval interval = {.mean = 42};
    double r[] = {0.1, 0.2}, bad[] = {0.1, NAN}, large[] = {1, 0};
    ok(effective_of(r, 0, 100, &out) == STATS_TOO_FEW, "no autocorrelations are too few");
    ok(effective_of(r, 2, EFFECTIVE_N_MIN - 1, &out) == STATS_TOO_FEW, "few values are too few");
    ok(effective_of(r, 2, 2, &out) == STATS_TOO_FEW, "as many values as lags are too few");
    ok(effective_of(bad, 2, 100, &out) == STATS_DOMAIN, "NaN is not an autocorrelation");
    ok(effective_of(large, 2, 100, &out) == STATS_DOMAIN, "  nor is 1");
    struct series few = {0}, constant = {0};
    series_append(&few, (struct decimal[]){{1, 0}, {2, 0}}, 2);
    for (int i = 0; i < 20; i++)
        series_append(&constant, &(struct decimal){5, 0}, 1);
    ok(effective_of_series(&few, 1, &out) == STATS_TOO_FEW, "a series of two values is too short");
    ok(effective_of_series(&constant, 1, &out) == STATS_CONSTANT, "a constant series has no effective size");
    ok(out.ess == 42, "  and no error writes a result");
    series_free(&few);
    series_free(&constant);
    ok(effective_interval(&good, 100, NAN, 1, 0.95, &interval) == STATS_DOMAIN, "a mean of NaN is refused");
    ok(effective_interval(&good, 100, 1, -1, 0.95, &interval) == STATS_DOMAIN, "a negative sd is refused");
    ok(effective_interval(&good, 100, 1, 1, 1, &interval) == STATS_DOMAIN, "confidence 1 is refused");
    ok(effective_interval(&good, 1, 1, 1, 0.95, &interval) == STATS_TOO_FEW, "one value has no interval");
    ok(effective_interval(&none, 100, 1, 1, 0.95, &interval) == STATS_DOMAIN, "an effective size of 1 has no interval");
    ok(effective_interval(&good, 100, 1.7e308, 1e308, 0.95, &interval) == STATS_OVERFLOW,
       "bounds beyond a double are an overflow");
    ok(interval.mean == 42, "  and no error writes a result");
}

/* By hand. */
static void test_known(void)
{
    struct effective out;
    ok(effective_lags(10) == 1 && effective_lags(50) == 5 && effective_lags(100) == 10 && effective_lags(200) == 20 &&
           effective_lags(1000) == 30,
       "the number of lags is n/10, up to 10·log10(n)");
    /* (100·0.5 + 1)/96 = 0.53125; 1 + 98·0.46875²/0.75; 100/(1 + 2·1.53125/0.46875) */
    effective_of((double[]){0.5}, 1, 100, &out);
    ok(out.order == 1, "one lag gives an autoregression of order 1");
    is_real(out.ess, 29.7109375, 1e-14, "r = 0.5: the effective size");
    is_real(out.dof, 13.27433628318584, 1e-14, "  and degrees of freedom");
    effective_of((double[]){-0.5}, 1, 100, &out);
    /* −49/96; 1 + 98·(145/96)²/0.75; 100/(1 + 2·47/145) */
    is_real(out.ess, 1 + 98 * (145.0 / 96) * (145.0 / 96) / 0.75, 1e-14, "r = -0.5: an effective size larger than n");
    is_real(out.dof, 100 / (1 + 2 * 47.0 / 145), 1e-14, "  and degrees of freedom");
    /* r = 0.5, 0.6: partial autocorrelations 0.5 and 0.35/0.75 = 7/15; AICc prefers two, by 200·0.123 against 2.1. */
    effective_of((double[]){0.5, 0.6}, 2, 200, &out);
    double first = 101.0 / 196, second = (200 * 7.0 / 15 + 2) / 195, gain = (1 - first) * (1 - second);
    ok(out.order == 2, "two lags give order 2");
    is_real(out.ess, 1 + 197 * gain * gain / (0.75 * (1 - 49.0 / 225)), 1e-14,
            "  the effective size from two partial autocorrelations");
    double last = (1 + second) / (1 - second), both = last * (1 + first) / (1 - first);
    is_real(out.dof, 200 / (1 + 2 * (last + both)), 1e-14, "  and degrees of freedom");
    /* All partial autocorrelations of a geometric sequence but the first are 0. */
    effective_of((double[]){0.6, 0.36, 0.216, 0.1296}, 4, 1000, &out);
    ok(out.order == 1, "r_k = 0.6^k gives order 1");
    struct interval naive, corrected;
    interval_mean_of(100, 5, 2, INTERVAL_T, 0.9, &naive);
    effective_interval(&(struct effective){100, 99, 1}, 100, 5, 2, 0.9, &corrected);
    is_real(corrected.half, naive.half, 1e-14, "an effective size of n gives the naive interval");
    effective_interval(&(struct effective){100.0 / 4 + 0.75, 99, 1}, 100, 5, 2, 0.9, &corrected);
    is_real(corrected.half, 2 * naive.half, 1e-14, "  and one of a quarter of n − 1 an interval of twice the length");
    ok(corrected.mean == 5 && corrected.low == 5 - corrected.half && corrected.high == 5 + corrected.half,
       "  around the mean");
}

/* A line has an effective size of hardly more than one value, a strict alternation one of more than n. */
static void test_extremes(void)
{
    struct series line = {0}, teeth = {0};
    struct effective out;
    for (int64_t i = 0; i < 1000; i++) {
        series_append(&line, &(struct decimal){i, 0}, 1);
        series_append(&teeth, &(struct decimal){i % 2, 0}, 1);
    }
    enum stats_status status = effective_of_series(&line, 1, &out);
    ok(!status && out.ess > 1 && out.ess < 5 && out.dof >= 1 && out.dof < 3,
       "1, 2 … 1000: effective size %.2f, dof %.2f", out.ess, out.dof);
    status = effective_of_series(&teeth, 2, &out);
    ok(!status && out.ess > 1000 && isfinite(out.ess) && out.dof <= 999, "0, 1, 0, 1 …: effective size %g, dof %.1f",
       out.ess, out.dof);
    series_free(&line);
    series_free(&teeth);
}
/* --- Coverage --- */

static double normal(void)
{
    double u = rng_uniform();
    while (u == 0)
        u = rng_uniform();
    return sqrt(-2 * log(u)) * cos(2 * M_PI * rng_uniform()); /* Box and Muller 1958 */
}

enum { N_MAX = 1000 };

struct process {
    double rho;
    bool log_normal; /* e^x of the normal series */
};

/* A stationary AR(1) series of variance 1. */
static void draw_series(struct process process, double *x, size_t n)
{
    double value = normal(), noise = sqrt(1 - process.rho * process.rho);
    for (size_t i = 0; i < n; i++) {
        x[i] = process.log_normal ? exp(value) : value;
        value = process.rho * value + noise * normal();
    }
}

struct covered {
    bool naive, corrected;
    double ess;
};

static struct covered covers(struct process process, size_t n)
{
    static double x[N_MAX];
    double r[N_MAX], sum = 0, squares = 0, truth = process.log_normal ? exp(0.5) : 0;
    size_t lags = effective_lags(n);
    draw_series(process, x, n);
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    for (size_t k = 1; k <= lags; k++) {
        double products = 0;
        for (size_t i = k; i < n; i++)
            products += (x[i] - mean) * (x[i - k] - mean);
        r[k - 1] = products / squares;
    }
    struct effective effective = {0};
    struct interval naive = {0}, corrected = {0};
    double sd = sqrt(squares / (double)(n - 1));
    effective_of(r, lags, n, &effective);
    interval_mean_of(n, mean, sd, INTERVAL_T, 0.95, &naive);
    effective_interval(&effective, n, mean, sd, 0.95, &corrected);
    return (struct covered){naive.low <= truth && truth <= naive.high,
                            corrected.low <= truth && truth <= corrected.high, effective.ess};
}

struct rates {
    double naive, corrected, log_ess;
};

static struct rates rates_of(struct process process, size_t n, unsigned replicates)
{
    struct rates rates = {0};
    for (unsigned i = 0; i < replicates; i++) {
        struct covered covered = covers(process, n);
        rates.naive += covered.naive;
        rates.corrected += covered.corrected;
        rates.log_ess += log(covered.ess / (double)n);
    }
    rates.naive /= replicates;
    rates.corrected /= replicates;
    rates.log_ess /= replicates;
    printf("# n %4zu, rho %4.1f%s: naive %.4f, corrected %.4f, ess/n %.3f", n, process.rho,
           process.log_normal ? ", log-normal" : "", rates.naive, rates.corrected, exp(rates.log_ess));
    if (!process.log_normal)
        printf(" (true %.3f)", (1 - process.rho) / (1 + process.rho));
    putchar('\n');
    fflush(stdout);
    return rates;
}

static void print_table(unsigned replicates)
{
    static const double rhos[] = {-0.9, -0.7, -0.5, -0.3, 0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9};
    static const size_t sizes[] = {10, 20, 30, 50, 100, 200, 500, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++)
            for (int log_normal = 0; log_normal < 2; log_normal++)
                rates_of((struct process){rhos[i], log_normal}, sizes[s], replicates);
}

/* 10000 replicates have a standard deviation of 0.0022: a value in the middle of 0.93 … 0.97 stays inside. */
static void test_coverage(unsigned replicates)
{
    static const double rhos[] = {-0.7, -0.3, 0, 0.2, 0.5, 0.7};
    for (size_t n = 100; n <= 300; n += 200)
        for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++) {
            struct rates rates = rates_of((struct process){rhos[i], false}, n, replicates);
            ok(rates.corrected >= 0.93 && rates.corrected <= 0.97,
               "n %zu, rho %g: corrected interval covers 93 to 97 %%", n, rhos[i]);
            if (fabs(rhos[i]) >= 0.3)
                ok(rates.naive < 0.9 || rates.naive > 0.98, "  where the naive one does not");
        }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        print_table((unsigned)strtoul(argv[1], NULL, 10));
        return 0;
    }
    test_invalid();
    test_known();
    test_extremes();
    test_coverage(10000);
    return done_testing();
}
