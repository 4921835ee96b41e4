/*
 * page_about.c - the question, the method and the machines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collect/experiment/page/page_latex.h"
#include "collect/experiment/page/page_parts.h"
#include "collect/experiment/state/estimate.h"

static const char *page_file_name(const struct spec *spec)
{
    const char *slash = strrchr(spec->path, '/');
    return slash ? slash + 1 : spec->path;
}

static void page_write_number_of(FILE *out, size_t count, const char *one, const char *many, bool bad)
{
    fprintf(out, "<li%s><b>%zu</b> %s</li>\n", bad && count ? " class=\"bad\"" : "", count, count == 1 ? one : many);
}

void page_write_head(FILE *out, const struct page *page)
{
    const struct spec *spec = &page->experiment->spec;
    const char *name = page_file_name(spec);
    const char *headline = spec->question ? spec->question : spec->title ? spec->title : name;
    struct page_runs runs = page_count_all_runs(page->experiment);
    fputs("<h1>", out);
    page_escape(out, headline);
    fputs("</h1>\n<p class=\"quiet\">", out);
    if (spec->title && headline != spec->title) {
        page_escape(out, spec->title);
        fputs(". ", out);
    }
    fputs("The experiment is described in ", out);
    page_write_link(out, page, name, name);
    fputs(".</p>\n<ul class=\"counts\">\n", out);
    page_write_number_of(out, spec->program_count, "program", "programs", false);
    page_write_number_of(out, page->experiment->plan.cell_count, "cell", "cells", false);
    page_write_number_of(out, runs.good, "run", "runs", false);
    page_write_number_of(out, runs.failed, "failed run", "failed runs", true);
    page_write_number_of(out, runs.missing, "missing run", "missing runs", true);
    page_write_number_of(out, page->result_count, "result", "results", false);
    page_write_number_of(out, page->error_count, "result not made", "results not made", true);
    page_write_number_of(out, page->warning_count, "warning", "warnings", true);
    fputs("</ul>\n", out);
}

/* --------------------------------------------------------------------------------------------------- method -- */

/* Paragraphs, which empty lines separate. */
static void page_write_paragraphs(FILE *out, struct obstack *memory, const char *text)
{
    char *rest = memory_print(memory, "%s", text);
    for (char *next; rest; rest = next) {
        next = strstr(rest, "\n\n");
        if (next)
            *next = '\0';
        next = next ? next + 2 + strspn(next + 2, "\n") : NULL;
        for (char *line; (line = strchr(rest, '\n'));)
            *line = ' ';
        if (!*rest)
            continue;
        fputs("<p>", out);
        page_escape(out, rest);
        fputs("</p>\n", out);
    }
}

static void page_write_environment(FILE *out, const struct spec_environment *environment)
{
    for (size_t i = 0; i < environment->count; i++) {
        fputs("<div>environment: <code>", out);
        page_escape(out, environment->names[i]);
        fputs("=", out);
        page_escape(out, environment->values[i]);
        fputs("</code></div>", out);
    }
}

static void page_write_programs(FILE *out, const struct spec *spec)
{
    fputs("<h4>Programs</h4>\n<dl class=\"facts\">\n", out);
    for (size_t i = 0; i < spec->program_count; i++) {
        const struct spec_program *program = &spec->programs[i];
        fputs("<dt>", out);
        page_escape(out, program->name);
        fputs("</dt><dd><code>", out);
        page_escape(out, program->at->text);
        fputs("</code>", out);
        if (program->directory) {
            fputs("<br>in the directory <code>", out);
            page_escape(out, program->directory);
            fputs("</code>", out);
        }
        if (program->input) {
            fputs("<br>with the input <code>", out);
            page_escape(out, program->input);
            fputs("</code>", out);
        }
        page_write_environment(out, &program->environment);
        fputs("</dd>\n", out);
    }
    fputs("</dl>\n", out);
}

static void page_write_factors(FILE *out, const struct spec *spec)
{
    for (size_t f = 0; f < spec->factor_count; f++) {
        const struct spec_factor *factor = &spec->factors[f];
        fputs("<h4>Factor ", out);
        page_escape(out, factor->name);
        fputs("</h4>\n<dl class=\"facts\">\n", out);
        for (size_t i = 0; i < factor->level_count; i++) {
            const struct spec_level *level = &factor->levels[i];
            fputs("<dt>", out);
            page_escape(out, level->name);
            fputs("</dt><dd>", out);
            if (*level->text) {
                fputs("<code>", out);
                page_escape(out, level->text);
                fputs("</code>", out);
            } else if (level->environment.count == 0) {
                fputs("nothing", out);
            }
            page_write_environment(out, &level->environment);
            fputs("</dd>\n", out);
        }
        fputs("</dl>\n", out);
    }
}

