/* The columns of all tables. */
#include "analyze/phases/rows.h"

static const char log10_meaning[] = "Its decimal logarithm, which stays exact where p is too small for a double.";

static const struct column metric_columns[] = {
    COLUMN(phases_metric_row, "phase", TABLE_TEXT, phase, "The method, named as in assay-hot(1)."),
    COLUMN(phases_metric_row, "calls", TABLE_COUNT, calls, "The number of its calls in all runs."),
    COLUMN(phases_metric_row, "total_share", TABLE_SHARE, total_share,
           "Its inclusive total divided by the time of the program; mean over runs."),
    COLUMN(phases_metric_row, "mean_share", TABLE_SHARE, mean_share,
           "The mean share per call: the total share divided by the calls in a run."),
    COLUMN(phases_metric_row, "metric", TABLE_TEXT, metric,
           "time_ns, a counter, or a rate. Rates are each counter and the time per instruction if instructions are "
           "counted, "
           "otherwise each counter but times per second of elapsed time. They are computed for each call. A call whose "
           "denominator is 0, or less than its probes took of it, has no rate."),
    COLUMN(phases_metric_row, "n", TABLE_COUNT, n, "The number of finished calls that have the metric."),
    COLUMN(phases_metric_row, "mean", TABLE_REAL, mean,
           "The mean over these calls of all runs, without the cost of probes.",
           .half_width = offsetof(struct phases_metric_row, half_width)),
    COLUMN(phases_metric_row, "sd", TABLE_REAL, sd, "Their standard deviation, with divisor n-1.",
           .half_width = offsetof(struct phases_metric_row, half_width)),
    COLUMN(phases_metric_row, "cv", TABLE_REAL, cv, "The coefficient of variation: sd / mean."),
    COLUMN(phases_metric_row, "lo", TABLE_REAL, low,
           "The lower end of the interval of the mean. With several runs it is computed over runs (ratio estimator); "
           "with one run, over its calls, taken as independent.",
           .half_width = offsetof(struct phases_metric_row, half_width)),
    COLUMN(phases_metric_row, "hi", TABLE_REAL, high, "Its upper end.",
           .half_width = offsetof(struct phases_metric_row, half_width))};

static const struct column total_columns[] = {
    COLUMN(phases_total_row, "method", TABLE_TEXT, method, "The method."),
    COLUMN(phases_total_row, "calls", TABLE_COUNT, calls, "The number of its calls in all runs."),
    COLUMN(phases_total_row, "total_share", TABLE_SHARE, share,
           "Its inclusive total divided by the time of the program; mean over runs."),
    COLUMN(phases_total_row, "lo", TABLE_SHARE, low,
           "The lower end of the interval of that mean over runs; blank for one run."),
    COLUMN(phases_total_row, "hi", TABLE_SHARE, high, "Its upper end."),
    COLUMN(phases_total_row, "exclusive_share", TABLE_SHARE, exclusive,
           "Its exclusive total divided by the time of the program; mean over runs."),
    COLUMN(phases_total_row, "exclusive_lo", TABLE_SHARE, exclusive_low,
           "The lower end of the interval of that mean over runs; blank for one run."),
    COLUMN(phases_total_row, "exclusive_hi", TABLE_SHARE, exclusive_high, "Its upper end."),
    COLUMN(phases_total_row, "mean_share", TABLE_SHARE, mean_share,
           "The mean share per call: the total share divided by the calls in a run."),
    COLUMN(phases_total_row, "total", TABLE_REAL, total,
           "The inclusive total in all runs, in the unit of the metric that is the time of the program."),
    COLUMN(phases_total_row, "exclusive_total", TABLE_REAL, exclusive_total, "The exclusive total, likewise."),
    COLUMN(phases_total_row, "exceptions", TABLE_COUNT, exceptions, "The number of calls that an exception ended."),
    COLUMN(phases_total_row, "unfinished", TABLE_COUNT, unfinished, "The number of calls that did not end.")};

