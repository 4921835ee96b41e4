/*
 * geomean < RATIOS - prints the geometric mean of the numbers on standard input with its 95 % interval: the mean of the
 * logs and its interval by Student's t, exponentiated.
 */
#include <math.h>
#include <stdio.h>

#include "stats/estimates/interval.h"

enum { VALUES_MAX = 100000 };

int main(void)
{
    static double logs[VALUES_MAX];
    size_t n = 0;
    double ratio;
    while (n < VALUES_MAX && scanf("%lf", &ratio) == 1)
        logs[n++] = log(ratio);
    struct interval interval;
    if (interval_mean(logs, n, INTERVAL_T, 0.95, &interval) != STATS_OK) {
        fprintf(stderr, "geomean: needs at least two numbers\n");
        return 1;
    }
    printf("%.4f [%.4f, %.4f] of %zu\n", exp(interval.mean), exp(interval.low), exp(interval.high), n);
    return 0;
}
