/* The columns of the tables of assay variance. */
#include "analyze/variance/tables.h"

static const struct column variance_columns[] = {
    COLUMN(variance_row, "function", TABLE_TEXT, function, "The name of the function."),
    COLUMN(variance_row, "context", TABLE_TEXT, context,
           "Only with --contexts: its callers, from the outermost one on, or (other contexts).", .when = WITH_CONTEXTS),
    COLUMN(variance_row, "metric", TABLE_TEXT, metric, "time_ns (not with engine exact), or a counter."),
    COLUMN(variance_row, "n", TABLE_COUNT, estimate.n, "The number of instances, which are calls that were finished."),
    COLUMN(variance_row, "mean", TABLE_REAL, estimate.mean, "The mean of an instance."),
    COLUMN(variance_row, "sd", TABLE_REAL, estimate.sd,
           "The standard deviation of instances from their own thread's mean, without what the recorder's own cost "
           "varies by."),
    COLUMN(variance_row, "cv", TABLE_SHARE, estimate.within.value,
           "The variation within threads: this standard deviation divided by the mean; with several runs, the mean of "
           "the runs' values. It is given as 0 to 1, or in percent in the formats for readers."),
    COLUMN(variance_row, "cv_lo", TABLE_SHARE, estimate.within.low,
           "The lower end of its confidence interval; blank where a single run has too few instances."),
    COLUMN(variance_row, "cv_hi", TABLE_SHARE, estimate.within.high, "The upper end of this interval."),
    COLUMN(variance_row, "threads", TABLE_COUNT, estimate.threads,
           "The number of threads with instances, in all runs."),
    COLUMN(variance_row, "cv_between_threads", TABLE_SHARE, estimate.between.value,
           "The variation between threads: the standard deviation of their means, without the part that the variation "
           "within threads explains, divided by their mean. It is blank if no two threads have two instances each."),
    COLUMN(variance_row, "between_lo", TABLE_SHARE, estimate.between.low, "The lower end of its interval."),
    COLUMN(variance_row, "between_hi", TABLE_SHARE, estimate.between.high, "The upper end of this interval."),
    COLUMN(variance_row, "share", TABLE_SHARE, estimate.share.value,
           "What the outermost calls of the function take of the program's time; for chosen calls, the share of the "
           "clock's samples that have it on the stack."),
    COLUMN(variance_row, "trend", TABLE_SHARE, trend,
           "The change from the first instance to the last, relative to the mean; blank if its interval contains 0."),
    COLUMN(variance_row, "guidance", TABLE_TEXT, guidance,
           "Whether work on the variance would pay: reduce variance, not variance, little benefit, no action, or "
           "unclear.")};

static const struct column explain_columns[] = {
    COLUMN(explain_row, "function", TABLE_TEXT, function,
           "The name of the function, indented below its caller; (itself) stands for what the caller takes itself."),
    COLUMN(explain_row, "instances", TABLE_COUNT, instances, "The number of instances of FUNCTION in which it ran."),
    COLUMN(explain_row, "mean", TABLE_REAL, mean,
           "What it takes in an instance of FUNCTION with all that it calls, as the mean over all of these instances."),
    COLUMN(explain_row, "share_of_mean", TABLE_SHARE, share_of_mean, "mean divided by the mean of FUNCTION."),
    COLUMN(explain_row, "sd", TABLE_REAL, sd,
           "The standard deviation of what it takes, over all instances of FUNCTION; blank for (itself)."),
    COLUMN(explain_row, "share_of_variance", TABLE_SHARE, share_of_variance,
           "The covariance of what it takes with the whole instance, divided by the variance of the whole."),
    COLUMN(explain_row, "correlation", TABLE_REAL, correlation,
           "The correlation of what it takes with the whole instance; blank for (itself).")};

static const struct column correlate_columns[] = {
    COLUMN(correlate_row, "factor", TABLE_TEXT, factor,
           "Another metric, when it began, previous instance, argument 1 to argument 6, or the period with which "
           "instances repeat."),
    COLUMN(correlate_row, "n", TABLE_COUNT, n, "The number of pairs of an instance and a value of the factor."),
    COLUMN(correlate_row, "r", TABLE_REAL, correlation.r,
           "Pearson's correlation of instances with the factor; for a period, the root of r_squared."),
    COLUMN(correlate_row, "r_lo", TABLE_REAL, correlation.low,
           "The lower end of its interval by Fisher's transformation; blank for a period."),
    COLUMN(correlate_row, "r_hi", TABLE_REAL, correlation.high, "The upper end of this interval."),
    COLUMN(correlate_row, "r_squared", TABLE_SHARE, r_squared,
           "The share of the variance that goes with the factor along a straight line, or with the period as a "
           "sinusoid.")};

const struct column instance_columns[INSTANCE_COLUMNS] = {
    COLUMN(instance_row, "thread", TABLE_TEXT, thread, "The trace, and the number of its thread: TRACE#NUMBER."),
    COLUMN(
        instance_row, "time_s", TABLE_REAL, time_s,
        "When the instance began, in seconds from the first event of its thread; for chosen calls, from the beginning "
        "of the recording."),
    COLUMN(instance_row, "weight", TABLE_REAL, weight,
           "The number of calls for which it stands; 1 where every call is recorded, and with --unweighted."),
    COLUMN(instance_row, "context", TABLE_TEXT, context,
           "The callers of the function, from the outermost one on; empty without --contexts."),
    COLUMN(
        instance_row, "METRIC", TABLE_REAL, values,
        "What the instance took of a metric, which has this name: a column for each metric of any trace. It is blank "
        "if the instance's own trace lacks the metric.")};

const struct columns variance_tables[VARIANCE_TABLES] = {
    [VARIANCE_TABLE] =
        COLUMNS("One row for each function and metric, from the largest share to the smallest", variance_columns),
    [VARIANCE_EXPLAIN_TABLE] =
        COLUMNS("With --explain FUNCTION, a row for it and for each function below it, as a tree", explain_columns),
    [VARIANCE_CORRELATE_TABLE] =
        COLUMNS("With --correlate FUNCTION, a row for each factor, from the strongest correlation to the weakest",
                correlate_columns),
    [VARIANCE_INSTANCES_TABLE] =
        COLUMNS("With --instances FUNCTION, a row for each instance, by thread and time", instance_columns)};
