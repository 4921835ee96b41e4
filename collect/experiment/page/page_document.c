/*
 * page_document.c - the report as a LaTeX document.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/temporary.h"
#include "collect/experiment/page/page_latex.h"
#include "collect/experiment/page/page_parts.h"
#include "collect/experiment/state/estimate.h"
#include "collect/experiment/state/file_text.h"
#include "collect/record/log.h"

enum { DOCUMENT_ROWS = 40 }; /* of a table on a page */

/* Packages are those of Debian's texlive-latex-recommended. Without lmodern, T1 has only bitmaps, whose text nobody can
 * search. Nothing depends on the time or the directory. */
static const char document_begin[] =
    "\\documentclass[10pt,a4paper]{article}\n"
    "\\usepackage[utf8]{inputenc}\n\\IfFileExists{lmodern.sty}{\\usepackage[T1]{fontenc}\\usepackage{lmodern}}"
    "{\\renewcommand\\textquotedbl{\\texttt{\\char34}}}\n"
    "\\ifdefined\\pdfgentounicode\\input{glyphtounicode}\\pdfgentounicode=1\\fi\n"
    "\\usepackage{textcomp,booktabs,graphicx}\n\\usepackage[margin=22mm]{geometry}\n"
    "\\ifdefined\\pdftrailerid\\pdftrailerid{}\\pdfsuppressptexinfo=-1\\fi\n"
    "\\ifdefined\\pdfvariable\\pdfvariable trailerid{}\\pdfvariable suppressoptionalinfo 1023\\fi\n"
    "\\setlength\\parindent{0pt}\\setlength\\parskip{4pt plus 2pt}\\raggedright\\raggedbottom\\emergencystretch=3em\n"
    "\\setlength\\leftmargini{14pt}\n"
    "% A table or figure, no wider than the page.\n"
    "\\newsavebox\\fitted\n"
    "\\newcommand\\fit{\\par\\ifdim\\wd\\fitted>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox\\fitted}"
    "\\else\\usebox\\fitted\\fi\\par}\n"
    "\\begin{document}\n";

/* ------------------------------------------------------------------------------------------------- HTML -- */

/* The text between two tags, without what HTML escapes. */
static const char *document_plain(struct obstack *memory, const char *html, size_t length)
{
    static const char *const escapes[][2] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}};
    for (const char *end = html + length; html < end;) {
        size_t i = 0;
        while (i < 4 && strncmp(html, escapes[i][0], strlen(escapes[i][0])) != 0)
            i++;
        obstack_1grow(memory, i < 4 ? *escapes[i][1] : *html);
        html += i < 4 ? strlen(escapes[i][0]) : 1;
    }
    return memory_finish(memory);
}

static const char *document_plain_all(struct obstack *memory, const char *html)
{
    return document_plain(memory, html, strlen(html));
}

/* The texts of all elements with this tag as items of a list. */
static void document_write_items(FILE *out, struct obstack *memory, const char *html)
{
    bool begun = false;
    for (const char *item = html; (item = strstr(item, "<li>"));) {
        const char *end = strstr(item, "</li>");
        fputs(begun ? "\\item " : "\\begin{itemize}\\setlength\\itemsep{0pt}\n\\item ", out);
        begun = true;
        item += 4;
        page_latex_text(out, document_plain(memory, item, end ? (size_t)(end - item) : strlen(item)));
        fputs("\n", out);
    }
    fputs(begun ? "\\end{itemize}\n" : "", out);
}

/* --------------------------------------------------------------------------------------------- the parts -- */

