#include "collect/experiment/state/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int estimate_compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double estimate_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, estimate_compare);
    return count ? (values[(count - 1) / 2] + values[count / 2]) / 2 : NAN;
}

/* Medians over the starts that succeeded and whose cell begins with the prefix, or is it. */
static struct estimate estimate_starts(const struct state *state, const char *prefix, size_t length, bool whole)
{
    double *wall = calloc(2 * state->start_count + 2, sizeof *wall), *bytes = wall + state->start_count + 1;
    size_t count = 0, kept = 0;
    if (!wall)
        return (struct estimate){NAN, NAN};
    for (size_t i = 0; i < state->start_count; i++) {
        const struct state_start *start = &state->starts[i];
        if (start->status == 0 && strncmp(start->cell, prefix, length) == 0 && (!whole || !start->cell[length])) {
            wall[count++] = start->warmup ? start->wall_s / (double)start->warmup : start->wall_s;
            if (!start->warmup)
                bytes[kept++] = (double)start->bytes;
        }
    }
    struct estimate estimate = {estimate_median(wall, count), estimate_median(bytes, kept)};
    free(wall);
    return estimate;
}

struct estimate estimate_cell(const struct state *state, const struct plan *plan, const struct plan_cell *cell)
{
    struct estimate estimate = estimate_starts(state, cell->id, strlen(cell->id), true);
    if (isnan(estimate.wall_s)) {
        const char *recording = plan->spec->recordings[cell->recording].name;
        estimate = estimate_starts(state, cell->id, strlen(recording) + 1, false);
    }
    return estimate;
}

const char *estimate_time_text(double seconds, char text[ESTIMATE_TEXT])
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, ESTIMATE_TEXT, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, ESTIMATE_TEXT, "%lu:%02lu", whole / 60, whole % 60);
    return text;
}

const char *estimate_bytes_text(double bytes, char text[ESTIMATE_TEXT])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1000;
    snprintf(text, ESTIMATE_TEXT, "%.*f %s", unit > 0 && bytes < 99.95 ? 1 : 0, bytes, units[unit]);
    return text;
}
