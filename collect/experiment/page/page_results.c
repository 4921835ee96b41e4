/*
 * page_results.c - the results: tables, figures, values, their columns, and what each program warned of.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "collect/experiment/page/page_parts.h"

#define PAGE_COUNT(array) (sizeof(array) / sizeof *(array))

static const char *page_step_name(const struct page *page, const struct step *step)
{
    const char *directory = page->experiment->spec.directory;
    bool apart = *directory && step->result->kind != SPEC_VALUE;
    return step->name + (apart ? strlen(directory) + 1 : 0);
}

static const struct step *page_first_step(const struct page *page, const struct page_group *group)
{
    return &page->steps->list[group->members[0]];
}

static void page_write_group_link(FILE *out, const struct page *page, size_t group)
{
    fprintf(out, "<a href=\"#r%zu\">", group + 1);
    page_escape(out, page_step_name(page, page_first_step(page, &page->groups[group])));
    fputs("</a>", out);
}

void page_write_contents(FILE *out, const struct page *page)
{
    fputs("<nav class=\"contents\" aria-label=\"Contents\">\n<a href=\"#method\">Method</a> <a "
          "href=\"#machines\">Machine</a> <a href=\"#runs\">Runs</a>\n",
          out);
    for (size_t g = 0; g < page->group_count; g++) {
        page_write_group_link(out, page, g);
        fputs("\n", out);
    }
    fputs(
        "<a href=\"#columns\">Columns</a> <a href=\"#commands\">Commands</a> <a href=\"#data\">Raw data</a>\n</nav>\n",
        out);
}

void page_write_alignment(FILE *out, const struct page *page)
{
    for (size_t g = 0; g < page->group_count; g++)
        for (const char *line = page->groups[g].fragment.alignment, *end; (end = strchr(line, '\n')); line = end + 1)
            fprintf(out, "#r%zu %.*s\n", g + 1, (int)(end - line), line);
}

/* -------------------------------------------------------------------------------------------------- remarks -- */

/* Whether a group before this one, or a warning before it in the group, has the same text. */
static bool page_warning_is_first(const struct page *page, size_t group, size_t number)
{
    const char *text = page->groups[group].fragment.warnings.list[number];
    for (size_t g = 0; g <= group; g++) {
        const struct words *warnings = &page->groups[g].fragment.warnings;
        for (size_t i = 0; i < (g == group ? number : warnings->count); i++)
            if (strcmp(warnings->list[i], text) == 0)
                return false;
    }
    return true;
}

/* Each text once, with links to all results that it belongs to. */
static void page_write_warnings(FILE *out, const struct page *page)
{
    if (page->warning_count == (page->busy ? 1 : 0))
        return;
    fputs("<h3>Warnings of results</h3>\n<ul class=\"remarks warnings\">\n", out);
    for (size_t g = 0; g < page->group_count; g++)
        for (size_t i = 0; i < page->groups[g].fragment.warnings.count; i++) {
            const char *text = page->groups[g].fragment.warnings.list[i];
            if (!page_warning_is_first(page, g, i))
                continue;
            fprintf(out, "<li>%s <span class=\"in\">(", text);
            const char *separator = "";
            for (size_t other = g; other < page->group_count; other++) {
                const struct words *warnings = &page->groups[other].fragment.warnings;
                bool has = false;
                for (size_t j = 0; j < warnings->count; j++)
                    has |= strcmp(warnings->list[j], text) == 0;
                if (has) {
                    fputs(separator, out);
                    page_write_group_link(out, page, other);
                    separator = "; ";
                }
            }
            fputs(")</span></li>\n", out);
        }
    fputs("</ul>\n", out);
}

