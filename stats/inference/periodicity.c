#include "stats/inference/periodicity.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distributions/tail.h"

enum { OVERSAMPLED = 4, SLOWEST = 2 /* periods in the longest series */ };

/* A value with what its sinusoids have come to. */
struct point {
    double time, rest; /* from the first time of its series; from its line */
    double cosine, sine, turn_cosine, turn_sine;
};

/* All series, one after the other. */
struct search {
    struct point *points;
    size_t *ends, series; /* where each ends */
    size_t n;
    double longest, squares, all; /* the longest time; of rests; of values around their means */
};

static bool periodicity_series_is_usable(const struct periodicity_series *series)
{
    return series->n >= PERIODICITY_LEAST;
}

static bool periodicity_series_is_finite(const struct periodicity_series *series)
{
    for (size_t i = 0; i < series->n; i++)
        if (!isfinite(series->time[i]) || !isfinite(series->value[i]))
            return false;
    return true;
}

static void periodicity_add_series(struct search *search, const struct periodicity_series *series)
{
    struct point *points = search->points + search->n;
    /* Takes the straight line from the values. */
    double mean_t = 0, mean_v = 0, tt = 0, tv = 0, n = (double)series->n;
    for (size_t i = 0; i < series->n; i++) {
        mean_t += series->time[i] / n;
        mean_v += series->value[i] / n;
    }
    for (size_t i = 0; i < series->n; i++) {
        double t = series->time[i] - mean_t;
        tt += t * t;
        tv += t * (series->value[i] - mean_v);
    }
    for (size_t i = 0; i < series->n; i++) {
        double t = series->time[i] - mean_t, line = tt > 0 ? tv / tt * t : 0;
        points[i].rest = series->value[i] - mean_v - line;
        search->squares += points[i].rest * points[i].rest;
        search->all += (series->value[i] - mean_v) * (series->value[i] - mean_v);
    }
    double first = series->time[0], last = first;
    for (size_t i = 0; i < series->n; i++) {
        first = fmin(first, series->time[i]);
        last = fmax(last, series->time[i]);
    }
    for (size_t i = 0; i < series->n; i++)
        points[i].time = series->time[i] - first;
    search->longest = fmax(search->longest, last - first);
    search->n += series->n;
    search->ends[search->series++] = search->n;
}

/* The sum of squares that a sinusoid of the present frequency explains in points [from, end), which turn on. */
static double periodicity_explained_squares(struct point *points, size_t from, size_t end)
{
    double n = (double)(end - from), c = 0, s = 0, cc = 0, ss = 0, cs = 0, yc = 0, ys = 0;
    for (size_t i = from; i < end; i++) {
        struct point *p = &points[i];
        double cosine = p->cosine, sine = p->sine;
        c += cosine;
        s += sine;
        cc += cosine * cosine;
        cs += cosine * sine;
        yc += p->rest * cosine;
        ys += p->rest * sine;
        p->cosine = cosine * p->turn_cosine - sine * p->turn_sine;
        p->sine = sine * p->turn_cosine + cosine * p->turn_sine;
    }
    ss = n - cc - s * s / n;
    cc -= c * c / n;
    cs -= c * s / n;
    double determinant = cc * ss - cs * cs;
    if (determinant <= 1e-9 * n * n)
        return 0;
    return (ss * yc * yc + cc * ys * ys - 2 * cs * yc * ys) / determinant;
}

/* The strongest of `count` frequencies, first · step and on; *most: what it explains. */
static double periodicity_strongest(struct search *search, double first, size_t count, double step, double *most)
{
    double best = first * step;
    *most = 0;
    /* Sinusoids of frequency step · first, and their turns to each next one. */
    for (size_t i = 0; i < search->n; i++) {
        struct point *point = &search->points[i];
        double turn = 2 * M_PI * step * point->time;
        point->cosine = cos(first * turn);
        point->sine = sin(first * turn);
        point->turn_cosine = cos(turn);
        point->turn_sine = sin(turn);
    }
    for (size_t k = 0; k < count; k++) {
        double all = 0;
        for (size_t s = 0; s < search->series; s++)
            all += periodicity_explained_squares(search->points, s > 0 ? search->ends[s - 1] : 0, search->ends[s]);
        if (all > *most) {
            *most = all;
            best = (first + (double)k) * step;
        }
    }
    return best;
}

static void periodicity_search(struct search *search, struct periodicity *out)
{
    enum { LINE_AND_SINUSOID = 4, FINER = 64 };
    size_t resolvable = search->n / search->series / 2, first = SLOWEST * OVERSAMPLED;
    size_t tried = resolvable * OVERSAMPLED > first ? resolvable * OVERSAMPLED - first : 1;
    double most, step = 1 / ((double)OVERSAMPLED * search->longest), series = (double)search->series;
    double near = periodicity_strongest(search, (double)first, tried, step, &most);
    double best =
        periodicity_strongest(search, (near / step - 1) * (double)FINER, 2 * FINER + 1, step / (double)FINER, &most);
    double left = search->squares - most, dof = (double)search->n - series * (double)LINE_AND_SINUSOID;
    double f = left > 0 ? most / (2 * series) / (left / dof) : INFINITY, p = 0;
    struct tail tail;
    if (isfinite(f) && tail_f(f, 2 * series, dof, &tail) == STATS_OK)
        p = fmin(1, (double)tried * tail.p);
    *out = (struct periodicity){1 / best, fmin(most / search->all, 1), p, search->n};
}

enum stats_status periodicity_find(const struct periodicity_series *series, size_t count, struct periodicity *out)
{
    struct search search = {0};
    size_t n = 0, usable = 0;
    for (size_t i = 0; i < count; i++) {
        if (!periodicity_series_is_finite(&series[i]))
            return STATS_DOMAIN;
        n += periodicity_series_is_usable(&series[i]) ? series[i].n : 0;
        usable += periodicity_series_is_usable(&series[i]);
    }
    if (usable == 0)
        return STATS_TOO_FEW;
    search.points = calloc(n, sizeof *search.points);
    search.ends = calloc(usable, sizeof *search.ends);
    enum stats_status status = search.points && search.ends ? STATS_OK : STATS_NO_MEMORY;
    double sizes = 0;
    for (size_t i = 0; i < count && status == STATS_OK; i++)
        if (periodicity_series_is_usable(&series[i])) {
            for (size_t v = 0; v < series[i].n; v++)
                sizes += series[i].value[v] * series[i].value[v];
            periodicity_add_series(&search, &series[i]);
        }
    if (status == STATS_OK && (search.longest <= 0 || search.squares <= sizes * 1e-24))
        status = STATS_CONSTANT;
    if (status == STATS_OK)
        periodicity_search(&search, out);
    free(search.points);
    free(search.ends);
    return status;
}
