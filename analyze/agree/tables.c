#include "analyze/agree/tables_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/proportion.h"

static int tables_add_unions(const struct tables *tables, const struct view *view)
{
    struct measured unions[MEASURE_TOP_MAX];
    int error = measure_unions(view, tables->options->top, &tables->options->intervals, unions);
    for (size_t n = 0; !error && n < tables->options->top; n++)
        report_row(tables->report, &(struct union_row){n + 1, (uint64_t)unions[n].value, unions[n].lo, unions[n].hi});
    if (!error)
        report_note(tables->report,
                    "%zu profilers: Union_n is n if all agree on the n hottest methods, %zun if none do", view->count,
                    view->count);
    return error;
}

/* The methods with the largest HOTNESS in any profiler (§4.3), each of them in all profilers. */
static int tables_add_hotness(const struct tables *tables, const struct view *view, struct table *table)
{
    const enum interval_method method = tables->options->intervals.use_z ? INTERVAL_Z : INTERVAL_T;
    uint32_t top[MEASURE_TOP_MAX];
    double *most = calloc(view->methods + 1, sizeof *most);
    double *shares = NULL;
    if (!most)
        return ENOMEM;
    for (size_t s = 0; s < view->count; s++)
        for (size_t m = 0; m < view->methods; m++)
            most[m] = fmax(most[m], view->side[s].mean[m]);
    size_t count = view_top(view, most, tables->options->top, top);
    free(most);
    for (size_t s = 0; s < view->count; s++) {
        const struct view_side *side = &view->side[s];
        double *grown = realloc(shares, side->runs * sizeof *shares);
        if (!grown) {
            free(shares);
            return ENOMEM;
        }
        shares = grown;
        for (size_t i = 0; i < count; i++) {
            struct interval interval = {.low = NAN, .high = NAN};
            for (size_t r = 0; r < side->runs; r++)
                shares[r] = side->shares[r * (view->methods + 1) + top[i]];
            proportion_mean_interval(shares, side->runs, method, tables->options->intervals.confidence, &interval);
            const struct hotness_row row = {tables_profiler_name(tables, side->profiler), view_text(view, top[i]),
                                            side->mean[top[i]], interval.low, interval.high};
            columns_add(table, &agree_tables[TABLES_HOTNESS], COLUMNS_MACHINE, 0, &row);
        }
    }
    free(shares);
    return 0;
}

/* All profilers together: Union_n or HOTNESS. `figure`: HOTNESS as the figure; the table has already given all notes.
 */
static int tables_report_together(const struct tables *tables, struct table *figure)
{
    struct view view;
    int error = view_make(tables->profiles, tables->profilers, tables->count, false, &view);
    bool empty = view.disjoint;
    for (size_t s = 0; !error && !empty && s < view.count; s++)
        empty = view.side[s].runs == 0;
    if (!error && empty && !figure)
        tables_warn_of_nothing(tables, &view);
    if (!error && !empty && !figure) {
        tables_note_population(tables, &view);
        for (size_t s = 0; s < view.count; s++)
            tables_warn_of_runs(tables, &view.side[s]);
    }
    if (!error && !empty && !figure && tables->options->question == TABLES_UNION)
        error = tables_add_unions(tables, &view);
    else if (!error && !empty)
        error = tables_add_hotness(tables, &view, figure ? figure : tables->report->table);
    view_free(&view);
    return error;
}

/* Puts the profiler that the others are compared with first. False if there is none of its name. */
static bool tables_move_to_front(struct tables *tables, const char *name)
{
    for (size_t p = 0; p < tables->count; p++) {
        uint32_t found = tables->profilers[p];
        if (strcmp(profiles_text(tables->profiles, found), name) != 0)
            continue;
        memmove(tables->profilers + 1, tables->profilers, p * sizeof *tables->profilers);
        tables->profilers[0] = found;
        return true;
    }
    return false;
}

int tables_report(const struct profiles *profiles, const struct tables_options *options, struct report *report)
{
    struct tables tables = {.profiles = profiles, .options = options, .report = report};
    bool together = options->question == TABLES_UNION || options->question == TABLES_HOTNESS;
    int error = report_tables(report, &agree_tables[options->question], 0);
    tables.profilers = view_profilers(profiles, &tables.count);
    if (!tables.profilers)
        error = ENOMEM;
    if (!error && tables.count < 2 && options->question != TABLES_HOTNESS)
        report_warn(report,
                    "%s: there are fewer than two profilers to compare (--by file compares files, --by directory those "
                    "of each directory)",
                    tables.count ? tables_profiler_name(&tables, tables.profilers[0]) : "no profile");
    else if (!error && options->question == TABLES_OBSERVER && !tables_move_to_front(&tables, options->baseline))
        report_warn(report, "no profiles of '%s', with which to compare the others", options->baseline);
    else if (!error && tables.count > 0)
        error = together ? tables_report_together(&tables, NULL) : tables_each_pair(&tables);
    /* --plot draws HOTNESS, whatever the table */
    if (!error && report->wants_figure && options->question != TABLES_HOTNESS && tables.count > 0) {
        report->figure = columns_table(&agree_tables[TABLES_HOTNESS], COLUMNS_MACHINE, 0);
        error = report->figure ? tables_report_together(&tables, report->figure) : ENOMEM;
    }
    if (!error) {
        tables_note_coverage(&tables);
        tables_note_method(&tables);
        report->no_result = table_row_count(report->table) == 0;
        if (options->question == TABLES_PAIRS && profiles_call_count(profiles) == 0)
            report_note(report, "class: without call stacks it is unknown whether one hottest method calls the other");
    }
    free(tables.profilers);
    return error;
}
