#include "analyze/variance/estimate.h"

#include <math.h>
#include <string.h>

#include "stats/distributions/critical.h"
#include "stats/estimates/interval.h"

static const struct variance_range none = {NAN, NAN, NAN};

const char *variance_basis(const struct variance *variance)
{
    static const char *const names[] = {"cycles", "simulated-instructions", "thread-cpu-ns", "cpu-ns"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool all = variance_run_count(variance) > 0;
        for (size_t r = 0; r < variance_run_count(variance) && all; r++) {
            const struct variance_run *run = variance_run_at(variance, r);
            int m = variance_metric(variance, run, names[i]);
            all = m >= 0 && run->total[m] > 0;
        }
        if (all)
            return names[i];
    }
    uint32_t first = variance_run_count(variance) > 0 ? variance_run_at(variance, 0)->metrics[0] : FIELD_NONE;
    return first != FIELD_NONE ? variance_text(variance, first) : "time_ns";
}

/* ------------------------------------------------------------------------------------------ one run -- */

struct one_run {
    uint64_t n;
    size_t threads;
    double weight, sum;                 /* Σw, Σwx */
    struct weighted_moments deviations; /* from the threads' means, around 0 */
    double freedom;                     /* Σ over threads of Σw − Σw²/Σw */
    double times, with_time;            /* Σw(t−t̄)², Σw(t−t̄)(x−x̄) */
    double first, last;
    double noise_variance;                       /* of the recorder's traps, in an instance */
    double inclusive, total;                     /* of the basis */
    double means, squares;                       /* of threads with two instances or more: Σm, Σm² */
    double noise, noise_squares, noise_products; /* Σs²/n, Σ(s²/n)², Σ(m−M)²s²/n */
    size_t compared;
};

static double estimate_noise(const struct weighted_moments *values)
{
    double sd;
    return weighted_moments_sd(values, &sd) ? 0 : sd * sd / weighted_moments_effective(values);
}

/* Adds a thread. One with a single instance can't be distinguished from its noise. */
static void estimate_add_cell(struct one_run *run, const struct variance_cell *cell, int metric, int basis)
{
    const struct weighted_moments *values = &cell->values[metric];
    run->inclusive += basis >= 0 ? cell->inclusive[basis] : 0;
    if (values->n == 0)
        return;
    struct weighted_moments centred = *values;
    centred.mean = 0;
    weighted_moments_merge(&run->deviations, &centred);
    run->freedom += values->weight - values->weight_squares / values->weight;
    run->weight += values->weight;
    run->sum += values->weight * values->mean;
    run->times += cell->times.second;
    run->with_time += cell->with_time[metric];
    run->first = run->threads == 0 || cell->first < run->first ? cell->first : run->first;
    run->last = run->threads == 0 || cell->last > run->last ? cell->last : run->last;
    run->n += values->n;
    run->threads++;
    if (values->n < 2)
        return;
    run->compared++;
    run->means += values->mean;
    run->noise += estimate_noise(values);
    run->noise_squares += estimate_noise(values) * estimate_noise(values);
}

static struct cov_interval estimate_within(const struct one_run *run, double confidence)
{
    struct cov_interval cov;
    struct weighted_moments moments = run->deviations;
    double own = moments.weight - moments.weight_squares / moments.weight;
    if (run->n < 2 || run->freedom <= 0)
        return (struct cov_interval){NAN, NAN, NAN, false};
    moments.mean = run->sum / run->weight;
    double scale = own / run->freedom; /* each thread's mean takes a degree of freedom */
    moments.second *= scale;
    moments.third *= scale * sqrt(scale);
    moments.fourth *= scale * scale;
    cov_interval_of(&moments, confidence, &cov);
    return cov;
}

static double estimate_subtract(double value, double part)
{
    return value <= part ? 0 : sqrt(value * value - part * part); /* NAN stays NAN */
}

/* The coefficient of variation without the recorder's own. */
static struct variance_range estimate_without_noise(const struct one_run *run, const struct cov_interval *cov)
{
    double part = sqrt(run->noise_variance) / (run->sum / run->weight);
    if (!(part > 0))
        return (struct variance_range){cov->cov, cov->low, cov->high};
    return (struct variance_range){estimate_subtract(cov->cov, part), estimate_subtract(cov->low, part),
                                   estimate_subtract(cov->high, part)};
}

static struct variance_range estimate_between(const struct one_run *run, double confidence)
{
    double t, threads = (double)run->compared, mean = run->means / threads;
    if (run->compared < 2 || !(mean > 0) || critical_t(confidence, INFINITY, &t))
        return none;
    double variance = run->squares / (threads - 1) - run->noise / threads;
    /* (m−M)² overestimates its expected value by the noise, whence the second term is subtracted once. */
    double error = sqrt(fmax(4 * run->noise_products - 2 * run->noise_squares, 2 * run->noise_squares)) / (threads - 1);
    double likely = fmax(variance, 0);
    return (struct variance_range){sqrt(likely) / mean, sqrt(fmax(variance - t * error, 0)) / mean,
                                   sqrt(likely + t * error) / mean};
}

