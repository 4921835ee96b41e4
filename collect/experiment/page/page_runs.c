/*
 * page_runs.c - the runs: how many each cell has, and those that failed or are missing.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collect/experiment/page/page_parts.h"

#define PAGE_COUNT(array) (sizeof(array) / sizeof *(array))

struct page_runs page_count_runs(const struct experiment *experiment, size_t cell)
{
    const struct cell_runs *runs = &experiment->runs[cell];
    const struct spec_recording *recording = &experiment->spec.recordings[experiment->plan.cells[cell].recording];
    struct page_runs counts = {.wanted = recording->rounds * runs->clocks};
    for (size_t i = 0; i < runs->count; i++) {
        if (!plan_has_run(&experiment->plan, cell, runs->runs[i].number))
            continue;
        counts.good += !runs->runs[i].failed;
        counts.failed += runs->runs[i].failed;
        counts.traces += runs->runs[i].trace_count;
        counts.good_traces += runs->runs[i].failed ? 0 : runs->runs[i].trace_count;
    }
    size_t made = counts.good + counts.failed;
    counts.missing = counts.wanted > made ? counts.wanted - made : 0;
    return counts;
}

struct page_runs page_count_all_runs(const struct experiment *experiment)
{
    struct page_runs all = {0};
    for (size_t c = 0; c < experiment->plan.cell_count; c++) {
        struct page_runs counts = page_count_runs(experiment, c);
        all.wanted += counts.wanted;
        all.good += counts.good;
        all.failed += counts.failed;
        all.missing += counts.missing;
        all.traces += counts.traces;
    }
    return all;
}

/* ---------------------------------------------------------------------------------------------------- cells -- */

struct page_range {
    double low, median, high; /* NaN: there are no runs */
};

static int page_compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static struct page_range page_range(double *values, size_t count)
{
    if (count == 0)
        return (struct page_range){NAN, NAN, NAN};
    qsort(values, count, sizeof *values, page_compare_reals);
    double median = count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    return (struct page_range){values[0], median, values[count - 1]};
}

static void page_write_cell_row(FILE *out, const struct page *page, size_t number)
{
    struct experiment *experiment = page->experiment;
    const struct plan_cell *cell = &experiment->plan.cells[number];
    const struct cell_runs *runs = &experiment->runs[number];
    struct page_runs counts = page_count_runs(experiment, number);
    double *walls = memory_allocate(&experiment->memory, runs->count + 1, sizeof *walls);
    double *loads = memory_allocate(&experiment->memory, runs->count + 1, sizeof *loads);
    size_t wall_count = 0, load_count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct state_start *start = state_find_start(&experiment->state, cell->id, runs->runs[i].number);
        if (runs->runs[i].failed || !plan_has_run(&experiment->plan, number, runs->runs[i].number))
            continue;
        walls[wall_count++] = runs->runs[i].wall_s;
        if (start && start->load >= 0)
            loads[load_count++] = start->load;
    }
    struct page_range wall = page_range(walls, wall_count), load = page_range(loads, load_count);
    fputs("<tr><td>", out);
    page_escape(out, experiment->spec.recordings[cell->recording].name);
    fputs("</td>", out);
    for (size_t v = 0; v <= experiment->spec.factor_count; v++) {
        fputs("<td>", out);
        page_escape(out,
                    cell->levels[v] == PLAN_NO_LEVEL ? "" : spec_level_name(&experiment->spec, v, cell->levels[v]));
        fputs("</td>", out);
    }
    fprintf(out, "<td class=\"n\">%zu</td><td class=\"n\">%zu</td><td class=\"n%s\">%zu</td><td class=\"n%s\">%zu</td>",
            counts.wanted, counts.good, counts.failed ? " bad" : "", counts.failed, counts.missing ? " bad" : "",
            counts.missing);
    page_write_number(out, wall.median);
    page_write_number(out, wall.low);
    page_write_number(out, wall.high);
    if (isnan(load.median))
        fputs("<td class=\"n\">-</td><td>", out);
    else
        fprintf(out, "<td class=\"n\">%.2f</td><td>", load.median); /* as many digits as starts.jsonl is sure to have */
    page_write_link(out, page, memory_print(&experiment->memory, "%s/recordings/%s/", experiment->spec.data, cell->id),
                    counts.traces
                        ? memory_print(&experiment->memory, "%zu trace%s", counts.traces, counts.traces == 1 ? "" : "s")
                        : "directory");
    fputs("</td></tr>\n", out);
}

