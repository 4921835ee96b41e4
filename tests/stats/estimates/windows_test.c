/*
 * windows_test.c - the share of marked units seen through windows: values computed by hand, and synthetic sequences of
 * accesses whose share is counted in full.
 */
#include "stats/estimates/windows.h"

#include <stdint.h>
#include <stdlib.h>

#include "tests/tap.h"

static void add(struct windows *windows, double all, double marked, double unseen, double crossing, double both)
{
    windows_add(windows, (double[WINDOWS_SUMS]){all, marked, unseen, crossing, both});
}

/*
 * By hand. Three windows of 20: 4, 6, 5 marked, 1, 3, 2 unseen, 5 crossing, 4 of them marked: q = 4/5, and the share is
 * (15 + 4.8) / 60. Lower bound: residuals of W are -1, 1, 0 at 15/60, so half = t √(3/2 · 2) / 60 with t
 * = 4.302652729749464 (2 degrees of freedom); upper bound: those of W + U are -2, 2, 0 at 21/60, half = t √(3/2 · 8)
 * / 60. A fourth window moves them by 1/4 · 15/60 down and by 1/4 · 39/60 up.
 */
static void test_known(void)
{
    struct windows windows = {0}, other = {0};
    struct windows_share share;
    add(&windows, 20, 4, 1, 2, 2);
    ok(windows_share(&windows, 0.95, &share) == STATS_OK && isnan(share.low) && isnan(share.high),
       "one window has no interval");
    add(&other, 20, 6, 3, 0, 0);
    add(&other, 20, 5, 2, 3, 2);
    windows_join(&windows, &other);
    ok(windows_share(&windows, 0.95, &share) == STATS_OK, "three windows");
    ok(fabs(share.share - 0.33) < 1e-15 && fabs(share.q - 0.8) < 1e-15 && fabs(share.unseen - 0.1) < 1e-15,
       "  share %.17g, q %.17g, unseen %.17g", share.share, share.q, share.unseen);
    ok(fabs(share.low - 0.063293114412) < 1e-11 && fabs(share.high - 0.760913771175) < 1e-11,
       "  the interval: %.12g to %.12g", share.low, share.high);
    /* half = t √(4/3 · 2) / 60 */
    add(&windows, 0, 0, 0, 0, 0);
    enum stats_status status = windows_share(&windows, 0.95, &share);
    ok(status == STATS_OK && fabs(share.low - 0.0703966) < 1e-6 && fabs(share.share - 0.33) < 1e-15,
       "  an empty window changes n / (n - 1) alone: %.12g", share.low);
}

/* Without a crossing unit the unseen ones are taken for the seen: (3 + 2 · 3/8) / 10. */
static void test_no_crossing(void)
{
    struct windows windows = {0};
    struct windows_share share;
    add(&windows, 10, 3, 2, 0, 0);
    ok(windows_share(&windows, 0.95, &share) == STATS_OK && fabs(share.share - 0.375) < 1e-15, "no crossing unit");
}

static void test_refused(void)
{
    struct windows none = {0}, blind = {0}, odd = {0};
    struct windows_share share;
    ok(windows_share(&none, 0.95, &share) == STATS_TOO_FEW, "no window: too few");
    add(&blind, 10, 0, 10, 0, 0);
    ok(windows_share(&blind, 0.95, &share) == STATS_OK && isnan(share.share) && share.low == 0 && share.high == 1,
       "all unseen: anything is possible");
    add(&odd, 10, 1, 1, 2, 3);
    ok(windows_share(&odd, 0.95, &share) == STATS_DOMAIN, "more crossing units marked than there are: refused");
    ok(windows_share(&odd, 1, &share) == STATS_DOMAIN, "confidence 1: refused");
}

/* ---------------------------------------------------------------------------- synthetic sequences -- */

enum { UNITS = 1000000, PLACES = 1 << 17, PROGRAMS = 20 };