static const struct column plane_columns[] = {
    COLUMN(phases_plane_row, "theta_weight", TABLE_REAL, weight, "The threshold of --weight."),
    COLUMN(phases_plane_row, "theta_grain", TABLE_REAL, granularity, "The threshold of --grain."),
    COLUMN(phases_plane_row, "phases", TABLE_COUNT, phases, "The number of methods above both."),
    COLUMN(phases_plane_row, "invocations", TABLE_COUNT, invocations, "The number of their calls in all runs."),
    COLUMN(phases_plane_row, "estimated_overhead", TABLE_SHARE, overhead,
           "The estimated overhead: these calls divided by the calls of all methods.")};

static const struct column anova_columns[] = {
    COLUMN(phases_anova_row, "metric", TABLE_TEXT, metric, "The metric whose values are the finished calls."),
    COLUMN(phases_anova_row, "f", TABLE_REAL, anova.f,
           "The mean square between phases divided by the mean square within them. It is infinite if the calls of "
           "each phase are alike and the phases differ."),
    COLUMN(phases_anova_row, "dof_between", TABLE_REAL, anova.dof_between,
           "Degrees of freedom between phases: phases - 1.", .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "dof_within", TABLE_REAL, anova.dof_within, "Degrees of freedom within them: n - phases.",
           .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "dof_between", TABLE_COUNT, whole_dof_between, NULL, .readers = COLUMN_HUMAN),
    COLUMN(phases_anova_row, "dof_within", TABLE_COUNT, whole_dof_within, NULL, .readers = COLUMN_HUMAN),
    COLUMN(phases_anova_row, "p", TABLE_REAL, anova.p, "The p-value of the hypothesis that all phases have one mean.",
           .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "p", TABLE_TEXT, p, NULL, .readers = COLUMN_HUMAN),
    COLUMN(phases_anova_row, "log10_p", TABLE_REAL, anova.log10_p, log10_meaning, .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "eta2", TABLE_REAL, anova.eta2,
           "Effect size: the share of the variance of these calls that the phases explain."),
    COLUMN(phases_anova_row, "omega2", TABLE_REAL, anova.omega2,
           "Effect size: an estimate of that share in the population."),
    COLUMN(phases_anova_row, "welch_f", TABLE_REAL, welch.f,
           "The F of Welch's test, which weights each phase by its own variance. It leaves out phases whose calls do "
           "not vary, with a note, and is blank if fewer than two remain.",
           .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "welch_dof", TABLE_REAL, welch.dof_within, "Its degrees of freedom within phases.",
           .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "welch_p", TABLE_REAL, welch.p, "Its p-value.", .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "welch_p", TABLE_TEXT, welch_p, NULL, .readers = COLUMN_HUMAN),
    COLUMN(phases_anova_row, "welch_log10_p", TABLE_REAL, welch.log10_p, log10_meaning, .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "kruskal_h", TABLE_REAL, kruskal.h,
           "The H of Kruskal and Wallis' test, which compares ranks, corrected for ties. It is blank, with a warning, "
           "if a state was saved without --anova.",
           .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "kruskal_p", TABLE_REAL, kruskal.p, "Its p-value.", .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "kruskal_p", TABLE_TEXT, kruskal_p, NULL, .readers = COLUMN_HUMAN),
    COLUMN(phases_anova_row, "kruskal_log10_p", TABLE_REAL, kruskal.log10_p, log10_meaning, .readers = COLUMN_MACHINE),
    COLUMN(phases_anova_row, "phases", TABLE_COUNT, phases, "The number of phases that have finished calls."),
    COLUMN(phases_anova_row, "n", TABLE_COUNT, n, "The number of these calls.")};

