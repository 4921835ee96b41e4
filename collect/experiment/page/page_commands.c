/*
 * page_commands.c - every command line, and where the data are.
 */
#include <stdio.h>
#include <string.h>

#include "collect/experiment/page/page_parts.h"

static const char *page_description(const struct page *page)
{
    const char *path = page->experiment->spec.path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The report of an audit goes to standard output. */
static void page_write_audit_command(FILE *out, const struct page *page, const struct step *step, struct words *words)
{
    struct obstack *memory = &page->experiment->memory;
    const char *format = report_audit_format(step->name);
    const char *const *options =
        format && step->cell_count == 1 ? report_audit_options(page->experiment, step, format) : NULL;
    struct words file = {0};
    for (size_t i = 0; options && options[i]; i++)
        words_add(memory, words, options[i]);
    words_add(memory, &file, step->name);
    page_escape(out, memory_print(memory, "%s >%s", page_command(memory, words), page_command(memory, &file)));
    fputs("</code></dd>\n", out);
}

/* What is run for a result; its inputs are folded away, since there may be hundreds. */
static void page_write_command(FILE *out, const struct page *page, size_t number)
{
    struct obstack *memory = &page->experiment->memory;
    const struct step *step = &page->steps->list[number];
    const struct report_inputs *inputs = &page->outcomes[number].inputs;
    struct words words = {0};
    words_add(memory, &words, "assay");
    for (size_t i = 0; i < step->line.count; i++)
        words_add(memory, &words, step->line.list[i]);
    fputs("<dt>", out);
    page_escape(out, step->name);
    fputs("</dt><dd><code>", out);
    if (steps_is_audit(step)) {
        page_write_audit_command(out, page, step, &words);
        return;
    }
    words_add(memory, &words,
              step->result->kind == SPEC_VALUE ? "--format=json"
                                               : memory_print(memory, "%s=%s", report_option(step), step->name));
    page_escape(out, page_command(memory, &words));
    for (size_t i = 0; i < inputs->words.count; i++)
        words_add(memory, &words, inputs->words.list[i]);
    fprintf(out, "</code> and %zu input%s<details><summary>with all inputs</summary><pre>", inputs->paths.count,
            inputs->paths.count == 1 ? "" : "s");
    page_escape(out, page_command(memory, &words));
    fputs("</pre></details></dd>\n", out);
}

static void page_write_cell_command(FILE *out, const struct page *page, const struct plan_cell *cell)
{
    const struct spec_recording *recording = &page->experiment->spec.recordings[cell->recording];
    fputs("<dt>", out);
    page_escape(out, cell->id);
    fputs("</dt><dd><code>assay ", out);
    page_escape(out, page_command(&page->experiment->memory, &recording->line));
    fputs(" -- ", out);
    page_escape(out, page_command(&page->experiment->memory, &cell->command));
    fputs("</code>", out);
    if (recording->profile.count) {
        fputs("<br>each run by <code>assay ", out);
        page_escape(out, page_command(&page->experiment->memory, &recording->profile));
        fputs("</code>", out);
    }
    if (cell->directory) {
        fputs("<br>in the directory <code>", out);
        page_escape(out, cell->directory);
        fputs("</code>", out);
    }
    if (cell->input) {
        fputs("<br>with the input <code>", out);
        page_escape(out, cell->input);
        fputs("</code>", out);
    }
    for (size_t i = 0; i < cell->environment.count; i++) {
        fputs("<div>environment: <code>", out);
        page_escape(out, cell->environment.names[i]);
        fputs("=", out);
        page_escape(out, cell->environment.values[i]);
        fputs("</code></div>", out);
    }
    fputs("</dd>\n", out);
}

void page_write_commands(FILE *out, const struct page *page)
{
    struct obstack *memory = &page->experiment->memory;
    const struct plan *plan = &page->experiment->plan;
    struct words words = {0};
    words_add(memory, &words, page_description(page));
    const char *name = page_command(memory, &words);
    fputs("<section id=\"commands\">\n<h2>Commands</h2>\n<p>All of them run in the directory of ", out);
    page_write_link(out, page, page_description(page), page_description(page));
    fputs(", and one makes them all:</p>\n<pre>assay experiment ", out);
    page_escape(out, name);
    fputs("\n</pre>\n<p>From the recordings alone, without the programs:</p>\n<pre>assay experiment report ", out);
    page_escape(out, name);
    fputs("\n</pre>\n<h3>Recordings</h3>\n<p>The experiment adds the number of the run, the seed and the "
          "output.</p>\n<dl "
          "class=\"facts\">\n",
          out);
    for (size_t c = 0; c < plan->cell_count; c++)
        page_write_cell_command(out, page, &plan->cells[c]);
    fputs("</dl>\n<h3>Results</h3>\n<dl class=\"facts\">\n", out);
    for (size_t i = 0; i < page->steps->count; i++)
        page_write_command(out, page, i);
    fputs("</dl>\n</section>\n", out);
}

void page_write_data(FILE *out, const struct page *page)
{
    static const char *const files[][2] = {
        {"recordings/", "the recordings: a directory for each cell, with traces, series.json and the log"},
        {"starts.jsonl", "each start: cell, round, machine, load, status and time"},
        {"state.json", "the seed, the machines and what each cell was recorded with"},
        {"results.json", "digests (SHA-256) of the results, and of what they were made from"}};
    struct experiment *experiment = page->experiment;
    struct obstack *memory = &experiment->memory;
    fputs("<section id=\"data\">\n<h2>Raw data</h2>\n<ul>\n<li>", out);
    page_write_link(out, page, page_description(page), page_description(page));
    fputs(": the description</li>\n", out);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = memory_print(memory, "%s/%s", experiment->spec.data, files[i][0]);
        fputs("<li>", out);
        page_write_link(out, page, path, path);
        fprintf(out, ": %s</li>\n", files[i][1]);
    }
    for (size_t i = 0; i < page->steps->count; i++)
        if (page->steps->list[i].of_runs && page->steps->list[i].cell_count && page->outcomes[i].inputs.paths.count) {
            const char *path = page->outcomes[i].inputs.paths.list[0];
            fputs("<li>", out);
            page_write_link(out, page, path, path);
            fputs(": the table of runs for ", out);
            page_escape(out, page->steps->list[i].name);
            fputs("</li>\n", out);
        }
    for (size_t i = 0; i < page->steps->count; i++)
        for (size_t f = 0; f < page->steps->list[i].file_count; f++)
            if (page->steps->list[i].files[f].source == SIZE_MAX) {
                fputs("<li>", out);
                page_write_link(out, page, page->steps->list[i].files[f].path, page->steps->list[i].files[f].path);
                fputs(": read for ", out);
                page_escape(out, page->steps->list[i].name);
                fputs("</li>\n", out);
            }
    fputs("</ul>\n</section>\n", out);
}