static uint64_t state;
static uint64_t draw(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Phases of 2000 to 20000 accesses. Each goes round a set of places, of its kind; an access that is not the first of
 * its place is marked with its phase's probability. */
struct phase {
    uint32_t places, percent;
};
struct sequence {
    const char *name;
    struct phase phases[3];
};

static uint32_t previous[UNITS]; /* the index + 1 of the access before to the same place; 0: none */
static uint8_t marked[UNITS];

static double make(const struct sequence *sequence)
{
    static uint32_t last[3][PLACES];
    uint32_t at[3] = {0};
    double count = 0;
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < PLACES; i++)
            last[p][i] = 0;
    for (uint32_t i = 0, end = 0, p = 0; i < UNITS; i++) {
        if (i == end) {
            end += 2000 + (uint32_t)(draw() % 18001);
            p = (uint32_t)(draw() % 3);
        }
        uint32_t place = at[p]++ % sequence->phases[p].places;
        previous[i] = last[p][place];
        last[p][place] = i + 1;
        marked[i] = previous[i] && draw() % 100 < sequence->phases[p].percent;
        count += marked[i];
    }
    return count / UNITS;
}

static void look(uint32_t begin, uint32_t length, struct windows *windows)
{
    double sums[WINDOWS_SUMS] = {0};
    uint32_t half = begin + length / 2;
    for (uint32_t i = half; i < begin + length; i++) {
        sums[WINDOWS_ALL]++;
        if (previous[i] <= begin) {
            sums[WINDOWS_UNSEEN]++;
            continue;
        }
        sums[WINDOWS_MARKED] += marked[i];
        sums[WINDOWS_CROSSING] += previous[i] <= half;
        sums[WINDOWS_CROSSING_MARKED] += previous[i] <= half && marked[i];
    }
    windows_add(windows, sums);
}

/* One window at a random point of each period; `error` in points. */
static bool covers(const struct sequence *sequence, uint32_t length, double *error, double *unseen)
{
    struct windows windows = {0};
    struct windows_share share;
    uint32_t period = 10 * length;
    double full = make(sequence);
    for (uint32_t begin = 0; begin + period <= UNITS; begin += period)
        look(begin + (uint32_t)(draw() % (period - length + 1)), length, &windows);
    if (windows_share(&windows, 0.95, &share) != STATS_OK)
        return false;
    *error = 100 * (share.share - full);
    *unseen = share.unseen;
    return share.low <= full && full <= share.high;
}

/* Programs whose pairs all fit into a window have errors around 0; of each kind, at least 18 of 20 intervals contain
 * the share, also if half of the pairs are longer than any window, and those are marked far more often than others. */
static void test_sequences(void)
{
    static const struct sequence sequences[] = {{"pairs that fit", {{50, 20}, {400, 50}, {900, 80}}},
                                                {"some at the edge", {{300, 30}, {1500, 90}, {3000, 60}}},
                                                {"some that never fit", {{100, 20}, {20000, 95}, {400, 50}}}};
    state = 1;
    for (size_t s = 0; s < sizeof sequences / sizeof *sequences; s++) {
        double sum = 0, squares = 0, unseen = 0;
        int covered = 0;
        for (int i = 0; i < PROGRAMS; i++) {
            double error = NAN, open = NAN;
            covered += covers(&sequences[s], 4000, &error, &open);
            sum += error;
            squares += error * error;
            unseen += open;
        }
        double mean = sum / PROGRAMS, deviation = sqrt(squares / PROGRAMS - mean * mean);
        ok(covered >= 18,
           "%s: %d of %d intervals contain the share (unseen %.1f %%, mean error %+.2f points, deviation %.2f)",
           sequences[s].name, covered, PROGRAMS, 100 * unseen / PROGRAMS, mean, deviation);
        if (s == 0)
            ok(fabs(mean) < 3 * deviation / sqrt(PROGRAMS),
               "  and the mean error is within its standard error times three");
    }
}

int main(void)
{
    test_known();
    test_no_crossing();
    test_refused();
    test_sequences();
    return done_testing();
}