static void page_write_cells(FILE *out, const struct page *page)
{
    static const char *const last[][2] = {
        {"#rounds", "The runs that the description asks for: rounds, for each clock."},
        {"#runs", "Runs that succeeded, which results are made from."},
        {"#failed", "Runs with an exit status other than 0, or ended by a signal. All results are without them."},
        {"#missing", "Runs that do not exist yet."},
        {"#median wall_s", "The median of the wall-clock times of the runs that succeeded, in seconds."},
        {"#min wall_s", "The shortest of these times."},
        {"#max wall_s", "The longest of these times."},
        {"#median load", "The median of the load averages before the starts."},
        {"data", "The directory of the cell's recordings."}};
    const struct spec *spec = &page->experiment->spec;
    const char *columns[SPEC_VARIABLES_MAX + 1 + PAGE_COUNT(last)][2] = {{"recording", "The name of the recording."}};
    size_t count = 1;
    for (size_t v = 0; v <= spec->factor_count; v++, count++) {
        columns[count][0] = spec_variable_name(spec, v);
        columns[count][1] = v ? "The level of this factor; empty if it does not apply." : "The name of the program.";
    }
    for (size_t i = 0; i < PAGE_COUNT(last); i++, count++) {
        columns[count][0] = last[i][0];
        columns[count][1] = last[i][1];
    }
    page_open_table(out, "cells", "Cells", page->experiment->plan.cell_count, (const char *const(*)[2])columns, count);
    for (size_t c = 0; c < page->experiment->plan.cell_count; c++)
        page_write_cell_row(out, page, c);
    page_close_table(out);
}

/* ------------------------------------------------------------------------------------------------- failures -- */

/* Whether a start failed without a run, which assay record would have noted. */
static bool page_start_has_no_run(const struct experiment *experiment, const struct state_start *start)
{
    if (start->status == 0 || start->warmup > 0)
        return false;
    for (size_t c = 0; c < experiment->plan.cell_count; c++) {
        if (strcmp(experiment->plan.cells[c].id, start->cell) != 0)
            continue;
        for (size_t i = 0; i < experiment->runs[c].count; i++)
            if (experiment->runs[c].runs[i].number == start->round && experiment->runs[c].runs[i].failed)
                return false;
        return true;
    }
    return false; /* of a cell that the description no longer has */
}

size_t page_count_failed_starts(const struct experiment *experiment)
{
    size_t count = 0;
    for (size_t i = 0; i < experiment->state.start_count; i++)
        count += page_start_has_no_run(experiment, &experiment->state.starts[i]);
    return count;
}

static void page_write_failure(FILE *out, const struct page *page, const char *cell, uint64_t round, const char *how)
{
    struct obstack *memory = &page->experiment->memory;
    fputs("<tr><td>", out);
    page_escape(out, cell);
    fprintf(out, "</td><td class=\"n\">%" PRIu64 "</td><td>%s</td><td>", round, how);
    page_write_link(out, page, memory_print(memory, "%s/recordings/%s/log", page->experiment->spec.data, cell), "log");
    fputs("</td></tr>\n", out);
}

static void page_write_failures(FILE *out, const struct page *page)
{
    static const char *const columns[][2] = {{"cell", "Recording, program and levels."},
                                             {"#round", "The number of the run."},
                                             {"failure", "How it ended."},
                                             {"log", "What the command and the recorder printed."}};
    struct experiment *experiment = page->experiment;
    struct obstack *memory = &experiment->memory;
    size_t failed = page_count_all_runs(experiment).failed, starts = page_count_failed_starts(experiment);
    if (failed + starts == 0)
        return;
    fputs("<h3>Failures</h3>\n", out);
    page_open_table(out, "failures", "Failures", failed + starts, columns, PAGE_COUNT(columns));
    for (size_t c = 0; c < experiment->plan.cell_count; c++)
        for (size_t i = 0; i < experiment->runs[c].count; i++) {
            const struct cell_run *run = &experiment->runs[c].runs[i];
            if (!run->failed || !plan_has_run(&experiment->plan, c, run->number))
                continue;
            page_write_failure(out, page, experiment->plan.cells[c].id, run->number,
                               run->signal ? memory_print(memory, "signal %" PRIi64, run->signal)
                                           : memory_print(memory, "exit status %" PRIi64, run->status));
        }
    for (size_t i = 0; i < experiment->state.start_count; i++) {
        const struct state_start *start = &experiment->state.starts[i];
        if (page_start_has_no_run(experiment, start))
            page_write_failure(out, page, start->cell, start->round,
                               memory_print(memory, "no run: the recorder ended with status %d", start->status));
    }
    page_close_table(out);
}

void page_write_runs(FILE *out, const struct page *page)
{
    struct page_runs runs = page_count_all_runs(page->experiment);
    fprintf(out,
            "<section id=\"runs\">\n<h2>Runs</h2>\n<p>%zu of %zu runs succeeded, %zu failed, and %zu %s missing.</p>\n",
            runs.good, runs.wanted, runs.failed, runs.missing, runs.missing == 1 ? "is" : "are");
    page_write_cells(out, page);
    page_write_failures(out, page);
    fputs("</section>\n", out);
}