/* What a reader must know before any number: failures, gaps, several machines. */
void page_write_remarks(FILE *out, const struct page *page)
{
    const struct experiment *experiment = page->experiment;
    struct page_runs runs = page_count_all_runs(experiment);
    size_t machines = json_array_size(json_object_get(experiment->state.root, "machines"));
    size_t starts = page_count_failed_starts(experiment);
    if (runs.failed + runs.missing + starts + page->error_count + page->warning_count == 0 && machines <= 1)
        return;
    fputs("<section id=\"remarks\">\n<h2>What to know first</h2>\n<ul class=\"remarks errors\">\n", out);
    if (runs.failed)
        fprintf(out, "<li>%zu run%s failed. All results are without %s; see <a href=\"#runs\">Runs</a>.</li>\n",
                runs.failed, runs.failed == 1 ? "" : "s", runs.failed == 1 ? "it" : "them");
    if (starts)
        fprintf(out, "<li>%zu start%s ended without a run; see <a href=\"#runs\">Runs</a>.</li>\n", starts,
                starts == 1 ? "" : "s");
    if (runs.missing)
        fprintf(out, "<li>%zu of %zu runs %s missing.</li>\n", runs.missing, runs.wanted,
                runs.missing == 1 ? "is" : "are");
    if (machines > 1)
        fprintf(out, "<li>The runs are from %zu machines; see <a href=\"#machines\">Machine</a>.</li>\n", machines);
    if (page->busy)
        fprintf(out, "<li>%c%s.</li>\n", toupper((unsigned char)*page->busy), page->busy + 1);
    for (size_t g = 0; g < page->group_count; g++)
        for (size_t i = 0; i < page->groups[g].count; i++) {
            size_t step = page->groups[g].members[i];
            if (!page->outcomes[step].error)
                continue;
            fputs("<li>", out);
            page_escape(out, page_step_name(page, &page->steps->list[step]));
            fprintf(out, " was not made; see <a href=\"#r%zu\">why</a>.</li>\n", g + 1);
        }
    fputs("</ul>\n", out);
    page_write_warnings(out, page);
    fputs("</section>\n", out);
}

/* ------------------------------------------------------------------------------------------------- results -- */

/* SVG elements refer to each other by ids, which must be unique on the page. Only what stands in tags is changed. */
static void page_write_svg(FILE *out, const char *figure, size_t group)
{
    static const char *const before[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#", "url('#"};
    bool in_tag = false;
    while (*figure) {
        size_t length = 0;
        for (size_t i = 0; i < PAGE_COUNT(before) && in_tag && !length; i++)
            if (strncmp(figure, before[i], strlen(before[i])) == 0)
                length = strlen(before[i]);
        in_tag = *figure == '<' || (in_tag && *figure != '>');
        if (length)
            fprintf(out, "%.*sr%zu-", (int)length, figure, group + 1);
        else
            putc(*figure, out);
        figure += length ? length : 1;
    }
}

/* "6 traces of cpu/fop/g1, cpu/fop/parallel", or the files that it reads. */
static void page_write_source(FILE *out, const struct page *page, const struct step *step)
{
    enum { CELLS_SHOWN = 6 };
    const struct experiment *experiment = page->experiment;
    size_t runs = 0, traces = 0;
    bool whole = false; /* a start made all runs of a cell, whose number its table has */
    for (size_t c = 0; c < step->cell_count; c++) {
        struct page_runs counts = page_count_runs(experiment, step->cells[c]);
        runs += counts.good;
        traces += counts.good_traces;
        whole |= experiment->plan.cells[step->cells[c]].runs > 0;
    }
    for (size_t f = 0; f < step->file_count; f++) {
        fputs(f ? ", " : "", out);
        page_write_link(out, page, step->files[f].path, step->files[f].path);
    }
    if (step->cell_count == 0)
        return;
    fputs(step->file_count ? " and " : "", out);
    if (step->of_runs && whole)
        fputs("the table of runs of ", out);
    else if (step->of_runs)
        fprintf(out, "the table of %zu run%s of ", runs, runs == 1 ? "" : "s");
    else
        fprintf(out, "%zu trace%s of ", traces, traces == 1 ? "" : "s");
    for (size_t c = 0; c < step->cell_count && c < CELLS_SHOWN; c++) {
        fputs(c ? ", " : "", out);
        page_escape(out, experiment->plan.cells[step->cells[c]].id);
    }
    if (step->cell_count > CELLS_SHOWN)
        fprintf(out, " and %zu more cells", step->cell_count - CELLS_SHOWN);
}

static void page_write_errors(FILE *out, const struct page *page, const struct page_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const char *error = page->outcomes[group->members[i]].error;
        if (!error)
            continue;
        fputs("<ul class=\"remarks errors\"><li>", out);
        page_escape(out, page_step_name(page, &page->steps->list[group->members[i]]));
        fputs(" was not made:<pre>", out);
        for (const char *line = error; *line;) {
            size_t length = strcspn(line, "\n");
            page_escape(out, memory_copy(&page->experiment->memory, line, length));
            fputs("\n", out);
            line += length + (line[length] == '\n');
        }
        fputs("</pre></li></ul>\n", out);
    }
}

