#include "collect/record/series/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/record/series_file.h"

static int progress_compare_times(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median wall time, ns, of the runs in `done` (of a series) with this clock; NULL: of all.
 * 0 if there are none. */
static uint64_t progress_median_ns(const json_t *done, const char *clock)
{
    uint64_t *times = calloc(json_array_size(done) + 1, sizeof *times), median = 0;
    size_t count = 0, i;
    const json_t *entry;
    if (!times)
        return 0;
    json_array_foreach(done, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "clock"));
        if (!clock || (name && strcmp(name, clock) == 0))
            times[count++] = (uint64_t)series_file_ending(entry, "wall_ns");
    }
    qsort(times, count, sizeof *times, progress_compare_times);
    if (count)
        median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    free(times);
    return median;
}

uint64_t progress_left(const json_t *done, const struct record_options *options, const uint64_t *left)
{
    uint64_t all = progress_median_ns(done, NULL), sum = 0;
    for (size_t i = 0; i < options->clock_count; i++) {
        uint64_t median = progress_median_ns(done, options->clocks[i].name);
        sum += left[i] * (median ? median : all);
    }
    return sum;
}

const char *progress_time(uint64_t ns, char text[32])
{
    uint64_t seconds = (ns + 500000000) / 1000000000;
    if (seconds >= 3600)
        snprintf(text, 32, "%" PRIu64 ":%02u:%02u", seconds / 3600, (unsigned)(seconds / 60 % 60),
                 (unsigned)(seconds % 60));
    else
        snprintf(text, 32, "%u:%02u", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
    return text;
}
