/*
 * assay intervals - are the sampling intervals random?
 *
 * Records: sample (time, CPU time, number of the timer expiry). An interval is the difference of two consecutive
 * samples of a thread on the sampler's own clock, if their timer expiries are consecutive. Method: r and Ljung-Box as
 * R's acf() and Box.test(); stalls are capped, spread is that of the densest quarter: see stats/inference/randomness.h.
 * Source: Mytkowicz, Diwan, Hauswirth, Sweeney, "Evaluating the Accuracy of Java Profilers", PLDI 2010, §6.2, Fig. 7-8.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/analyzer.h"
#include "analyze/intervals/clock_series.h"
#include "analyze/cli/number.h"
#include "stats/estimates/interval.h"

enum { LAGS_MAX = 10000 };
enum { KEY_LAGS = 0x100, KEY_ALPHA, KEY_ACF, KEY_THREAD, KEY_LEAST_SAMPLES, KEY_LEAST_SPREAD, KEY_CAP };

struct intervals_options {
    struct clock_options clock; /* first: the state reads it */
    struct randomness_rules rules;
    bool acf;
};

static struct intervals_options own = {
    .clock = {.lags = 100, .cap_periods = 2},
    .rules = {.least_n = 50, .least_spread = 0.1, .alpha = 0.0001},
};

static const struct argp_option options[] = {
    {"lags", KEY_LAGS, "K", 0, "autocorrelations at lags 1 to K (default 100); the test uses at most n/5 of them", 0},
    {"alpha", KEY_ALPHA, "P", 0, "Ljung-Box rejects below this p (default 0.0001: many threads are tested at once)", 0},
    {"acf", KEY_ACF, NULL, 0, "show the autocorrelations, one row per lag; --plot needs them", 0},
    {"thread", KEY_THREAD, "NAME|ID", 0, "only threads of this name or thread id", 0},
    {"min-samples", KEY_LEAST_SAMPLES, "N", 0, "give no verdict on fewer intervals (default 50)", 0},
    {"min-spread", KEY_LEAST_SPREAD, "X", 0, "periodic if the spread is below X (default 0.1); 10 ± 3 ms has 0.3", 0},
    {"cap", KEY_CAP, "X", 0,
     "for correlation, intervals longer than X periods count as X periods (default 2; 0: no limit)", 0},
    {0}};