static void document_write_head(FILE *out, const struct page *page)
{
    const struct spec *spec = &page->experiment->spec;
    struct page_runs runs = page_count_all_runs(page->experiment);
    const char *path = spec->path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *headline = spec->question ? spec->question : spec->title ? spec->title : name;
    fputs("{\\Large\\bfseries ", out);
    page_latex_text(out, headline);
    fputs("\\par}\n", out);
    if (spec->title && headline != spec->title) {
        page_latex_text(out, spec->title);
        fputs("\n\n", out);
    }
    fputs("Described in ", out);
    page_latex_code(out, name);
    fprintf(out, ". %zu cells, %zu runs, %zu failed, %zu missing. %zu result%s, %zu not made, %zu warning%s. ",
            page->experiment->plan.cell_count, runs.good, runs.failed, runs.missing, page->result_count,
            page->result_count == 1 ? "" : "s", page->error_count, page->warning_count,
            page->warning_count == 1 ? "" : "s");
    fputs("All details, command lines with their inputs, and links to the data are in \\texttt{report.html}.\n", out);
}

static void document_write_method(FILE *out, const struct page *page)
{
    const struct spec *spec = &page->experiment->spec;
    fputs("\\section*{Method}\n", out);
    if (spec->method)
        for (const char *line = spec->method; *line;) {
            size_t length = strcspn(line, "\n");
            page_latex_text(out, memory_copy(&page->experiment->memory, line, length));
            fputs("\n", out);
            line += length + (line[length] == '\n');
        }
    fprintf(out,
            "\n\nA cell is a program under one combination of levels, with one recording; there are %zu. A round runs "
            "each cell once, in an order that is random for each round. Failed runs are left out of all results.\n",
            page->experiment->plan.cell_count);
    fputs("\\begin{description}\\setlength\\itemsep{0pt}\n", out);
    for (size_t r = 0; r < spec->recording_count; r++) {
        const struct spec_recording *recording = &spec->recordings[r];
        fputs("\\item[", out);
        page_latex_text(out, recording->name);
        fputs("] ", out);
        page_latex_code(out, memory_print(&page->experiment->memory, "assay %s", recording->at->text));
        page_write_rounds(out, page, r, true);
        fputs("\n", out);
    }
    fputs("\\end{description}\n", out);
}

static void document_write_machines(FILE *out, const struct page *page)
{
    const json_t *machines = json_object_get(page->experiment->state.root, "machines"), *machine;
    static const char *const facts[] = {"cpu", "kernel", "governor", "assay"};
    size_t i;
    fputs("\\section*{Machine}\n", out);
    if (json_array_size(machines) == 0)
        fputs("No machine is noted yet.\n", out);
    json_array_foreach((json_t *)(uintptr_t)machines, i, machine)
    {
        char bytes[ESTIMATE_TEXT];
        const char *java;
        json_t *version;
        fprintf(out, "machine-%zu: %lld cores, %s", i + 1,
                (long long)json_integer_value(json_object_get(machine, "cores")),
                estimate_bytes_text((double)json_integer_value(json_object_get(machine, "memory_bytes")), bytes));
        for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
            const char *value = json_string_value(json_object_get(machine, facts[f]));
            fprintf(out, "; %s ", facts[f]);
            page_latex_text(out, value && *value ? value : "unknown");
        }
        json_object_foreach(json_object_get(machine, "java"), java, version)
        {
            fputs("; ", out);
            page_latex_text(out, java);
            fputs(" ", out);
            page_latex_text(out, json_string_value(version) ? json_string_value(version) : "unknown");
        }
        fputs(".\n\n", out);
    }
}

/* Begins a table of these columns; document_end_table() ends it. */
static void document_begin_table(FILE *out, const char *alignment, const char *head)
{
    fprintf(out, "\\begin{lrbox}{\\fitted}\\small\\begin{tabular}{%s}\n", alignment);
    fprintf(out, "\\toprule\n%s \\\\\n\\midrule\n", head);
}

static void document_end_table(FILE *out)
{
    fputs("\\bottomrule\n\\end{tabular}\\end{lrbox}\\fit\n", out);
}

