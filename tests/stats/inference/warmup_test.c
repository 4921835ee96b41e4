#include "stats/inference/warmup.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"

static uint64_t seed = 1;
static const struct warmup_options usual = {0.01, 0.25, false};

static double uniform(void)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (double)(seed >> 11) * 0x1p-53;
}

/* The sum of twelve uniforms minus six: mean 0, sd 1, almost normal. */
static double noise(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

static enum warmup_class class_of(const double *x, size_t n, size_t *from, size_t *outliers)
{
    struct warmup found;
    if (warmup_classify(x, n, &usual, &found))
        return WARMUP_CLASSES;
    *from = found.steady_from;
    *outliers = found.outliers;
    warmup_free(&found);
    return found.class;
}

static void test_classes(void)
{
    double x[400];
    size_t from = 0, outliers = 0;
    for (size_t i = 0; i < 400; i++)
        x[i] = 100 + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_FLAT, "the same distribution all along is flat");
    is_u64(from, 0, "  from the first iteration");
    x[200] = x[300] = 200;
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_FLAT, "  single slow iterations change nothing");
    is_u64(outliers, 2, "  and are counted");
    for (size_t i = 0; i < 400; i++)
        x[i] = 100 + 60 * exp(-(double)i / 15) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_FASTER, "an exponential decay is a warm-up");
    ok(from >= 35 && from <= 80, "  until it is near 100: 100 + 60 exp(-i/15) reaches 101 at 61");
    for (size_t i = 0; i < 400; i++)
        x[i] = (i < 100 ? 100 : 104) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_SLOWER, "a step up is a slowdown");
    is_u64(from, 100, "  and the steady state follows it");
    for (size_t i = 0; i < 400; i++)
        x[i] = (i < 350 ? 100 : 104) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_UNSTEADY, "a step in the last quarter leaves no steady state");
    is_u64(from, 400, "  so that no iteration is in it");
    for (size_t i = 0; i < 400; i++)
        x[i] = 100 + (i / 40 % 2 ? 8 : 0) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_UNSTEADY, "alternating levels are no steady state");
    for (size_t i = 0; i < 400; i++)
        x[i] = 100 + 0.1 * (double)i + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_UNSTEADY, "a ramp has none either");
    for (size_t i = 0; i < 100; i++)
        x[i] = 100 + 0.4 * (double)i + noise();
    is_u64(class_of(x, 100, &from, &outliers), WARMUP_UNSTEADY, "  nor has a short one");
    for (size_t i = 0; i < 400; i++)
        x[i] = (i < 30 ? 150 : i < 100 ? 90 : 100) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_SLOWER, "faster in between than in the end is a slowdown");
    for (size_t i = 0; i < 400; i++)
        x[i] = 100 + (i < 200 ? 1 : 4) * noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_FLAT, "a change of the spread alone is flat");
    for (size_t i = 0; i < 400; i++)
        x[i] = ((i < 100 ? 150 : 100) + noise()) * 1e250;
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_FASTER, "values whose squares are out of range are classified");
    for (size_t i = 0; i < 400; i++) /* 0.1 s in steps of 1 ms, as differences of two readings */
        x[i] = ((double)(1000 + i) + 0.1 + 0.001 * round(noise())) - (double)(1000 + i);
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_FLAT, "a coarse clock whose values differ by rounding is flat");
}

static void test_beginnings(void)
{
    double x[300];
    size_t from = 0, outliers = 0;
    for (size_t i = 0; i < 300; i++)
        x[i] = (i < 1 ? 900 : 100) + noise();
    is_u64(class_of(x, 300, &from, &outliers), WARMUP_FASTER, "one slow first iteration is a warm-up");
    is_u64(from, 1, "  of one iteration");
    is_u64(outliers, 0, "  and no outlier");
    for (size_t i = 0; i < 300; i++)
        x[i] = (i < 3 ? 300 - 50 * (double)i : 100) + noise();
    is_u64(class_of(x, 300, &from, &outliers), WARMUP_FASTER, "three slow ones are");
    is_u64(from, 3, "  one of three");
    for (size_t i = 0; i < 20; i++)
        x[i] = (i < 5 ? 150 : 100) + noise();
    is_u64(class_of(x, 20, &from, &outliers), WARMUP_FASTER, "twenty iterations can show one of five");
    is_u64(from, 5, "  whose end is found");
    for (size_t i = 0; i < 300; i++)
        x[i] = (i < 1 ? 20 : i < 60 ? 110 : 100) + noise();
    is_u64(class_of(x, 300, &from, &outliers), WARMUP_SLOWER, "a first iteration faster than all: a slowdown");
    is_u64(from, 60, "  although a warm-up follows");
    for (size_t i = 0; i < 300; i++)
        x[i] = (i < 1 ? 900 : i < 60 ? 110 : 100) + noise();
    is_u64(class_of(x, 300, &from, &outliers), WARMUP_FASTER, "a slower one begins the warm-up");
    is_u64(from, 60, "  of sixty iterations");
    for (size_t i = 0; i < 300; i++) /* two iterations within 1 % of the last level come before a slow beginning */
        x[i] = i < 2 ? 99.5 : (i < 80 ? 200 : 100) + 0.1 * noise();
    is_u64(class_of(x, 300, &from, &outliers), WARMUP_FASTER, "an outlier equal to the steady state is no better one");
    is_u64(from, 80, "  and the steady state follows the warm-up");
}