static const struct column component_columns[] = {
    COLUMN(phases_component_row, "component", TABLE_TEXT, component,
           "The component, or what the virtual machine reports about itself: safepoints, class loading."),
    COLUMN(phases_component_row, "metric", TABLE_TEXT, metric,
           "thread-cpu-ns is the CPU time of all threads; other metrics are those of threads that have events, from "
           "their first event to the last. elapsed-ns is the time since the recording began."),
    COLUMN(phases_component_row, "share", TABLE_SHARE, share,
           "The part of the metric in the component; mean over the runs that have the metric."),
    COLUMN(phases_component_row, "lo", TABLE_SHARE, low,
           "The lower end of the interval of that mean; blank for one run. Where an end would extend beyond 0 to 1 "
           "the interval is Wilson's."),
    COLUMN(phases_component_row, "hi", TABLE_SHARE, high, "Its upper end.")};

static const struct column bottleneck_columns[] = {
    COLUMN(phases_bottleneck_row, "phase", TABLE_TEXT, phase, "The method."),
    COLUMN(phases_bottleneck_row, "total_share", TABLE_SHARE, total_share,
           "Its inclusive total divided by the time of the program; mean over runs."),
    COLUMN(phases_bottleneck_row, "metric", TABLE_TEXT, metric,
           "A metric per 1,000 instructions, or per ms if instructions are not counted; cycles are per instruction."),
    COLUMN(phases_bottleneck_row, "value", TABLE_REAL, value,
           "This rate in the phase and all that it calls, over all runs."),
    COLUMN(phases_bottleneck_row, "program", TABLE_REAL, program,
           "The same in all threads, from their first event to the last."),
    COLUMN(phases_bottleneck_row, "ratio", TABLE_REAL, ratio, "value / program.")};

static const struct column percentile_columns[] = {
    COLUMN(phases_percentile_row, "method", TABLE_TEXT, method, "The method."),
    COLUMN(phases_percentile_row, "calls", TABLE_COUNT, calls, "The number of its calls in all runs."),
    COLUMN(phases_percentile_row, "mean_ns", TABLE_REAL, mean_ns,
           "The mean duration of its finished calls, including all that they call: elapsed ns without the cost of "
           "probes."),
    COLUMN(phases_percentile_row, "sd_ns", TABLE_REAL, sd_ns, "Their standard deviation, with divisor n-1."),
    COLUMN(phases_percentile_row, "cv", TABLE_REAL, cv, "The coefficient of variation: sd_ns / mean_ns."),
    COLUMN(phases_percentile_row, "p50_ns", TABLE_REAL, p50_ns,
           "The median duration. Percentiles are exact for methods with up to 1023 distinct durations; otherwise a "
           "note gives their relative error. All other columns are always exact."),
    COLUMN(phases_percentile_row, "p90_ns", TABLE_REAL, p90_ns, "The 90th percentile of the durations."),
    COLUMN(phases_percentile_row, "p99_ns", TABLE_REAL, p99_ns, "Their 99th percentile."),
    COLUMN(phases_percentile_row, "max_ns", TABLE_REAL, max_ns, "The longest duration."),
    COLUMN(phases_percentile_row, "unfinished", TABLE_COUNT, unfinished, "The number of calls that did not end.")};

static const struct column histogram_columns[] = {
    COLUMN(phases_bin_row, "from_ns", TABLE_REAL, from_ns, "The beginning of the bin, which belongs to it."),
    COLUMN(phases_bin_row, "to_ns", TABLE_REAL, to_ns, "Its end, which does not."),
    COLUMN(phases_bin_row, "calls", TABLE_COUNT, calls, "The number of finished calls with such a duration."),
    COLUMN(phases_bin_row, "share", TABLE_SHARE, share, "Their share of all finished calls of the method."),
    COLUMN(phases_bin_row, "cumulative", TABLE_SHARE, cumulative, "The share of calls that are shorter than to_ns.")};