static void document_write_runs(FILE *out, const struct page *page)
{
    const struct experiment *experiment = page->experiment;
    fputs("\\section*{Runs}\n", out);
    for (size_t c = 0; c < experiment->plan.cell_count; c++) {
        struct page_runs runs = page_count_runs(experiment, c);
        if (c % DOCUMENT_ROWS == 0)
            document_begin_table(out, "lrrrr", "cell & rounds & runs & failed & missing");
        page_latex_text(out, experiment->plan.cells[c].id);
        fprintf(out, " & %zu & %zu & %zu & %zu \\\\\n", runs.wanted, runs.good, runs.failed, runs.missing);
        if (c % DOCUMENT_ROWS == DOCUMENT_ROWS - 1 || c + 1 == experiment->plan.cell_count)
            document_end_table(out);
    }
}

static void document_write_remarks(FILE *out, const struct page *page)
{
    struct obstack *memory = &page->experiment->memory;
    struct page_runs runs = page_count_all_runs(page->experiment);
    size_t machines = json_array_size(json_object_get(page->experiment->state.root, "machines"));
    if (page->warning_count + page->error_count + runs.failed + runs.missing == 0 && machines <= 1)
        return;
    fputs("\\section*{Warnings}\n\\begin{itemize}\\setlength\\itemsep{0pt}\n", out);
    if (runs.failed)
        fprintf(out, "\\item Runs that failed: %zu. All results are without them.\n", runs.failed);
    if (runs.missing)
        fprintf(out, "\\item Runs that are missing: %zu of %zu.\n", runs.missing, runs.wanted);
    if (page->busy) {
        fputs("\\item Wall times: ", out);
        page_latex_text(out, page->busy);
        fputs(".\n", out);
    }
    if (machines > 1)
        fprintf(out, "\\item The runs are from %zu machines.\n", machines);
    for (size_t g = 0; g < page->group_count; g++) {
        const struct page_group *group = &page->groups[g];
        for (size_t i = 0; i < group->count; i++)
            if (page->outcomes[group->members[i]].error) {
                fputs("\\item \\textbf{Not made:} ", out);
                page_latex_text(out, page->steps->list[group->members[i]].name);
                fputs(": ", out);
                const char *error = page->outcomes[group->members[i]].error;
                size_t length = strlen(error);
                page_latex_text(out, memory_copy(memory, error, length - (length && error[length - 1] == '\n')));
                fputs("\n", out);
            }
        for (size_t i = 0; i < group->fragment.warnings.count; i++) {
            fputs("\\item ", out);
            page_latex_text(out, page->steps->list[group->members[0]].name);
            fputs(": ", out);
            page_latex_text(out, document_plain_all(memory, group->fragment.warnings.list[i]));
            fputs("\n", out);
        }
    }
    fputs("\\end{itemize}\n", out);
}

/* ------------------------------------------------------------------------------------------------ results -- */

/* What the result's program prints as LaTeX; NULL if it has none. */
static char *document_read_latex(const struct page *page, size_t step)
{
    struct error_text message;
    const char *printed = "";
    char *text = NULL;
    int fd = temporary_file();
    if (fd < 0) {
        page_fail(page, step, strerror(errno));
        return NULL;
    }
    int status = report_print(page->experiment, &page->steps->list[step], "latex", &page->outcomes[step].inputs, fd,
                              &printed, &message);
    if (!status && !(text = file_text_read(&page->experiment->memory, fd)))
        page_fail(page, step, strerror(errno));
    if (status && !*printed)
        page_fail(page, step, message.text);
    close(fd);
    return text;
}