/* The fewest and the most of something among cells. */
struct page_counts {
    uint64_t least, most;
};

static void page_count(struct page_counts *counts, bool first, uint64_t count)
{
    counts->least = first || count < counts->least ? count : counts->least;
    counts->most = first || count > counts->most ? count : counts->most;
}

/* "10 rounds", "8 to 10 rounds". */
static void page_write_counts(FILE *out, const struct page_counts *counts, const char *what)
{
    if (counts->least != counts->most)
        fprintf(out, "%" PRIu64 " to ", counts->least);
    fprintf(out, "%" PRIu64 " %s%s", counts->most, what, counts->most == 1 ? "" : "s");
}

/* The rounds that a cell has among those that results are made from. */
static uint64_t page_count_rounds(const struct experiment *experiment, size_t cell)
{
    uint64_t rounds = 0;
    for (uint64_t round = 1; round <= experiment->runs[cell].number_end; round++)
        rounds += plan_has_run(&experiment->plan, cell, round) && cell_runs_have(&experiment->runs[cell], round);
    return rounds;
}

static uint64_t page_count_warmup(const struct experiment *experiment, size_t cell)
{
    uint64_t warmup = 0;
    for (size_t i = 0; i < experiment->state.start_count; i++)
        if (strcmp(experiment->state.starts[i].cell, experiment->plan.cells[cell].id) == 0)
            warmup += experiment->state.starts[i].warmup;
    return warmup;
}

/* By which rules rounds were added. */
static void page_write_until(FILE *out, const struct page *page, const struct spec_recording *recording, bool latex)
{
    const char *percent = latex ? "\\%" : "%", *within = latex ? "$\\pm$" : "±";
    const json_t *all = json_object_get(page->experiment->state.root, "until");
    const json_t *rules = json_object_get(all, recording->name), *rule;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)rules, i, rule)
    {
        fprintf(out, "%s until the 95 %s interval of the mean of ", i ? ", later" : ". Rounds were added", percent);
        (latex ? page_latex_text : page_escape)(out, json_string_value(json_object_get(rule, "of")));
        fprintf(out, " of each cell was within %s %.4g %s, %" JSON_INTEGER_FORMAT " at most", within,
                100 * json_number_value(json_object_get(rule, "half_width")), percent,
                json_integer_value(json_object_get(rule, "most")));
    }
    if (json_array_size(rules) > 0)
        fputs(". Intervals of experiments that stop like this are slightly too narrow", out);
}

void page_write_rounds(FILE *out, const struct page *page, size_t number, bool latex)
{
    const struct experiment *experiment = page->experiment;
    const struct spec_recording *recording = &experiment->spec.recordings[number];
    struct page_counts rounds = {0}, warmup = {0};
    bool first = true;
    for (size_t c = 0; c < experiment->plan.cell_count; c++) {
        if (experiment->plan.cells[c].recording != number)
            continue;
        page_count(&rounds, first,
                   recording->runs && page_count_rounds(experiment, c) > 0 ? recording->runs
                                                                           : page_count_rounds(experiment, c));
        page_count(&warmup, first, page_count_warmup(experiment, c));
        first = false;
    }
    fputs(", ", out);
    page_write_counts(out, &rounds, "round");
    fputs(recording->runs ? " in one start" : "", out);
    if (warmup.most > 0) {
        fputs(", and ", out);
        page_write_counts(out, &warmup, "warm-up run");
        fputs(" of each cell at the beginning of sessions, whose recordings are discarded", out);
    }
    page_write_until(out, page, recording, latex);
}

static void page_write_recordings(FILE *out, const struct page *page)
{
    const struct spec *spec = &page->experiment->spec;
    fputs("<h4>Recordings</h4>\n<dl class=\"facts\">\n", out);
    for (size_t r = 0; r < spec->recording_count; r++) {
        const struct spec_recording *recording = &spec->recordings[r];
        fputs("<dt>", out);
        page_escape(out, recording->name);
        fputs("</dt><dd><code>assay ", out);
        page_escape(out, recording->at->text);
        fputs("</code>", out);
        page_write_rounds(out, page, r, false);
        fputs(".</dd>\n", out);
    }
    fputs("</dl>\n", out);
}

