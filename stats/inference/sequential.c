#include "stats/inference/sequential.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/order.h"
#include "stats/estimates/resample.h"

enum {
    RECENT = 8,          /* values that may already follow a change, and don't count for ρ */
    LATEST = 20,         /* differences that show the present spread */
    CORRELATED_MIN = 15, /* values that ρ needs */
    YOUNG = 30           /* values from which on it is estimated */
};
#define CLIP 3.0
#define RHO_MAX 0.95
#define RHO_YOUNG 0.3                /* where too few values show it */
#define CORRELATED 1.959963984540054 /* Φ⁻¹(0.975), also of a trend of the spread */
#define GROWN 2.3263478740408408     /* Φ⁻¹(0.99) */
/* sd of |x − y| divided by its mean, of normal x and y, for means of overlapping differences. */
#define DIFFERENCE_SPREAD 0.95

/* How many last values a look compares with the others, and the weight of the squared difference. Five to eight are
 * preferred: a change that so few show is found soonest if the others spend less of the false alarms. */
static const struct {
    size_t values;
    double weight;
} lengths[] = {{3, 0.8},   {4, 0.9},   {5, 1},     {6, 1},     {8, 1},     {11, 0.75}, {15, 0.75},
               {20, 0.75}, {27, 0.75}, {37, 0.75}, {50, 0.75}, {67, 0.75}, {90, 0.75}};
enum { LENGTHS = sizeof lengths / sizeof lengths[0], LONGEST = 90 };

/* Sums for the autocorrelation of values around their levels, over segments. */
struct correlation {
    double products, squares;
    size_t n, segments;
};

/* Sums of differences between values one and two apart, which changes of level hardly affect. */
struct variogram {
    double size[2], squares[2]; /* of |difference|, and of its square, clipped */
    size_t n;
};

struct search {
    const double *x;
    size_t n;
    double look_alpha;
    double confidence;
    double *scratch, *y;         /* [n] each */
    struct correlation complete; /* of the segments before the present one */
    struct variogram variogram;  /* of all values but the last eight */
};

static double sequential_median(double *x, size_t n)
{
    double median = 0;
    order_sort(x, n);
    order_quantile(x, n, 0.5, &median);
    return median;
}

/* y[n]: x less its median, in units of its spread, clipped. The unit; 0, and nothing is written, if all x are equal. */
static double sequential_clip(const double *x, size_t n, double *scratch, double *y, double *center)
{
    memcpy(scratch, x, n * sizeof *x);
    double median = sequential_median(scratch, n), mean = 0;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = fabs(x[i] - median);
        mean += scratch[i] / (double)n;
    }
    double unit = 1.4826022185056018 * sequential_median(scratch, n); /* 1/Φ⁻¹(3/4) */
    if (unit == 0)
        unit = mean; /* more than half are equal */
    for (size_t i = 0; i < n && unit > 0; i++)
        y[i] = fmin(fmax((x[i] - median) / unit, -CLIP), CLIP);
    *center = median;
    return unit;
}

enum stats_status sequential_level(const double *x, size_t n, struct sequential_level *out)
{
    double center, sum = 0, squares = 0;
    if (n < 1)
        return STATS_TOO_FEW;
    if (!order_all_finite(x, n))
        return STATS_DOMAIN;
    double *scratch = malloc(2 * n * sizeof *scratch);
    if (!scratch)
        return STATS_NO_MEMORY;
    double *y = scratch + n, unit = sequential_clip(x, n, scratch, y, &center);
    for (size_t i = 0; i < n && unit > 0; i++)
        sum += y[i];
    for (size_t i = 0; i < n && unit > 0; i++)
        squares += (y[i] - sum / (double)n) * (y[i] - sum / (double)n);
    *out =
        (struct sequential_level){center + unit * sum / (double)n, n > 1 ? unit * sqrt(squares / (double)(n - 1)) : 0};
    free(scratch);
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ autocorrelation -- */

/* Adds the values from `from` to `to` as one segment. */
static void search_correlate(const struct search *search, size_t from, size_t to, struct correlation *sums)
{
    double center, mean = 0, *y = search->y;
    size_t n = to - from;
    if (n < 3 || sequential_clip(search->x + from, n, search->scratch, y, &center) == 0)
        return;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        sums->squares += (y[i] - mean) * (y[i] - mean);
        sums->products += i ? (y[i] - mean) * (y[i - 1] - mean) : 0;
    }
    sums->n += n;
    sums->segments++;
}

