#include "analyze/warmup/warmup_figure.h"

#include <math.h>
#include <stdlib.h>

struct figure_row {
    const char *class;
    uint64_t iteration, steady, outlier;
    double value, level, low, high;
};

static const struct column items[] = {COLUMN(figure_row, "class", TABLE_TEXT, class, NULL),
                                      COLUMN(figure_row, "iteration", TABLE_COUNT, iteration, NULL),
                                      COLUMN(figure_row, "value", TABLE_REAL, value, NULL),
                                      COLUMN(figure_row, "level", TABLE_REAL, level, NULL),
                                      COLUMN(figure_row, "steady", TABLE_COUNT, steady, NULL),
                                      COLUMN(figure_row, "outlier", TABLE_COUNT, outlier, NULL),
                                      COLUMN(figure_row, "axis_low", TABLE_REAL, low, NULL),
                                      COLUMN(figure_row, "axis_high", TABLE_REAL, high, NULL)};
static const struct columns own = COLUMNS("One row for each iteration", items);

struct range {
    double low, high;
};

/* By what lies in segments of a twentieth of the iterations, five at least: a shorter one may be a few outliers. */
static void figure_widen_range(struct range *range, const struct series *series, const struct warmup_process *process)
{
    double sd = 0; /* of the longest segment */
    size_t longest = 0;
    for (size_t s = 0; s < process->found.segment_count; s++) {
        const struct segment *segment = &process->found.segments[s];
        if (segment->end - segment->begin > longest) {
            longest = segment->end - segment->begin;
            sd = segment->sd;
        }
    }
    for (size_t s = 0; s < process->found.segment_count; s++) {
        const struct segment *segment = &process->found.segments[s];
        size_t length = segment->end - segment->begin;
        double beyond = fmax(4 * sd, 2 * segment->sd), least = HUGE_VAL, most = -HUGE_VAL;
        if (length < longest && (length < 5 || length < process->iterations / 20))
            continue;
        for (size_t i = segment->begin; i < segment->end; i++) {
            least = fmin(least, series_double(series, i));
            most = fmax(most, series_double(series, i));
        }
        range->low = fmin(range->low, fmax(segment->mean - beyond, least));
        range->high = fmax(range->high, fmin(segment->mean + beyond, most));
    }
}

static void figure_add_process(struct table *table, const struct groups *groups, size_t g, size_t value,
                               const struct warmup_process *process, const struct range *range)
{
    const struct series *series = groups_series(groups, g, value);
    const struct segment *segment = process->found.segments;
    for (size_t i = 0; i < process->iterations; i++) {
        while (i >= segment->end)
            segment++;
        const struct figure_row row = {.class = warmup_class_name(process->found.class),
                                       .iteration = i + 1,
                                       .steady = i >= process->found.steady_from,
                                       .outlier = process->found.is_outlier[i],
                                       .value = series_double(series, i),
                                       .level = segment->mean,
                                       .low = range->low,
                                       .high = range->high};
        groups_table_begin(table, groups, g, value);
        columns_add(table, &own, COLUMNS_MACHINE, 0, &row);
    }
}

struct table *warmup_figure_table(const struct groups *groups, const struct warmup_process *processes)
{
    size_t values = groups->columns.value_count;
    size_t texts = groups->columns.group_count - groups->columns.within_count;
    struct text_set benchmarks = {0};
    struct range *ranges = malloc((groups->count * values + 1) * sizeof *ranges); /* [benchmark · value_count] */
    uint32_t *benchmark = malloc((groups->count + 1) * sizeof *benchmark);
    struct table *table = groups_table_new(groups, true, &own);
    bool good = ranges && benchmark && table;
    for (size_t g = 0; good && g < groups->count; g++) {
        benchmark[g] = text_set_add_tuple(&benchmarks, (const char *const *)groups->texts[g], texts);
        good = benchmark[g] != TEXT_SET_FULL;
    }
    for (size_t i = 0; good && i < groups->count * values; i++)
        ranges[i] = (struct range){HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; good && i < groups->count * values; i++)
        figure_widen_range(&ranges[benchmark[i / values] * values + i % values],
                           groups_series(groups, i / values, i % values), &processes[i]);
    for (size_t i = 0; good && i < groups->count * values; i++)
        figure_add_process(table, groups, i / values, i % values, &processes[i],
                           &ranges[benchmark[i / values] * values + i % values]);
    if (!good && table) {
        table_free(table);
        table = NULL;
    }
    text_set_free(&benchmarks);
    free(ranges);
    free(benchmark);
    return table;
}

const char *warmup_figure_label(const struct groups *groups)
{
    static char label[160];
    const char *unit = groups_common_unit(groups);
    snprintf(label, sizeof label, "%.100s%s%.40s%s",
             groups->columns.value_count > 1 ? "value" : groups->columns.values[0], unit ? " (" : "", unit ? unit : "",
             unit ? ")" : "");
    return label;
}