static const struct column box_columns[] = {
    COLUMN(phases_box_row, "phase", TABLE_TEXT, phase, "The method."),
    COLUMN(phases_box_row, "n", TABLE_COUNT, n, "The number of finished calls that have the metric, in all runs."),
    COLUMN(phases_box_row, "mean", TABLE_REAL, mean, "The mean of the metric over these calls."),
    COLUMN(phases_box_row, "sd", TABLE_REAL, sd, "Its standard deviation, with divisor n-1."),
    COLUMN(phases_box_row, "low", TABLE_REAL, low, "mean - sd."),
    COLUMN(phases_box_row, "high", TABLE_REAL, high, "mean + sd."),
    COLUMN(phases_box_row, "min", TABLE_REAL, min, "The smallest value."),
    COLUMN(phases_box_row, "max", TABLE_REAL, max, "The largest value.")};

static const struct column baseline_columns[] = {
    COLUMN(phases_baseline_row, "phase", TABLE_TEXT, phase,
           "The method: a phase of the old or of the new traces that was called in both."),
    COLUMN(phases_baseline_row, "metric", TABLE_TEXT, metric, "A metric that both have."),
    COLUMN(phases_baseline_row, "n_old", TABLE_COUNT, n_old,
           "The number of old values: runs or calls, as sample says."),
    COLUMN(phases_baseline_row, "n_new", TABLE_COUNT, n_new, "The number of new ones."),
    COLUMN(phases_baseline_row, "old", TABLE_REAL, old, "The mean of the old values.",
           .half_width = offsetof(struct phases_baseline_row, half_width)),
    COLUMN(phases_baseline_row, "new", TABLE_REAL, new, "The mean of the new ones.",
           .half_width = offsetof(struct phases_baseline_row, half_width)),
    COLUMN(phases_baseline_row, "ratio", TABLE_REAL, ratio.ratio, "new / old."),
    COLUMN(phases_baseline_row, "ratio_lo", TABLE_REAL, ratio.low, "The lower end of its interval, Fieller's."),
    COLUMN(phases_baseline_row, "ratio_hi", TABLE_REAL, ratio.high, "Its upper end."),
    COLUMN(phases_baseline_row, "difference", TABLE_REAL, difference, "new - old.",
           .half_width = offsetof(struct phases_baseline_row, half_width)),
    COLUMN(phases_baseline_row, "lo", TABLE_REAL, low,
           "The lower end of the interval of the difference, by Welch's t test.",
           .half_width = offsetof(struct phases_baseline_row, half_width)),
    COLUMN(phases_baseline_row, "hi", TABLE_REAL, high, "Its upper end.",
           .half_width = offsetof(struct phases_baseline_row, half_width)),
    COLUMN(phases_baseline_row, "p", TABLE_REAL, p,
           "The p-value of that test. It is not adjusted for the number of rows."),
    COLUMN(phases_baseline_row, "log10_p", TABLE_REAL, log10_p, log10_meaning),
    COLUMN(phases_baseline_row, "sample", TABLE_TEXT, sample,
           "The values that are compared: runs, by their means, if both versions have two or more; otherwise calls, "
           "taken as independent.")};

static const struct column without_columns[] = {
    COLUMN(phases_without_row, "method", TABLE_TEXT, method,
           "The method, or the whole program by its CPU time or its wall time."),
    COLUMN(phases_without_row, "probes", TABLE_REAL, probes,
           "Pairs of probes in a call, including its own, in recordings with all probes; for the program, in a run."),
    COLUMN(phases_without_row, "probes_without", TABLE_REAL, probes_without,
           "The same in recordings with fewer probes."),
    COLUMN(phases_without_row, "with_ns", TABLE_REAL, with_ns,
           "The time of a call with all probes, without their cost; of the program, as it was measured."),
    COLUMN(phases_without_row, "without_ns", TABLE_REAL, without_ns, "The same with fewer probes."),
    COLUMN(phases_without_row, "ratio", TABLE_REAL, ratio, "with_ns / without_ns."),
    COLUMN(phases_without_row, "ratio_lo", TABLE_REAL, low,
           "The lower end of its interval: Fieller's, for a method widened by the uncertainty of a probe's cost."),
    COLUMN(phases_without_row, "ratio_hi", TABLE_REAL, high, "Its upper end."),
    COLUMN(phases_without_row, "verdict", TABLE_TEXT, verdict,
           "slower if the interval is above 1, faster if it is below 1, otherwise same; unknown without an interval."),
    COLUMN(phases_without_row, "sample", TABLE_TEXT, sample,
           "The values that are compared: runs, by their means, if both sides have two or more; otherwise calls, "
           "taken as independent.")};

