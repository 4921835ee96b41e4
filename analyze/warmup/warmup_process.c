#include "analyze/warmup/warmup_process.h"

#include <math.h>

enum stats_status warmup_process_classify(struct warmup_process *process, const struct series *series,
                                          const struct warmup_options *how)
{
    *process = (struct warmup_process){.before = NAN, .mean = NAN, .sd = NAN};
    enum stats_status status = warmup_of_series(series, how, &process->found);
    if (status)
        return status;
    size_t from = process->found.steady_from, n = series->n - from;
    long double sum = 0, before = 0, squares = 0;
    process->iterations = series->n;
    if (n == 0)
        return STATS_OK;
    for (size_t i = 0; i < from; i++)
        before += series_double(series, i);
    for (size_t i = from; i < series->n; i++)
        sum += series_double(series, i);
    for (size_t i = from; i < series->n; i++) {
        long double deviation = series_double(series, i) - sum / (long double)n;
        squares += deviation * deviation;
    }
    process->before = (double)before;
    process->mean = (double)(sum / (long double)n);
    process->sd = n > 1 ? (double)sqrtl(squares / (long double)(n - 1)) : NAN;
    return STATS_OK;
}