/* LaTeX's tabular without macros; if it has many rows, the first ones, and how many there are. */
static void document_write_table(FILE *out, const struct page *page, size_t step)
{
    static const char end[] = "\\bottomrule\n\\end{tabular}";
    char *text = document_read_latex(page, step);
    char *from = text ? strstr(text, "\\begin{tabular}") : NULL, *to = from ? strstr(from, end) : NULL;
    char *row = from ? strstr(from, "\\midrule\n") : NULL, *cut = NULL;
    size_t rows = 0;
    if (!to || !row || row > to)
        return;
    row += strlen("\\midrule\n");
    for (char *line = row; line < to; line = strchr(line, '\n') + 1)
        if (rows++ == DOCUMENT_ROWS)
            cut = line;
    to[0] = '\0';
    if (cut)
        *cut = '\0';
    fputs("\\begin{lrbox}{\\fitted}\\small", out);
    page_latex_source(out, from);
    fprintf(out, "%s\\end{lrbox}\\fit\n", end);
    if (cut)
        fprintf(out, "The first %d of %zu rows; \\texttt{report.html} has all.\n", DOCUMENT_ROWS, rows);
}

/* A result that is a text. */
static void document_write_plain(FILE *out, const struct page *page, const char *text)
{
    for (size_t lines = 0; *text && lines < DOCUMENT_ROWS; lines++) {
        size_t length = strcspn(text, "\n");
        fputs("{\\scriptsize ", out);
        page_latex_code(out, memory_copy(&page->experiment->memory, text, length));
        fputs("\\par}\n", out);
        text += length + (text[length] == '\n');
    }
    fputs(*text ? "The rest is in the file.\n" : "", out);
}

/* Plots the figure into DATA/pages, where LaTeX runs. */
static void document_write_figure(FILE *out, const struct page *page, size_t group, size_t step)
{
    struct experiment *experiment = page->experiment;
    struct error_text message;
    const char *printed = "", *name = memory_print(&experiment->memory, "figure-%zu.pdf", group + 1);
    const char *option = report_option(&page->steps->list[step]);
    int null = temporary_file();
    if (null < 0) {
        page_fail(page, step, strerror(errno));
        return;
    }
    const char *to = memory_print(&experiment->memory, "%s=%s/pages/%s", option, experiment->spec.data, name);
    int status = report_run_program(experiment, &page->steps->list[step], (const char *const[]){to, NULL},
                                    &page->outcomes[step].inputs, null, &printed, &message);
    if (status && !*printed)
        page_fail(page, step, message.text);
    if (!status)
        fprintf(out, "\\sbox{\\fitted}{\\includegraphics{%s}}\\fit\n", name);
    close(null);
}

static void document_write_group(FILE *out, const struct page *page, size_t number)
{
    struct obstack *memory = &page->experiment->memory;
    const struct page_group *group = &page->groups[number];
    size_t first = group->members[0];
    const struct fragment *fragment = &group->fragment;
    fputs("\\subsection*{", out);
    for (size_t i = 0; i < group->count; i++) {
        fputs(i ? ", " : "", out);
        page_latex_text(out, page->steps->list[group->members[i]].name);
    }
    fputs("}\n", out);
    page_latex_text(out, document_plain_all(memory, fragment->question));
    fputs(" ", out);
    page_latex_text(out, document_plain_all(memory, fragment->about));
    fputs("\\par\\nopagebreak\n", out);
    page_latex_code(out, memory_print(memory, "assay %s", page_command(memory, &page->steps->list[first].line)));
    size_t inputs = page->outcomes[first].inputs.paths.count, failed = page->outcomes[first].inputs.failed;
    fprintf(out, " on %zu input%s", inputs, inputs == 1 ? "" : "s");
    if (failed)
        fprintf(out, ", without %zu failed run%s", failed, failed == 1 ? "" : "s");
    fputs(".\\par\\nopagebreak\n", out);
    bool is_made = false;
    for (size_t i = 0; i < group->count; i++)
        is_made |= !page->outcomes[group->members[i]].error;
    if (!is_made) {
        fputs("\\textbf{Not made}; see Warnings.\n", out);
        return;
    }
    for (size_t i = 0; i < group->count; i++)
        if (page->steps->list[group->members[i]].result->kind == SPEC_FIGURE &&
            !page->outcomes[group->members[i]].error) {
            document_write_figure(out, page, number, group->members[i]);
            break;
        }
    if (fragment->printed && !page->outcomes[first].error && !steps_is_audit(&page->steps->list[first]))
        document_write_plain(out, page, fragment->printed);
    else if (!group->has_figure || group->has_table)
        document_write_table(out, page, first);
    document_write_items(out, memory, fragment->parts[FRAGMENT_NOTES]);
}