/* The first lines of a result that is a text. */
static void page_write_plain(FILE *out, const struct page *page, const char *text)
{
    enum { LINES_SHOWN = 200 };
    size_t lines = 0;
    fputs("<pre>", out);
    for (; *text && lines < LINES_SHOWN; lines++) {
        size_t length = strcspn(text, "\n");
        page_escape(out, memory_copy(&page->experiment->memory, text, length));
        fputs("\n", out);
        text += length + (text[length] == '\n');
    }
    fputs("</pre>\n", out);
    size_t more = 0;
    for (; *text; text++)
        more += *text == '\n' || text[1] == '\0';
    if (more)
        fprintf(out, "<p class=\"quiet\">The file has %zu more line%s.</p>\n", more, more == 1 ? "" : "s");
}

static void page_write_files(FILE *out, const struct page *page, const struct page_group *group)
{
    const char *separator = "Files: ";
    for (size_t i = 0; i < group->count; i++) {
        const struct step *step = &page->steps->list[group->members[i]];
        if (step->result->kind == SPEC_VALUE || page->outcomes[group->members[i]].error)
            continue;
        fputs(separator, out);
        page_write_link(out, page, step->name, page_step_name(page, step));
        separator = ", ";
        const char *graphics = steps_graphics(&page->experiment->memory, step);
        if (graphics) {
            fputs(separator, out);
            page_write_link(out, page, graphics, graphics + (page_step_name(page, step) - step->name));
        }
    }
    fputs(*separator == ',' ? ".\n" : "", out);
}

static void page_write_part(FILE *out, const char *part, const char *summary, bool printed)
{
    if (*part)
        fprintf(out, "<details%s><summary>%s</summary>\n%s</details>\n", printed ? " class=\"printed\"" : "", summary,
                part);
}

/* What a page of its own shows open. */
static void page_write_folded(FILE *out, const char *part)
{
    static const char open[] = "<details open>";
    for (const char *at; (at = strstr(part, open)); part = at + strlen(open))
        fprintf(out, "%.*s<details>", (int)(at - part), part);
    fputs(part, out);
}

static void page_write_group(FILE *out, const struct page *page, size_t number)
{
    const struct page_group *group = &page->groups[number];
    const struct fragment *fragment = &group->fragment;
    const struct step *step = page_first_step(page, group);
    const char *const *parts = fragment->parts;
    fprintf(out, "<article id=\"r%zu\">\n<h3>", number + 1);
    for (size_t i = 0; i < group->count; i++) {
        fputs(i ? ", " : "", out);
        page_escape(out, page_step_name(page, &page->steps->list[group->members[i]]));
    }
    fputs("</h3>\n<p class=\"made\">", out);
    if (*fragment->question)
        fprintf(out, "%s %s<br>\n", fragment->question, fragment->about);
    fputs("<code>assay ", out);
    page_escape(out, page_command(&page->experiment->memory, &step->line));
    fputs("</code> on ", out);
    page_write_source(out, page, step);
    if (page->outcomes[group->members[0]].inputs.failed)
        fprintf(out, ", without <b>%zu failed run%s</b>", page->outcomes[group->members[0]].inputs.failed,
                page->outcomes[group->members[0]].inputs.failed == 1 ? "" : "s");
    fputs(".\n", out);
    page_write_files(out, page, group);
    fputs("</p>\n", out);
    page_write_errors(out, page, group);
    if (fragment->warnings.count) {
        fputs("<ul class=\"remarks warnings\">\n", out);
        for (size_t i = 0; i < fragment->warnings.count; i++)
            fprintf(out, "<li>%s</li>\n", fragment->warnings.list[i]);
        fputs("</ul>\n", out);
    }
    if (group->has_figure)
        page_write_svg(out, parts[FRAGMENT_FIGURE], number);
    if (group->has_figure && !group->has_table)
        page_write_part(out, parts[FRAGMENT_RESULT], "The table of the figure", false);
    else
        fputs(parts[FRAGMENT_RESULT], out);
    if (fragment->printed && !page->outcomes[group->members[0]].error)
        page_write_plain(out, page, fragment->printed);
    page_write_part(out, parts[FRAGMENT_NOTES], "Method and notes", true);
    if (*parts[FRAGMENT_COLUMNS])
        fprintf(out, "<p class=\"quiet screen\"><a href=\"#c%zu\">What the columns are</a></p>\n", group->columns + 1);
    fputs(parts[FRAGMENT_SUMMARY], out);
    fputs(parts[FRAGMENT_VALUES], out);
    page_write_folded(out, parts[FRAGMENT_INPUT]);
    fputs("</article>\n", out);
}

