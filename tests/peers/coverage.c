/*
 * coverage - simulates how often 95 % intervals cover the truth. Each cell has its own fixed seed.
 *
 * Prints one row per cell: the share of intervals that cover it, with its 95 % interval, and PASS or FAIL where limits
 * are promised. The exit status is 1 if a cell fails.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/effective.h"
#include "stats/estimates/geomean.h"
#include "stats/estimates/interval.h"
#include "stats/estimates/ratio.h"

enum { N_MAX = 1000, THREADS = 2, LAGS_MAX = 200 };

struct random {
    uint64_t state[2];
    double spare;
    bool has_spare;
};

/* xoroshiro128++ (Blackman and Vigna 2019). */
static uint64_t next(struct random *random)
{
    uint64_t a = random->state[0], b = random->state[1], sum = a + b, result = (sum << 17 | sum >> 47) + a;
    b ^= a;
    random->state[0] = (a << 49 | a >> 15) ^ b ^ b << 21;
    random->state[1] = b << 28 | b >> 36;
    return result;
}

static double uniform(struct random *random)
{
    return ((double)(next(random) >> 11) + 0.5) * 0x1p-53;
}

/* Marsaglia's polar method. */
static double normal(struct random *random)
{
    double x, y, s;
    if (random->has_spare) {
        random->has_spare = false;
        return random->spare;
    }
    do {
        x = 2 * uniform(random) - 1;
        y = 2 * uniform(random) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s == 0);
    double scale = sqrt(-2 * log(s) / s);
    random->spare = y * scale;
    random->has_spare = true;
    return x * scale;
}

enum kind { MEAN_T, MEAN_Z, LOGNORMAL_T, LOGNORMAL_GEOMEAN, RATIO_FIELLER, RATIO_BCA, AR_NAIVE, AR_CORRECTED };

struct cell {
    const char *what;
    enum kind kind;
    size_t n;
    double rho;
    unsigned replications;
    double least, most; /* the promised limits; with 0 and 1 the share is only reported */
};

static void fill_normal(struct random *random, double *x, size_t n, double mean, double sd)
{
    for (size_t i = 0; i < n; i++)
        x[i] = mean + sd * normal(random);
}

static void fill_autoregressive(struct random *random, double *x, size_t n, double rho)
{
    double scale = sqrt(1 - rho * rho), last = normal(random);
    for (size_t i = 0; i < n; i++, last = rho * last + scale * normal(random))
        x[i] = last;
}

static bool holds(const struct interval *interval, double truth)
{
    return interval->low <= truth && truth <= interval->high;
}

static bool corrected_holds(const double *x, size_t n)
{
    double r[LAGS_MAX], mean = 0, squares = 0;
    struct effective effective;
    struct interval interval;
    size_t lags = effective_lags(n);
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    for (size_t lag = 1; lag <= lags; lag++) {
        double sum = 0;
        for (size_t i = 0; i + lag < n; i++)
            sum += (x[i] - mean) * (x[i + lag] - mean);
        r[lag - 1] = sum / squares;
    }
    return effective_of(r, lags, n, &effective) == STATS_OK &&
           effective_interval(&effective, n, mean, sqrt(squares / (double)(n - 1)), 0.95, &interval) == STATS_OK &&
           holds(&interval, 0);
}

static bool ratio_holds(struct random *random, double *x, double *y, size_t n, bool bootstrap)
{
    struct ratio ratio;
    struct interval a, b;
    fill_normal(random, x, n, 1.2, 0.12);
    fill_normal(random, y, n, 1, 0.1);
    if (bootstrap)
        return ratio_bootstrap((struct ratio_sample){x, n}, (struct ratio_sample){y, n}, RATIO_RESAMPLES, 0.95,
                               &ratio) == STATS_OK &&
               ratio.low <= 1.2 && 1.2 <= ratio.high;
    interval_mean(x, n, INTERVAL_T, 0.95, &a);
    interval_mean(y, n, INTERVAL_T, 0.95, &b);
    double q = 1;
    interval_quantile(INTERVAL_T, (double)(n - 1), 0.95, &q);
    double root = sqrt((double)n) / q;
    return ratio_fieller((struct ratio_side){n, a.mean, a.half * root}, (struct ratio_side){n, b.mean, b.half * root},
                         0.95, &ratio) == STATS_OK &&
           ratio.low <= 1.2 && 1.2 <= ratio.high;
}