#define BIN_COLUMNS                                                                                                    \
    COLUMN(phases_time_row, "from_ns", TABLE_REAL, from_ns,                                                            \
           "The beginning of the bin, from the first event of the trace."),                                            \
        COLUMN(phases_time_row, "to_ns", TABLE_REAL, to_ns, "Its end.")

static const struct column timeline_columns[] = {
    COLUMN(phases_time_row, "trace", TABLE_TEXT, trace, "The path of the trace."),
    COLUMN(phases_time_row, "thread", TABLE_TEXT, thread,
           "The thread, with its id if others of the trace have its name."),
    COLUMN(phases_time_row, "phase", TABLE_TEXT, what, "The phase. Bins without a phase have no row."), BIN_COLUMNS,
    COLUMN(phases_time_row, "share", TABLE_SHARE, value,
           "The part of the bin in which the phase was the innermost one of its thread.")};

static const struct column over_time_columns[] = {
    COLUMN(phases_time_row, "trace", TABLE_TEXT, trace, "The path of the trace."),
    COLUMN(phases_time_row, "thread", TABLE_TEXT, thread,
           "The thread, with its id if others of the trace have its name."),
    BIN_COLUMNS, COLUMN(phases_time_row, "metric", TABLE_TEXT, what, "The metric."),
    COLUMN(phases_time_row, "value", TABLE_REAL, value,
           "For a rate, the quotient in the bin, which has no row if the denominator is 0; for any other metric, its "
           "increase.")};

const struct columns phases_columns[] = {
    [PHASES_VIEW_PHASES] = COLUMNS(
        "One row for each phase and metric, with phases from the largest total share to the smallest", metric_columns),
    [PHASES_VIEW_TOTALS] =
        COLUMNS("With --totals, one row for each method, from the largest total share to the smallest", total_columns),
    [PHASES_VIEW_PLANE] = COLUMNS("With --plane, one row for each pair of thresholds", plane_columns),
    [PHASES_VIEW_ANOVA] = COLUMNS("With --anova, one row for each metric", anova_columns),
    [PHASES_VIEW_COMPONENTS] = COLUMNS("With --components, one row for each component and metric", component_columns),
    [PHASES_VIEW_BOTTLENECKS] = COLUMNS("With --bottlenecks, one row for each phase and rate", bottleneck_columns),
    [PHASES_VIEW_PERCENTILES] = COLUMNS("With --percentiles, one row for each method", percentile_columns),
    [PHASES_VIEW_HISTOGRAM] = COLUMNS("With --histogram, one row for each bin that has calls", histogram_columns),
    [PHASES_VIEW_BOXES] = COLUMNS("With --boxes, one row for each phase", box_columns),
    [PHASES_VIEW_BASELINE] =
        COLUMNS("With --baseline, one row for each phase and metric that both versions have", baseline_columns),
    [PHASES_VIEW_WITHOUT] = COLUMNS(
        "With --without, rows for the program, and one for each method that has probes in both", without_columns),
    [PHASES_VIEW_TIMELINE] = COLUMNS("With --timeline, one row for each thread, bin and phase", timeline_columns),
    [PHASES_VIEW_OVER_TIME] = COLUMNS("With --over-time, one row for each thread and bin", over_time_columns)};