void page_write_results(FILE *out, const struct page *page)
{
    fputs("<section id=\"results\">\n<h2>Results</h2>\n", out);
    for (size_t g = 0; g < page->group_count; g++)
        page_write_group(out, page, g);
    fputs("</section>\n", out);
}

/* --------------------------------------------------------------------------------------- values and columns -- */

static void page_write_value(FILE *out, const char *name, const json_t *value)
{
    const json_t *exact = json_object_get(value, "json");
    fputs("<tr><td>", out);
    page_escape(out, name);
    fputs("</td>", out);
    if (json_is_integer(exact)) {
        fprintf(out, "<td class=\"n\">%" JSON_INTEGER_FORMAT "</td>", json_integer_value(exact));
    } else if (json_is_real(exact)) {
        fprintf(out, "<td class=\"n\" title=\"%.17g\">%.6g</td>", json_real_value(exact), json_real_value(exact));
    } else {
        fputs("<td>", out);
        page_escape(out, json_string_value(exact) ? json_string_value(exact) : "");
        fputs("</td>", out);
    }
    fputs("<td><code>", out);
    page_escape(out, json_string_value(json_object_get(value, "tex")));
    fputs("</code></td></tr>\n", out);
}

void page_write_values(FILE *out, const struct page *page)
{
    static const char *const columns[][2] = {
        {"name", "The name of the value in values.json, and for \\assay in LaTeX."},
        {"value", "The value; shares are between 0 and 1."},
        {"LaTeX", "What \\assay prints: rounded, as in assay's tables."}};
    struct experiment *experiment = page->experiment;
    const char *slash = *experiment->spec.directory ? "/" : "";
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && count == 0)
            return;
        if (pass) {
            fputs("<section id=\"values\">\n<h2>Values</h2>\n<p class=\"made\">Files: ", out);
            page_write_link(out, page,
                            memory_print(&experiment->memory, "%s%svalues.tex", experiment->spec.directory, slash),
                            "values.tex");
            fputs(", ", out);
            page_write_link(out, page,
                            memory_print(&experiment->memory, "%s%svalues.json", experiment->spec.directory, slash),
                            "values.json");
            fputs(".</p>\n", out);
            page_open_table(out, "named", "Values", count, columns, PAGE_COUNT(columns));
        }
        for (size_t i = 0; i < page->steps->count; i++) {
            const struct step *step = &page->steps->list[i];
            const char *name;
            json_t *value;
            if (step->result->kind != SPEC_VALUE)
                continue;
            json_t *made = json_object_get(experiment->state.made, report_id(experiment, step));
            json_t *values = json_object_get(made, "values");
            count += pass ? 0 : json_object_size(values);
            json_object_foreach(values, name, value) if (pass) page_write_value(out, name, value);
        }
    }
    page_close_table(out);
    fputs("</section>\n", out);
}

/* Results of one program describe the same columns, which stand here once. */
void page_write_columns(FILE *out, const struct page *page)
{
    fputs("<section id=\"columns\">\n<h2>Columns</h2>\n", out);
    for (size_t g = 0; g < page->group_count; g++) {
        const char *part = page->groups[g].fragment.parts[FRAGMENT_COLUMNS];
        if (!*part || page->groups[g].columns != g)
            continue;
        fprintf(out, "<details class=\"printed\" id=\"c%zu\" open><summary>Columns of ", g + 1);
        const char *separator = "";
        for (size_t other = g; other < page->group_count; other++) {
            if (page->groups[other].columns != g || !*page->groups[other].fragment.parts[FRAGMENT_COLUMNS])
                continue;
            fputs(separator, out);
            page_write_group_link(out, page, other);
            separator = "; ";
        }
        const char *list = strstr(part, "<dl>"), *end = strstr(part, "</details>");
        fputs("</summary>\n", out);
        if (list && end)
            fwrite(list, 1, (size_t)(end - list), out);
        fputs("</details>\n", out);
    }
    fputs("</section>\n", out);
}
