/*
 * profilers_plan.h - before anything is injected: how large slowdowns must be to stand out from the noise of runs, and
 * how wide the intervals of slopes will then be.
 *
 * The noise of a run is the standard deviation of the program's time between the runs of the same profiler, pooled over
 * profilers; and that of sampling, of a method that takes half of the time: binomial, so √(T·period/4) for a time T.
 *
 * A slope is Σ z·reported / Σ z·real, z the amounts around their mean, summed over runs (stats/fits/slope.h), and has
 * the variance σ²/Σ(e − ē)², e the effects of the amounts and σ the noise of a point of a profiler that sees the
 * slowdown. The first R runs have K evenly spaced steps up to an effect E, and so add E²·(K+1)(K+2)/(12K) each to the
 * sum; further runs have none and the largest, and add E²/2. The half-width after n runs is t·σ/√Σ(e − ē)², at the
 * level of the look (analyze/causality/verdict.h) and of the family.
 */
#ifndef ASSAY_ANALYZE_AUDIT_PROFILER_PROFILERS_PLAN_H
#define ASSAY_ANALYZE_AUDIT_PROFILER_PROFILERS_PLAN_H

#include <stddef.h>
#include <stdio.h>

#include "base/error_text.h"

/* The effect of the largest amount, in standard deviations of a run; and what share of the program's time it is at
 * least and at most. */
#define PROFILERS_EFFECT_SD 10.0
#define PROFILERS_SLOWDOWN_LEAST 0.5
#define PROFILERS_SLOWDOWN_MOST 4.0

struct profilers_plan_request {
    double slowdown; /* of the program's time; 0: from the noise */
    double period_s;
    size_t runs, most_runs, steps, methods; /* ≥ 2, ≥ runs, ≥ 1, ≥ 1 */
};

struct profilers_plan {
    size_t runs, profilers;         /* that were timed */
    double time_s, sd_s, sampled_s; /* mean; between runs; of sampling */
    double noise_s;                 /* of both */
    double slowdown;
};

/* From times[count] in s, of the runs of one profiler after the other: profiler[i] is its number, ascending from 0.
 * STATUS_BAD with a message if no profiler has two runs, or a time is not above 0. O(count). */
int profilers_plan_make(const struct profilers_plan_request *request, const double *times, const size_t *profiler,
                        size_t count, struct profilers_plan *plan, struct error_text *message);

/* The half-width that is expected after so many runs, at the k-th look, k ≥ 1. */
double profilers_plan_half_width(const struct profilers_plan_request *request, const struct profilers_plan *plan,
                                 size_t runs, size_t look);

/* Writes the slowdown as a line, then what a reader should know as one line. */
void profilers_plan_write(const struct profilers_plan_request *request, const struct profilers_plan *plan, FILE *out);

/* profiler-plan SLOWDOWN PERIOD_MS RUNS MOST_RUNS STEPS METHODS, a step of the script: reads lines of a profiler's name
 * and a time, separated by a tab, from standard input. Returns the exit status. */
int profilers_plan_main(char **argv);

#endif