void page_write_method(FILE *out, const struct page *page)
{
    const struct spec *spec = &page->experiment->spec;
    fputs("<section id=\"method\">\n<h2>Method</h2>\n", out);
    if (spec->method)
        page_write_paragraphs(out, &page->experiment->memory, spec->method);
    fprintf(out,
            "<p>A cell is a program under one combination of levels, with one recording; there are %zu. A round runs "
            "each cell once, in an order that is random for each round",
            page->experiment->plan.cell_count);
    if (spec->seed_given || page->experiment->state.start_count > 0) /* or it is only that of this process */
        fprintf(out, " (seed %" PRIu64 ")", page->experiment->state.seed);
    fputs(". Each run is a process of its own. Failed runs are left out of all results.</p>\n", out);
    page_write_programs(out, spec);
    page_write_factors(out, spec);
    page_write_recordings(out, page);
    fputs("</section>\n", out);
}

/* ------------------------------------------------------------------------------------------------- machines -- */

static int page_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void page_write_fact(FILE *out, const char *name, const char *value)
{
    fprintf(out, "<dt>%s</dt><dd>", name);
    page_escape(out, value && *value ? value : "unknown");
    fputs("</dd>\n", out);
}

/* The load before the starts on this machine. */
static void page_write_load(FILE *out, const struct page *page, size_t machine)
{
    const struct state *state = &page->experiment->state;
    double *loads = memory_allocate(&page->experiment->memory, state->start_count + 1, sizeof *loads);
    size_t count = 0, starts = 0;
    for (size_t i = 0; i < state->start_count; i++) {
        bool here = state->starts[i].machine == machine;
        starts += here;
        if (here && state->starts[i].load >= 0)
            loads[count++] = state->starts[i].load;
    }
    qsort(loads, count, sizeof *loads, page_compare_doubles);
    fprintf(out, "<dt>Starts of programs</dt><dd>%zu</dd>\n<dt>Load average before a start</dt><dd>", starts);
    if (count)
        fprintf(out, "median %.2f, from %.2f to %.2f", loads[count / 2], loads[0], loads[count - 1]);
    else
        fputs("unknown", out);
    fputs("</dd>\n", out);
}

/* Time that the host took, in the runs that were started on this machine. */
static void page_write_stolen(FILE *out, const struct page *page, size_t machine)
{
    const struct experiment *experiment = page->experiment;
    double stolen_s = 0, wall_s = 0;
    for (size_t c = 0; c < experiment->plan.cell_count; c++)
        for (size_t i = 0; i < experiment->runs[c].count; i++) {
            const struct cell_run *run = &experiment->runs[c].runs[i];
            const struct state_start *start =
                state_find_start(&experiment->state, experiment->plan.cells[c].id, run->number);
            if (start && start->machine == machine) {
                stolen_s += run->stolen_s;
                wall_s += run->wall_s;
            }
        }
    fprintf(out, "<dt>Time stolen by the host</dt><dd>%.2f s, while the runs took %.2f s</dd>\n", stolen_s, wall_s);
}

void page_write_machines(FILE *out, const struct page *page)
{
    const json_t *machines = json_object_get(page->experiment->state.root, "machines"), *machine;
    size_t i;
    fputs("<section id=\"machines\">\n<h2>Machine</h2>\n", out);
    if (json_array_size(machines) == 0)
        fputs("<p>No machine is noted yet.</p>\n", out);
    json_array_foreach((json_t *)(uintptr_t)machines, i, machine)
    {
        char bytes[ESTIMATE_TEXT], cores[ESTIMATE_TEXT];
        const char *java;
        json_t *version;
        snprintf(cores, sizeof cores, "%lld", (long long)json_integer_value(json_object_get(machine, "cores")));
        fprintf(out, "<h3>machine-%zu</h3>\n<dl class=\"facts\">\n", i + 1);
        page_write_fact(out, "Processor", json_string_value(json_object_get(machine, "cpu")));
        page_write_fact(out, "Cores", cores);
        page_write_fact(
            out, "Memory",
            estimate_bytes_text((double)json_integer_value(json_object_get(machine, "memory_bytes")), bytes));
        page_write_fact(out, "Kernel", json_string_value(json_object_get(machine, "kernel")));
        page_write_fact(out, "Frequency governor", json_string_value(json_object_get(machine, "governor")));
        page_write_fact(out, "assay", json_string_value(json_object_get(machine, "assay")));
        json_object_foreach(json_object_get(machine, "java"), java, version)
        {
            fputs("<dt>", out);
            page_escape(out, java);
            fputs("</dt><dd>", out);
            page_escape(out, json_string_value(version) ? json_string_value(version) : "unknown");
            fputs("</dd>\n", out);
        }
        page_write_load(out, page, i);
        page_write_stolen(out, page, i);
        fputs("</dl>\n", out);
    }
    fputs("</section>\n", out);
}