static int intervals_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    switch (key) {
    case KEY_LAGS:
        return number_parse_count(arg, 1, LAGS_MAX, &own.clock.lags);
    case KEY_ALPHA:
        return number_parse(arg, 1e-300, 0.5, &own.rules.alpha);
    case KEY_ACF:
        own.acf = true;
        return 0;
    case KEY_THREAD:
        own.clock.thread = arg;
        return 0;
    case KEY_LEAST_SAMPLES:
        return number_parse_count(arg, 2, (uint64_t)1 << 53, &own.rules.least_n);
    case KEY_LEAST_SPREAD:
        return number_parse(arg, 0, 2, &own.rules.least_spread);
    case KEY_CAP:
        return number_parse(arg, 0, 1e9, &own.clock.cap_periods);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

struct interval_row {
    const char *trace, *thread, *clock, *verdict;
    uint64_t n, dof, lag;
    double mean_ms, sd_ms, cv, lag1, q, p, log10_p, r, low, high;
    bool tested;
};

#define THREAD_COLUMNS                                                                                                 \
    COLUMN(interval_row, "trace", TABLE_TEXT, trace, "The path of the trace."),                                        \
        COLUMN(interval_row, "thread", TABLE_TEXT, thread,                                                             \
               "The thread's name, with #tid if threads of the trace share it."),                                      \
        COLUMN(interval_row, "clock", TABLE_TEXT, clock,                                                               \
               "The sampling clock: random, fixed, safepoint or period; unknown if the trace does not state it.")

static const struct column verdict_columns[] = {
    THREAD_COLUMNS,
    COLUMN(interval_row, "n", TABLE_COUNT, n, "The number of intervals."),
    COLUMN(interval_row, "mean_ms", TABLE_REAL, mean_ms, "Their mean, in milliseconds."),
    COLUMN(interval_row, "sd_ms", TABLE_REAL, sd_ms, "Their sample standard deviation, in milliseconds."),
    COLUMN(interval_row, "cv", TABLE_REAL, cv, "Their coefficient of variation, sd_ms / mean_ms."),
    COLUMN(interval_row, "lag1", TABLE_REAL, lag1,
           "Their autocorrelation at lag 1, r_1. It and the columns to log10_p are of capped intervals (see METHOD), "
           "and blank if the intervals are too few, all equal or too large."),
    COLUMN(interval_row, "q", TABLE_REAL, q, "The Ljung-Box statistic."),
    COLUMN(interval_row, "dof", TABLE_COUNT, dof,
           "The number of lags that it uses, which is the number of its degrees of freedom.",
           .present = offsetof(struct interval_row, tested)),
    COLUMN(interval_row, "p", TABLE_REAL, p, "The p-value of q."),
    COLUMN(interval_row, "log10_p", TABLE_REAL, log10_p, "The decimal logarithm of p."),
    COLUMN(interval_row, "verdict", TABLE_TEXT, verdict,
           "Whether the intervals can be taken as random; see VERDICTS.")};
static const struct column acf_columns[] = {
    THREAD_COLUMNS, COLUMN(interval_row, "lag", TABLE_COUNT, lag, "The lag, from 1 to --lags, and less than n."),
    COLUMN(interval_row, "r", TABLE_REAL, r, "The autocorrelation of the intervals, capped as for lag1, at this lag."),
    COLUMN(interval_row, "lo", TABLE_REAL, low,
           "-z/sqrt(n), for n intervals and the normal quantile z of --confidence. At each lag, r of independent "
           "intervals lies between lo and hi with this probability."),
    COLUMN(interval_row, "hi", TABLE_REAL, high, "z/sqrt(n).")};

enum { TABLE_VERDICTS, TABLE_ACF, TABLES };
static const struct columns tables[] = {[TABLE_VERDICTS] = COLUMNS("One row for each thread", verdict_columns),
                                        [TABLE_ACF] =
                                            COLUMNS("With --acf, one row for each thread and lag", acf_columns)};

static uint64_t intervals_series_count(const struct clock_series *series)
{
    return randomness_moments(series->intervals)->n;
}

/* The wanted lags that this series has. */
static size_t intervals_series_lags(const struct clock_series *series)
{
    size_t lags = autocorrelation_lags(randomness_judged(series->intervals));
    return own.clock.lags < lags ? own.clock.lags : lags;
}

static int intervals_add_verdict(struct report *report, const struct clock_set *set, const struct clock_series *series)
{
    static const char *const verdicts[] = {
        [RANDOMNESS_RANDOM] = "random",
        [RANDOMNESS_CORRELATED] = "not random: correlated",
        [RANDOMNESS_PERIODIC] = "not random: periodic",
        [RANDOMNESS_TOO_FEW] = "undecided: too few intervals",
        [RANDOMNESS_TOO_LARGE] = "undecided: intervals too large",
    };
    struct randomness_result result = {.verdict = RANDOMNESS_TOO_FEW, .correlated = STATS_TOO_FEW};
    struct randomness_rules rules = own.rules;
    rules.lags = intervals_series_lags(series);
    if (randomness_judge(series->intervals, &rules, &result) == STATS_NO_MEMORY)
        return ENOMEM;
    const struct moments *moments = randomness_moments(series->intervals);
    double mean = NAN, sd = NAN;
    moments_mean(moments, &mean);
    moments_sd(moments, &sd);
    bool tested = result.correlated == STATS_OK;
    const struct interval_row row = {.trace = clock_text(set, series->trace),
                                     .thread = clock_text(set, series->thread),
                                     .clock = clock_text(set, series->clock),
                                     .n = moments->n,
                                     .mean_ms = mean / 1e6,
                                     .sd_ms = sd / 1e6,
                                     .cv = mean > 0 ? sd / mean : NAN,
                                     .tested = tested,
                                     .lag1 = tested ? result.lag1 : NAN,
                                     .q = tested ? result.test.q : NAN,
                                     .dof = result.test.dof,
                                     .p = tested ? result.test.p : NAN,
                                     .log10_p = tested ? result.test.log10_p : NAN,
                                     .verdict = verdicts[result.verdict]};
    report_row(report, &row);
    return 0;
}

static int intervals_add_acf(struct table *table, const struct clock_set *set, const struct clock_series *series,
                             double confidence, size_t *left_out)
{
    uint64_t n = intervals_series_count(series);
    size_t lags = n > 0 && n - 1 < intervals_series_lags(series) ? (size_t)(n - 1) : intervals_series_lags(series);
    double z, *r = calloc(lags + 1, sizeof *r);
    if (!r)
        return ENOMEM;
    enum stats_status status = STATS_TOO_FEW;
    if (n >= own.rules.least_n)
        status = autocorrelation_r(randomness_judged(series->intervals), lags, r);
    *left_out += status != STATS_OK;
    interval_quantile(INTERVAL_Z, 0, confidence, &z);
    struct interval_row row = {.trace = clock_text(set, series->trace),
                               .thread = clock_text(set, series->thread),
                               .clock = clock_text(set, series->clock),
                               .low = -z / sqrt((double)n),
                               .high = z / sqrt((double)n)};
    for (row.lag = 1; !status && row.lag <= lags; row.lag++) {
        row.r = r[row.lag - 1];
        columns_add(table, &tables[TABLE_ACF], COLUMNS_MACHINE, 0, &row);
    }
    free(r);
    return 0;
}

/* The figure shows one thread of each clock: the one with the most intervals. */
static int intervals_add_figure(struct report *report, const struct clock_set *set)
{
    size_t left_out = 0;
    int error = 0;
    report->figure = columns_table(&tables[TABLE_ACF], COLUMNS_MACHINE, 0);
    if (!report->figure)
        return ENOMEM;
    for (size_t i = 0; !error && i < clock_series_count(set); i++) {
        const struct clock_series *series = clock_series_at(set, i);
        uint64_t n = intervals_series_count(series);
        bool is_longest = true;
        for (size_t other = 0; other < clock_series_count(set) && is_longest; other++) {
            uint64_t others = intervals_series_count(clock_series_at(set, other));
            is_longest =
                clock_series_at(set, other)->clock != series->clock || others < n || (others == n && other >= i);
        }
        if (is_longest)
            error = intervals_add_acf(report->figure, set, series, report->options->confidence, &left_out);
    }
    return error;
}

/* ------------------------------------------------------------------------------------------------- report -- */

static void intervals_note_method(struct report *report, const struct clock_set *set)
{
    char percent[NUMBER_PERCENT_MAX];
    size_t cpu = 0, count = clock_series_count(set);
    for (size_t i = 0; i < count; i++)
        cpu += clock_series_at(set, i)->cpu;
    report_note(report, "intervals between consecutive samples of a thread, in %s",
                cpu == count ? "the thread's CPU time, on which its clock runs"
                : cpu == 0   ? "real time, on which the clock runs"
                             : "the time on which their clock runs: the thread's CPU time, or real time (safepoint, "
                               "timer thread)");
    if (own.acf)
        report_note(report,
                    "lo, hi: -z/sqrt(n), z/sqrt(n) at %s %%; independent intervals exceed them at %g %% of the lags",
                    number_percent(report->options->confidence, percent), 100 * (1 - report->options->confidence));
    else
        report_note(report,
                    "correlated: Ljung-Box on min(%zu, n/5) lags rejects at alpha = %g, small because every thread is "
                    "tested; periodic: a quarter of the intervals lie within %g of the median",
                    own.clock.lags, own.rules.alpha, own.rules.least_spread / 2);
}

static void intervals_note_data(struct report *report, const struct clock_set *set)
{
    uint64_t gaps = 0, capped = 0;
    for (size_t i = 0; i < clock_series_count(set); i++) {
        gaps += clock_series_at(set, i)->gaps;
        capped += randomness_capped(clock_series_at(set, i)->intervals);
    }
    if (gaps > 0)
        report_note(report,
                    "%" PRIu64
                    " gap%s: the thread was not running at a tick, or the sample was lost; no interval spans a gap",
                    gaps, gaps == 1 ? "" : "s");
    if (capped > 0)
        report_note(report,
                    "%" PRIu64 " intervals exceed %g periods and count as that in %s (--cap 0: no limit); mean, sd "
                    "and cv use their full length",
                    capped, own.clock.cap_periods, own.acf ? "r" : "lag1 and q");
    report->no_result = clock_series_count(set) == 0;
    if (report->no_result)
        report_warn(report, "no samples%s%s", own.clock.thread ? " of thread " : "",
                    own.clock.thread ? own.clock.thread : "");
}

static int intervals_compare_series(const void *a, const void *b, void *set)
{
    const struct clock_series *x = a, *y = b;
    int order = strcmp(clock_text(set, x->trace), clock_text(set, y->trace));
    if (order)
        return order;
    if (intervals_series_count(x) != intervals_series_count(y))
        return intervals_series_count(x) > intervals_series_count(y) ? -1 : 1;
    return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static int intervals_report(void *state, struct report *report)
{
    struct clock_set *set = state;
    size_t count = clock_series_count(set), left_out = 0, hidden = 0;
    int error = report_tables(report, &tables[own.acf ? TABLE_ACF : TABLE_VERDICTS], 0);
    if (error)
        return error;
    if (count > 0)
        qsort_r(clock_series_at(set, 0), count, sizeof(struct clock_series), intervals_compare_series, set);
    /* Readers don't see threads that are too short for a verdict, unless there are no others. */
    for (size_t i = 0; i < count && report->options->human_readable && !own.acf; i++)
        hidden += intervals_series_count(clock_series_at(set, i)) < own.rules.least_n;
    if (hidden == count)
        hidden = 0;
    for (size_t i = 0; !error && i < count; i++)
        if (own.acf)
            error =
                intervals_add_acf(report->table, set, clock_series_at(set, i), report->options->confidence, &left_out);
        else if (hidden == 0 || intervals_series_count(clock_series_at(set, i)) >= own.rules.least_n)
            error = intervals_add_verdict(report, set, clock_series_at(set, i));
    if (!error && report->wants_figure)
        error = intervals_add_figure(report, set);
    if (hidden > 0)
        report_note(report, "%zu threads with fewer than %" PRIu64 " intervals are not shown (--format csv shows all)",
                    hidden, own.rules.least_n);
    intervals_note_method(report, set);
    if (left_out > 0)
        report_note(report, "%zu of %zu threads are left out: fewer than %" PRIu64 " intervals, or only equal ones",
                    left_out, count, own.rules.least_n);
    intervals_note_data(report, set);
    return error;
}

static const struct analyzer_input inputs[] = {
    {TRACE_SAMPLE, TRACE_COLUMN(SAMPLE_TIME) | TRACE_COLUMN(SAMPLE_CPU) | TRACE_COLUMN(SAMPLE_TICK)}, {0, 0}};

static const struct analyzer analyzer = {
    .name = "intervals",
    .doc = "Are the sampling intervals random? Autocorrelation, Ljung-Box test and a verdict for each thread.\v"
           "Examples:\n"
           "  assay record -o out -- java -jar app.jar\n"
           "  assay intervals out/*.trace\n"
           "  assay intervals --acf --thread main --plot acf.pdf out/*.trace\n",
    .by = true,
    .options = options,
    .parse = intervals_parse_option,
    .own = &own,
    .inputs = inputs,
    .figure = "acf",
    .tables = tables,
    .table_count = TABLES,
    .init = clock_set_init,
    .feed = clock_set_feed,
    .load = clock_set_load,
    .report = intervals_report,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