static bool replicate(const struct cell *cell, struct random *random, double *x, double *y)
{
    struct interval interval = {0};
    size_t n = cell->n;
    switch (cell->kind) {
    case MEAN_T:
    case MEAN_Z:
        fill_normal(random, x, n, 10, 1);
        interval_mean(x, n, cell->kind == MEAN_T ? INTERVAL_T : INTERVAL_Z, 0.95, &interval);
        return holds(&interval, 10);
    case LOGNORMAL_T:
    case LOGNORMAL_GEOMEAN:
        fill_normal(random, x, n, 0, 0.5);
        for (size_t i = 0; i < n; i++)
            x[i] = exp(x[i]);
        if (cell->kind == LOGNORMAL_T)
            interval_mean(x, n, INTERVAL_T, 0.95, &interval);
        else
            geomean_interval(x, n, INTERVAL_T, 0.95, &interval);
        return holds(&interval, cell->kind == LOGNORMAL_T ? exp(0.125) : 1);
    case RATIO_FIELLER:
    case RATIO_BCA:
        return ratio_holds(random, x, y, n, cell->kind == RATIO_BCA);
    case AR_NAIVE:
    case AR_CORRECTED:
        fill_autoregressive(random, x, n, cell->rho);
        if (cell->kind == AR_CORRECTED)
            return corrected_holds(x, n);
        interval_mean(x, n, INTERVAL_T, 0.95, &interval);
        return holds(&interval, 0);
    }
    return false;
}

struct share {
    const struct cell *cell;
    uint64_t seed;
    unsigned replications, held;
};

static void *work(void *argument)
{
    struct share *share = argument;
    struct random random = {.state = {share->seed * 0x9e3779b97f4a7c15 + 1, ~share->seed}};
    double x[N_MAX], y[N_MAX];
    for (unsigned i = 0; i < 20; i++)
        next(&random);
    for (unsigned i = 0; i < share->replications; i++)
        share->held += replicate(share->cell, &random, x, y);
    return NULL;
}

static bool run(const struct cell *cell, uint64_t seed)
{
    struct share shares[THREADS];
    pthread_t threads[THREADS];
    unsigned held = 0;
    for (size_t i = 0; i < THREADS; i++) {
        shares[i] = (struct share){cell, seed * THREADS + i, cell->replications / THREADS, 0};
        if (pthread_create(&threads[i], NULL, work, &shares[i]) != 0)
            exit(2);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        held += shares[i].held;
    }
    double share = (double)held / cell->replications, se = sqrt(share * (1 - share) / cell->replications);
    bool promised = cell->most < 1, good = !promised || (share >= cell->least && share <= cell->most);
    printf("%-44s n %4zu  rho %4.1f  covers %.2f %% +- %.2f  %s\n", cell->what, cell->n, cell->rho, 100 * share,
           196 * se,
           !promised ? ""
           : good    ? "PASS"
                     : "FAIL");
    fflush(stdout);
    return good;
}

int main(void)
{
    static const size_t sizes[] = {5, 10, 30, 100, 1000};
    static const double rhos[] = {-0.3, 0, 0.3, 0.5, 0.7};
    enum { MANY = 60000, SOME = 20000, FEW = 2000 };
    uint64_t seed = 1;
    bool good = true;
    for (size_t i = 0; i < 5; i++) {
        good &= run(&(struct cell){"normal, mean, t", MEAN_T, sizes[i], 0, MANY, 0.945, 0.955}, seed++);
        good &= run(&(struct cell){"normal, mean, z (as the papers)", MEAN_Z, sizes[i], 0, MANY, 0, 1}, seed++);
    }
    for (size_t i = 0; i < 5; i++) {
        good &=
            run(&(struct cell){"log-normal (sd of log 0.5), mean, t", LOGNORMAL_T, sizes[i], 0, SOME, 0, 1}, seed++);
        good &= run(
            &(struct cell){"log-normal (sd of log 0.5), geometric mean", LOGNORMAL_GEOMEAN, sizes[i], 0, SOME, 0, 1},
            seed++);
    }
    for (size_t i = 1; i < 4; i++) {
        good &= run(&(struct cell){"ratio of means, Fieller", RATIO_FIELLER, sizes[i], 0, SOME, 0, 1}, seed++);
        good &= run(&(struct cell){"ratio of means, bootstrap BCa", RATIO_BCA, sizes[i], 0, FEW, 0, 1}, seed++);
    }
    for (size_t size = 3; size < 5; size++)
        for (size_t i = 0; i < 5; i++) {
            good &= run(&(struct cell){"AR(1), mean, t (not corrected)", AR_NAIVE, sizes[size], rhos[i], SOME, 0, 1},
                        seed++);
            good &= run(&(struct cell){"AR(1), mean, corrected", AR_CORRECTED, sizes[size], rhos[i], SOME, 0.93, 0.97},
                        seed++);
        }
    return good ? 0 : 1;
}
