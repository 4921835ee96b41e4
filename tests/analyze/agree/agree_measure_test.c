/*
 * The interval of the distance between two profiles, and of a method's difference, by simulation: profilers sample from
 * known distributions, so the true distance is known.
 */
#include "analyze/agree/measure.h"

#include <math.h>
#include <stdio.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

enum { METHODS = 12, RUNS = 8, SAMPLES = 1000, TRIALS = 300 };

/* A run's samples of a program whose own shares vary from run to run by 5 %. */
static void add_run(struct profiles *profiles, const char *profiler, int number, const double *shares)
{
    char name[16];
    double drifted[METHODS], sum = 0;
    uint32_t counts[METHODS] = {0};
    snprintf(name, sizeof name, "%d", number);
    uint32_t run = profiles_run(profiles, profiler, name);
    for (size_t m = 0; m < METHODS; m++)
        sum += drifted[m] = shares[m] * (1 + 0.1 * (rng_uniform() - 0.5));
    for (size_t i = 0; i < SAMPLES; i++) {
        double left = rng_uniform() * sum;
        size_t m = 0;
        while (m < METHODS - 1 && left >= drifted[m])
            left -= drifted[m++];
        counts[m]++;
    }
    for (size_t m = 0; m < METHODS; m++) {
        snprintf(name, sizeof name, "m%zu", m);
        profiles_add(profiles, run, ROLE_JAVA, relations_text(&profiles->relations, name), counts[m]);
    }
}

struct rates {
    double distance, difference; /* fraction of the intervals that contain the truth */
    double mean;                 /* of the distances */
};

/* In b, a share `moved` of the first method belongs to the second. */
static struct rates simulate(double moved)
{
    const struct measure_options intervals = {0.95, false};
    struct rates rates = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        double a[METHODS], b[METHODS];
        for (size_t m = 0; m < METHODS; m++)
            a[m] = b[m] = (m ? 0.6 : 1) / (1 + 0.6 * (METHODS - 1));
        b[0] -= moved;
        b[1] += moved;
        struct profiles profiles;
        struct view view;
        struct measured_pair found;
        profiles_init(&profiles);
        for (int r = 0; r < RUNS; r++) {
            add_run(&profiles, "a", r, a);
            add_run(&profiles, "b", r, b);
        }
        size_t count;
        uint32_t *profilers = view_profilers(&profiles, &count);
        if (count != 2 || view_make(&profiles, profilers, 2, false, &view) ||
            measure_pair(&view, 5, &intervals, &found))
            return (struct rates){NAN, NAN, NAN};
        uint32_t first = relations_text(&profiles.relations, "m0");
        struct measured difference = measure_difference(&view, first, &intervals);
        rates.distance += (found.distance.lo <= moved && moved <= found.distance.hi) / (double)TRIALS;
        rates.difference += (difference.lo <= -moved && -moved <= difference.hi) / (double)TRIALS;
        rates.mean += found.distance.value / TRIALS;
        view_free(&view);
        profiles_free(&profiles);
        free(profilers);
    }
    return rates;
}

/* The standard error of a share of 300 near 0.95 is 0.0126. */
int main(void)
{
    struct rates rates = simulate(0.1);
    ok(rates.difference > 0.9, "a method's difference of 0.1: coverage %.3f is above 0.9", rates.difference);
    ok(rates.distance > 0.9, "a distance of 0.1: coverage %.3f is above 0.9 (mean distance %.4f)", rates.distance,
       rates.mean);
    rates = simulate(0.02);
    ok(rates.distance > 0.9, "a distance of 0.02: coverage %.3f is above 0.9 (mean distance %.4f)", rates.distance,
       rates.mean);
    rates = simulate(0);
    ok(rates.difference > 0.9, "no difference: coverage %.3f is above 0.9", rates.difference);
    ok(rates.mean > 0.005, "samples of the same profile have a mean distance above 0.005: %.4f (coverage of 0: %.3f)",
       rates.mean, rates.distance);
    return done_testing();
}
