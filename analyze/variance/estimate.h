/*
 * estimate.h - how much the instances of a function vary, within threads and between them.
 *
 * The coefficient of variation within threads takes the deviations of instances from their own thread's mean. That
 * between threads is of the threads' means, without the part that the variation within threads explains (components of
 * variance); its interval takes the threads as they are, and not as a sample of threads. The trend is the change from
 * the first instance to the last along a straight line, within threads, relative to the mean. With several runs each
 * estimate is the mean of the runs', and its interval is over runs; a single run's takes instances as independent.
 *
 * Calls that are measured one by one vary by what the recorder's own traps cost, too. That was measured all the time,
 * and its variance is subtracted from that of instances: it is independent of them.
 *
 * Source: Su 2020, eq. 5.1 and §5.6; Searle, Casella, McCulloch, Variance Components, 1992, §3.6.
 */
#ifndef ASSAY_VARIANCE_ESTIMATE_H
#define ASSAY_VARIANCE_ESTIMATE_H

#include "analyze/variance/variance.h"

struct variance_range {
    double value, low, high; /* NAN: it does not exist */
};

struct variance_estimate {
    uint64_t n;           /* instances */
    size_t threads, runs; /* that have some */
    double mean, sd;      /* of an instance; sd: within threads */
    struct variance_range within, between, trend;
    bool noisy;                  /* at least a quarter of the instances' variance was the recorder's */
    bool heavy;                  /* the interval within threads is too narrow, as cov_interval_of() says */
    struct variance_range share; /* of the program's total of the basis that the function takes, with all it calls */
};

/* The metric that counts as the program's time: cycles, simulated instructions or CPU time where every run has it, else
 * time_ns. */
const char *variance_basis(const struct variance *variance);

/* Estimates one node in one metric. `share` is that of the metric `basis`. O(cells of the node). cells[count]: those of
 * the node.
 */
void variance_estimate(const struct variance *variance, const uint32_t *cells, size_t count, const char *metric,
                       const char *basis, const struct analysis_options *options, struct variance_estimate *out);

#endif