static void document_write_values(FILE *out, const struct page *page)
{
    struct experiment *experiment = page->experiment;
    size_t row = 0;
    for (size_t i = 0; i < page->steps->count; i++) {
        const char *id = report_id(experiment, &page->steps->list[i]), *name;
        json_t *value;
        if (page->steps->list[i].result->kind != SPEC_VALUE)
            continue;
        json_object_foreach(json_object_get(json_object_get(experiment->state.made, id), "values"), name, value)
        {
            if (row == 0)
                fputs("\\section*{Values}\n", out);
            if (row % DOCUMENT_ROWS == 0)
                document_begin_table(out, "lr", "name & value");
            page_latex_text(out, name);
            fputs(" & ", out);
            page_latex_source(out, json_string_value(json_object_get(value, "tex")));
            fputs(" \\\\\n", out);
            if (row++ % DOCUMENT_ROWS == DOCUMENT_ROWS - 1)
                document_end_table(out);
        }
    }
    if (row % DOCUMENT_ROWS)
        document_end_table(out);
}

static void document_write_columns(FILE *out, const struct page *page)
{
    struct obstack *memory = &page->experiment->memory;
    fputs("\\section*{Columns}\n", out);
    for (size_t g = 0; g < page->group_count; g++) {
        const char *at = page->groups[g].fragment.parts[FRAGMENT_COLUMNS];
        if (!*at || page->groups[g].columns != g)
            continue;
        fputs("\\subsection*{", out);
        page_latex_code(out,
                        memory_print(memory, "assay %s", page->steps->list[page->groups[g].members[0]].line.list[0]));
        fputs("}\n\\begin{description}\\small\\setlength\\itemsep{0pt}\n", out);
        while ((at = strstr(at, "<dt>"))) {
            const char *name = at + 4, *end = strstr(name, "</dt><dd>"), *stop = end ? strstr(end, "</dd>") : NULL;
            if (!stop)
                break;
            fputs("\\item[", out);
            page_latex_text(out, document_plain(memory, name, (size_t)(end - name)));
            fputs("] ", out);
            page_latex_text(out, document_plain(memory, end + 9, (size_t)(stop - end - 9)));
            fputs("\n", out);
            at = stop;
        }
        fputs("\\end{description}\n", out);
    }
}

static void document_write_commands(FILE *out, const struct page *page)
{
    struct experiment *experiment = page->experiment;
    struct obstack *memory = &experiment->memory;
    fputs("\\section*{Commands}\n", out);
    for (size_t c = 0; c < experiment->plan.cell_count; c++) {
        const struct plan_cell *cell = &experiment->plan.cells[c];
        page_latex_text(out, cell->id);
        fputs(": ", out);
        page_latex_code(out, memory_print(memory, "assay %s -- %s",
                                          page_command(memory, &experiment->spec.recordings[cell->recording].line),
                                          page_command(memory, &cell->command)));
        fputs("\\par\n", out);
    }
}

void page_write_document(FILE *out, const struct page *page)
{
    fputs(document_begin, out);
    document_write_head(out, page);
    document_write_remarks(out, page);
    document_write_method(out, page);
    document_write_machines(out, page);
    document_write_runs(out, page);
    fputs("\\section*{Results}\n", out);
    for (size_t g = 0; g < page->group_count; g++)
        document_write_group(out, page, g);
    document_write_values(out, page);
    document_write_columns(out, page);
    document_write_commands(out, page);
    fputs("\\end{document}\n", out);
}