/* Adds value i and the two before it. */
static void variogram_add(struct variogram *sums, const double *x, size_t i)
{
    sums->n++;
    for (size_t lag = 1; lag <= 2; lag++) {
        double difference = fabs(x[i] - x[i - lag]), *size = &sums->size[lag - 1];
        *size += difference;
        /* The mean of |d| is √(2/π)·sd. */
        difference = fmin(difference, CLIP * 1.2533141373155003 * *size / (double)sums->n);
        sums->squares[lag - 1] += difference * difference;
    }
}

/* ρ from the ratio of both, which is 1 + ρ; 0 unless it is significant: without autocorrelation its variance is 2/n. */
static double variogram_rho(const struct variogram *sums)
{
    if (sums->n < CORRELATED_MIN || !(sums->squares[0] > 0))
        return 0;
    double rho = sums->squares[1] / sums->squares[0] - 1;
    return rho < CORRELATED * sqrt(2 / (double)sums->n) ? 0 : rho;
}

/* ρ of a look at the values from `begin` to `now`. */
static double search_rho(const struct search *search, size_t begin, size_t now)
{
    struct correlation sums = search->complete;
    if (now - begin > RECENT) {
        size_t to = now - RECENT, from = to - begin > SEQUENTIAL_WINDOW ? to - SEQUENTIAL_WINDOW : begin;
        search_correlate(search, from, to, &sums);
    }
    if (now < YOUNG)
        return RHO_YOUNG;
    double around = 0, across = variogram_rho(&search->variogram), n = (double)sums.n;
    if (sums.n >= CORRELATED_MIN && sums.squares > 0) {
        around = sums.products / sums.squares;
        around += (1 + 4 * around) * (double)sums.segments / n; /* its bias: Kendall 1954 */
        if (around < CORRELATED / sqrt(n))
            around = 0;
    }
    return fmin(fmax(around, across), RHO_MAX);
}

/* ------------------------------------------------------------------------------------------ a look -- */

/* Compares the last residuals of r[n], whose mean is 0, with all. `at` (unless NULL) becomes where those begin that
 * differ most. */
static double sequential_statistic(const double *r, size_t n, double rho, size_t *at)
{
    double sum = 0, best = 0, all = (double)n, after = 1 - rho;
    size_t k = 0;
    for (size_t i = 0; i < LENGTHS && lengths[i].values + SEQUENTIAL_BEFORE_MIN <= n; i++) {
        for (; k < lengths[i].values; k++)
            sum += r[n - 1 - k];
        /* A step adds 1 to the first residual, and 1 − ρ to each that follows. */
        double part = (double)k / all, effect = after * sum + rho * r[n - k];
        double variance =
            after * after * (double)k * (1 - part) + rho * rho * (1 - 1 / all) + 2 * after * rho * (1 - part);
        double squared = lengths[i].weight * effect * effect / variance;
        if (squared > best) {
            best = squared;
            if (at)
                *at = n - k;
        }
    }
    return best;
}

/* How much larger the differences of y[n] are at its end than in the whole: by their trend, or by the last twenty
 * beside those before, whichever is more; 1 unless that is more than chance. */
static double sequential_growth(const double *y, size_t n)
{
    double latest = 0, before = 0, slope = 0, weights = 0;
    if (n < 2 * LATEST)
        return 1;
    size_t earlier = n - 1 - LATEST;
    for (size_t i = 1; i < n; i++) {
        double difference = fabs(y[i] - y[i - 1]), from_middle = (double)i - (double)n / 2;
        *(i <= earlier ? &before : &latest) += difference;
        slope += from_middle * difference;
        weights += from_middle * from_middle;
    }
    if (!(before > 0))
        return 1;
    double count = (double)(n - 1), trend = 1 + slope / weights * (double)n / 2 / ((before + latest) / count);
    double ratio = latest / LATEST / (before / (double)earlier);
    if (ratio <= 1 + GROWN * DIFFERENCE_SPREAD * sqrt(1.0 / LATEST + 1 / (double)earlier))
        ratio = 1;
    if (trend <= 1 + CORRELATED * DIFFERENCE_SPREAD * sqrt(3 / count))
        trend = 1;
    return fmax(ratio, trend);
}

/* Moves random ones of r[n] to its last places: the rest does not affect the statistic. */
static void sequential_shuffle_last(double *r, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1 && i + LONGEST > n; i--) {
        size_t j = resample_index(state, i);
        double value = r[i - 1];
        r[i - 1] = r[j];
        r[j] = value;
    }
}