static struct variance_range estimate_trend(const struct one_run *run, double confidence)
{
    double t, n = weighted_moments_effective(&run->deviations), mean = run->sum / run->weight;
    double freedom = n - (double)run->threads - 1;
    if (!(freedom >= 2) || !(run->times > 0) || !(mean > 0) || critical_t(confidence, freedom, &t))
        return none;
    double slope = run->with_time / run->times;
    double rest = fmax(run->deviations.second - slope * run->with_time, 0) / run->weight * n / freedom;
    double error = sqrt(rest / (run->times / run->weight) / n), factor = (run->last - run->first) / mean;
    return (struct variance_range){slope * factor, (slope - t * error) * factor, (slope + t * error) * factor};
}

/* ------------------------------------------------------------------------------------------ runs -- */

/* The mean of runs, with its interval over them. */
struct over_runs {
    double sum, squares;
    size_t n;
    struct variance_range only;
};

static void estimate_add_run(struct over_runs *runs, struct variance_range range)
{
    if (isnan(range.value))
        return;
    runs->only = range;
    runs->sum += range.value;
    runs->squares += range.value * range.value;
    runs->n++;
}

static struct variance_range estimate_mean_of_runs(const struct over_runs *runs, const struct analysis_options *options)
{
    struct interval interval;
    if (runs->n == 0)
        return none;
    if (runs->n == 1)
        return runs->only;
    double n = (double)runs->n, mean = runs->sum / n;
    double sd = sqrt(fmax(runs->squares - n * mean * mean, 0) / (n - 1));
    if (interval_mean_of(runs->n, mean, sd, options->use_z ? INTERVAL_Z : INTERVAL_T, options->confidence, &interval))
        return (struct variance_range){mean, NAN, NAN};
    return (struct variance_range){mean, interval.low, interval.high};
}

static void estimate_sum_run(const struct variance *variance, uint32_t which, const uint32_t *cells, size_t count,
                             int metric, int basis, struct one_run *run)
{
    double noise = variance_noise_sd(&variance_run_at(variance, which)->noise[metric]);
    *run = (struct one_run){.total = basis >= 0 ? variance_run_at(variance, which)->total[basis] : 0,
                            .noise_variance = noise * noise};
    for (size_t i = 0; i < count; i++)
        if (variance_cell_at(variance, cells[i])->run == which)
            estimate_add_cell(run, variance_cell_at(variance, cells[i]), metric, basis);
    double mean = run->means / (double)run->compared;
    for (size_t i = 0; i < count; i++) {
        const struct variance_cell *cell = variance_cell_at(variance, cells[i]);
        const struct weighted_moments *values = &cell->values[metric];
        if (cell->run != which || values->n < 2)
            continue;
        double away = values->mean - mean;
        run->squares += away * away;
        run->noise_products += away * away * estimate_noise(values);
    }
}

void variance_estimate(const struct variance *variance, const uint32_t *cells, size_t count, const char *metric,
                       const char *basis, const struct analysis_options *options, struct variance_estimate *out)
{
    static const double MUCH = 0.25;
    struct over_runs within = {0}, between = {0}, trend = {0}, share = {0};
    double weight = 0, sum = 0, squares = 0, freedom = 0, noise = 0;
    *out = (struct variance_estimate){.mean = NAN, .sd = NAN};
    for (uint32_t r = 0; r < variance_run_count(variance); r++) {
        const struct variance_run *item = variance_run_at(variance, r);
        int m = variance_metric(variance, item, metric), b = variance_metric(variance, item, basis);
        struct one_run run;
        if (m < 0)
            continue;
        estimate_sum_run(variance, r, cells, count, m, b, &run);
        if (run.total > 0) {
            double part = run.inclusive / run.total;
            estimate_add_run(&share, (struct variance_range){part, NAN, NAN});
        }
        if (run.n == 0)
            continue;
        struct cov_interval cov = estimate_within(&run, options->confidence);
        out->heavy |= cov.heavy;
        estimate_add_run(&within, estimate_without_noise(&run, &cov));
        noise += run.noise_variance * run.freedom;
        estimate_add_run(&between, estimate_between(&run, options->confidence));
        estimate_add_run(&trend, estimate_trend(&run, options->confidence));
        out->n += run.n;
        out->threads += run.threads;
        out->runs++;
        weight += run.weight;
        sum += run.sum;
        squares += run.deviations.second;
        freedom += run.freedom;
    }
    if (weight > 0)
        out->mean = sum / weight;
    if (freedom > 0)
        out->sd = sqrt(fmax(squares - noise, 0) / freedom);
    out->noisy = noise > MUCH * squares;
    out->within = estimate_mean_of_runs(&within, options);
    out->between = estimate_mean_of_runs(&between, options);
    out->trend = estimate_mean_of_runs(&trend, options);
    out->share = estimate_mean_of_runs(&share, options);
    if (out->within.low < 0)
        out->within.low = 0;
    if (out->between.low < 0)
        out->between.low = 0;
}