static void test_ends(void)
{
    double x[300];
    size_t from = 0, outliers = 0;
    for (size_t i = 0; i < 300; i++)
        x[i] = (i < 290 ? 100 : 130) + noise();
    is_u64(class_of(x, 300, &from, &outliers), WARMUP_UNSTEADY, "ten slow last iterations may be another level");
    is_u64(outliers, 0, "  and are no outliers");
    for (size_t i = 0; i < 300; i++)
        x[i] = (i < 298 ? 100 : 130) + noise();
    is_u64(class_of(x, 300, &from, &outliers), WARMUP_FLAT, "two slow last iterations are not");
    is_u64(outliers, 2, "  but outliers");
}

static void test_excursions(void)
{
    double x[400];
    size_t from = 0, outliers = 0;
    for (size_t i = 0; i < 400; i++)
        x[i] = (i >= 350 && i < 357 ? 105 : 100) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_FLAT, "seven slow iterations between others are no level");
    for (size_t i = 0; i < 400; i++)
        x[i] = (i >= 350 && i < 370 ? 105 : 100) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_UNSTEADY, "twenty near the end are");
    for (size_t i = 0; i < 400; i++)
        x[i] = (i >= 350 && i < 358 ? 400 : 100) + noise();
    is_u64(class_of(x, 400, &from, &outliers), WARMUP_UNSTEADY, "and so are eight that are four times as slow");
    is_u64(outliers, 0, "  which are no outliers");
}

/* Series as of Java programs. */
static void test_programs(void)
{
    double x[200], state = 0;
    size_t from = 0, outliers = 0;
    for (size_t i = 0; i < 200; i++)
        x[i] = i % 10 == 5 ? 300 : (i < 60 ? 90 : 80) + noise();
    is_u64(class_of(x, 200, &from, &outliers), WARMUP_FASTER, "a warm-up is found beside collections in each tenth");
    ok(from == 60 && outliers == 20, "  and ends where it does; they are outliers");
    for (size_t i = 0; i < 200; i++)
        x[i] = (i % 88 >= 75 && i > 80 ? 390 : i % 12 == 5 ? 220 : 55) + noise();
    is_u64(class_of(x, 200, &from, &outliers), WARMUP_UNSTEADY, "so are two stretches of 13 slow iterations");
    for (size_t i = 0; i < 200; i++) {
        state = 0.5 * state + noise();
        x[i] = (10 + 40 * exp(-(double)i / 15)) * exp(0.2 * state);
    }
    is_u64(class_of(x, 200, &from, &outliers), WARMUP_FASTER, "a decay with noise in bursts, by 23 %% of the level");
    ok(from >= 20 && from <= 80, "  until it is near 10: 10 + 40 exp(-i/15) reaches 20 at 21, and 10.2 at 79");
}

static void test_directions(void)
{
    double x[200];
    struct warmup found;
    struct warmup_options rate = {0.01, 0.25, true};
    for (size_t i = 0; i < 200; i++)
        x[i] = (i < 50 ? 80 : 100) + noise();
    ok(!warmup_classify(x, 200, &rate, &found) && found.class == WARMUP_FASTER && found.steady_from == 50,
       "a rate that rises is a warm-up");
    warmup_free(&found);
    rate.tolerance = 0.3;
    ok(!warmup_classify(x, 200, &rate, &found) && found.class == WARMUP_FLAT,
       "  and flat if means within 30 %% are equal");
    warmup_free(&found);
}

/* Each iteration depends on the one before: phi is their correlation. */
static size_t alarms(double phi, size_t n)
{
    size_t count = 0;
    double x[400];
    for (size_t round = 0; round < 100; round++) {
        size_t from, outliers;
        double state = noise();
        for (size_t i = 0; i < n; i++) {
            state = phi * state + sqrt(1 - phi * phi) * noise();
            x[i] = 100 + state;
        }
        count += class_of(x, n, &from, &outliers) != WARMUP_FLAT;
    }
    return count;
}

static void test_alarms(void)
{
    is_u64(alarms(0, 400), 0, "100 processes without any change are all flat");
    ok(alarms(0.5, 400) <= 2, "  also if iterations are correlated by 0.5");
    ok(alarms(0.9, 400) <= 5, "  or by 0.9");
    ok(alarms(0, 10) <= 1, "  or few");
}

static void test_invalid(void)
{
    double x[] = {1, 1, 1, 1, 1};
    struct warmup found = {.segment_count = 42};
    struct warmup_options wrong = {0.01, 0, false};
    ok(warmup_classify(x, 3, &usual, &found) == STATS_TOO_FEW && found.segment_count == 42, "three are too few");
    ok(warmup_classify(x, 5, &wrong, &found) == STATS_DOMAIN, "a steady state without iterations is refused");
    ok(!warmup_classify(x, 5, &usual, &found) && found.class == WARMUP_FLAT, "equal values are flat");
    warmup_free(&found);
    x[3] = NAN;
    ok(warmup_classify(x, 5, &usual, &found) == STATS_DOMAIN, "NaN is refused");
}

int main(void)
{
    test_classes();
    test_beginnings();
    test_ends();
    test_excursions();
    test_programs();
    test_directions();
    test_alarms();
    test_invalid();
    return done_testing();
}