/* Whether the values from `begin` to `now` raise an alarm; then p, and where the changed values begin. */
static bool search_look(const struct search *search, size_t begin, size_t now, double rho, double *p, size_t *at)
{
    uint64_t state = 0x2545f4914f6cdd1d;
    double center, mean = 0, *y = search->y, *r = search->scratch;
    size_t n = now - begin, permutations = (size_t)ceil(10 / search->look_alpha) - 1, at_least = 1, done = 0;
    size_t most = (size_t)(search->look_alpha * (double)(1 + permutations) + 1e-9);
    if (sequential_clip(search->x + begin, n, search->scratch, y, &center) == 0)
        return false;
    double growth = sequential_growth(y, n);
    for (size_t i = 0; i < n; i++) {
        r[i] = y[i] - rho * (i ? y[i - 1] : y[i]);
        mean += r[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        r[i] -= mean;
    /* Less what the order of the additions changes. */
    double observed = sequential_statistic(r, n, rho, at) / (growth * growth) * (1 - 1e-12);
    for (; done < permutations && at_least <= most; done++) {
        sequential_shuffle_last(r, n, &state);
        at_least += sequential_statistic(r, n, rho, NULL) >= observed;
    }
    *p = (double)at_least / (double)(1 + done);
    *at += begin;
    return at_least <= most;
}

/* ------------------------------------------------------------------------------------------ location -- */

/* Locates the change between `begin` and `end`, before it was found, and its suspects: one step, fitted by least
 * squares to clipped values. */
static void search_locate(const struct search *search, size_t begin, size_t end, struct sequential_change *change)
{
    double center, sum = 0, total = 0, squares = 0, best = -1, *y = search->y, *gain = search->scratch;
    size_t n = end - begin;
    if (sequential_clip(search->x + begin, n, search->scratch, y, &center) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        total += y[i];
        squares += y[i] * y[i];
    }
    size_t at = 0;
    for (size_t k = 1; k < n; k++) {
        sum += y[k - 1];
        double deviation = sum - total * (double)k / (double)n;
        gain[k] = deviation * deviation * (double)n / ((double)k * (double)(n - k));
        if (gain[k] > best && k >= 2 && k + 2 <= n && begin + k <= change->found) {
            best = gain[k];
            at = k;
        }
    }
    if (at == 0)
        return;
    double variance = (squares - total * total / (double)n - best) / (double)(n - 2);
    double most = -2 * log(1 - sqrt(search->confidence)) * fmax(variance, 0);
    change->at = change->first = change->last = begin + at;
    for (size_t k = 1; k < n; k++)
        if (best - gain[k] <= most) {
            change->first = begin + k < change->first ? begin + k : change->first;
            change->last = begin + k > change->last ? begin + k : change->last;
        }
}

/* Looks after each value. */
static enum stats_status search_run(struct search *search, struct sequential *out)
{
    size_t begin = 0, capacity = 0;
    for (size_t now = 1; now <= search->n; now++) {
        size_t from = now - begin > SEQUENTIAL_WINDOW ? now - SEQUENTIAL_WINDOW : begin;
        struct sequential_change change = {.found = now - 1};
        size_t past = now > RECENT + 2 ? now - 1 - RECENT : 0;
        if (past > 0 && (begin == 0 || past < begin || past > begin + 1)) /* differences across a change say nothing */
            variogram_add(&search->variogram, search->x, past);
        if (now - from < SEQUENTIAL_BEFORE_MIN + SEQUENTIAL_AFTER_MIN)
            continue;
        out->rho = search_rho(search, begin, now);
        if (!search_look(search, from, now, out->rho, &change.p, &change.at))
            continue;
        search_locate(search, from, now, &change);
        if (out->count == capacity) {
            capacity = capacity ? 2 * capacity : 8;
            struct sequential_change *more = realloc(out->changes, capacity * sizeof *more);
            if (!more)
                return STATS_NO_MEMORY;
            out->changes = more;
        }
        search_correlate(search, begin, change.at, &search->complete);
        out->changes[out->count++] = change;
        begin = change.at;
    }
    /* Both sides of a change are known now. */
    for (size_t i = 0; i < out->count; i++)
        search_locate(search, i ? out->changes[i - 1].at : 0, i + 1 < out->count ? out->changes[i + 1].at : search->n,
                      &out->changes[i]);
    return STATS_OK;
}

enum stats_status sequential_find(const double *x, size_t n, double alpha, double confidence, struct sequential *out)
{
    if (n < 1)
        return STATS_TOO_FEW;
    if (!order_all_finite(x, n) || !(alpha > 0 && alpha <= 0.1) || !(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    struct search search = {.x = x, .n = n, .look_alpha = SEQUENTIAL_LOOK * alpha, .confidence = confidence};
    struct sequential found = {0};
    search.scratch = malloc(2 * n * sizeof *search.scratch);
    search.y = search.scratch ? search.scratch + n : NULL;
    enum stats_status status = search.scratch ? search_run(&search, &found) : STATS_NO_MEMORY;
    free(search.scratch);
    if (status)
        free(found.changes);
    else
        *out = found;
    return status;
}
