/* A result as a page for a browser: one file that needs no other, and no script to be read. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/html.h"
#include "base/text.h"
#include "table/model/columns.h"
#include "table/model/table_cells.h"

/* The files of the page (page/table_page_files.S), each ended by a zero. */
extern const char table_page_html_file[], table_page_css_file[], table_page_js_file[];

/* ROWS_AT_ONCE: as SHOWN of page.js. */
enum { WARNINGS_OPEN = 3, FILES_OPEN = 10, VALUES_MAX = 10000, ROWS_AT_ONCE = 1000 };

struct html_page {
    const struct table *table;
    const struct table_frame *frame;
};

/* A table of all columns, if the page's own is an extract for readers; else NULL. */
static const struct table *html_values(const struct html_page *page)
{
    return page->frame->values != page->table ? page->frame->values : NULL;
}

/* --- tables --- */

/* Texts are complete, of however many lines. */
static bool html_write_lines(FILE *out, const char *text)
{
    bool good = true;
    for (const char *end; good && (end = strchr(text, '\n')); text = end + 1) {
        char *line = strndup(text, (size_t)(end - text));
        good = line && html_write_text(out, line);
        fputs("<br>", out);
        free(line);
    }
    return good && html_write_text(out, text);
}

/* A number as readers want it. If it is rounded, its title has all digits, with the bounds of its interval. */
static bool html_write_rounded(FILE *out, const struct table *table, size_t row, size_t column)
{
    const struct table_cell *cell = &table->cells[row * table->column_count + column];
    char text[TABLE_CELL_MAX], digits[32], low[32], high[32];
    const char *exact = table_plain(table, row, column, digits);
    bool has_interval = table->columns[column].type == TABLE_ESTIMATE && !isnan(cell->low) && !isnan(cell->high);
    table_cell_text(table, row, column, false, text);
    if (exact && has_interval) {
        table_digits(cell->low, low);
        table_digits(cell->high, high);
        fprintf(out, "<td title=\"%s [%s, %s]\">", exact, low, high);
    } else if (exact && strcmp(exact, text) != 0) {
        fprintf(out, "<td title=\"%s\">", exact);
    } else {
        fputs("<td>", out);
    }
    return html_write_text(out, text);
}

static bool html_write_cell(FILE *out, const struct table *table, size_t row, size_t column, bool exact)
{
    enum table_type type = table->columns[column].type;
    char digits[32];
    const char *text = table_plain(table, row, column, digits);
    bool good;
    if (!table_type_is_text(type) && !exact) {
        good = html_write_rounded(out, table, row, column);
    } else {
        fputs("<td>", out);
        good = html_write_lines(out, text ? text : exact ? "" : "-");
    }
    fputs("</td>", out);
    return good;
}

/* The meaning of the column of this name; NULL: it is not described, such as a group's. */
static const char *html_meaning(const struct table_frame *frame, const char *name)
{
    for (size_t c = 0; frame->columns && c < frame->columns->count; c++) {
        const struct column *column = &frame->columns->items[c];
        if (column->meaning && strcmp(column->name, name) == 0)
            return column->meaning;
    }
    return NULL;
}

static bool html_write_head(FILE *out, const struct table *table, const struct table_frame *frame)
{
    bool good = true;
    fputs("<thead><tr>", out);
    for (size_t c = 0; good && c < table->column_count; c++) {
        const char *meaning = html_meaning(frame, table_origin(table, c));
        fprintf(out, "<th scope=\"col\"%s", table_type_is_text(table->columns[c].type) ? "" : " class=\"n\"");
        if (meaning) {
            fputs(" title=\"", out);
            good = html_write_text(out, meaning);
            fputs("\"", out);
        }
        fputs("><span>", out);
        good = good && html_write_text(out, table->columns[c].name);
        fputs("</span></th>", out);
    }
    fputs("</tr></thead>\n", out);
    return good;
}

/* `exact`: every cell as in machine formats. */
static bool html_write_table(FILE *out, const struct html_page *page, const struct table *table, bool exact)
{
    size_t rows = table_row_count(table);
    fprintf(out,
            "<div class=\"strip\"><span>%zu row%s</span></div>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
            "aria-label=\"%s\"><table class=\"%s\">\n",
            rows, rows == 1 ? "" : "s", exact ? "All columns" : "Result", exact ? "values" : "result");
    bool good = html_write_head(out, table, page->frame);
    fputs("<tbody>\n", out);
    for (size_t row = 0; good && row < rows; row++) {
        fputs(row == ROWS_AT_ONCE ? "</tbody>\n<tbody class=\"rest\">\n<tr>" : "<tr>", out);
        for (size_t c = 0; good && c < table->column_count; c++)
            good = html_write_cell(out, table, row, c, exact);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    return good;
}

static bool html_write_result(FILE *out, const struct html_page *page)
{
    fputs("<h2>Result</h2>\n", out);
    return html_write_table(out, page, page->table, false);
}

/* So that a page loses nothing that the machine formats have. */
static bool html_write_values(FILE *out, const struct html_page *page)
{
    const struct table *values = html_values(page);
    if (!values)
        return true;
    if (table_row_count(values) > VALUES_MAX) {
        fprintf(out, "<p class=\"quiet\">--format csv writes all columns of %zu rows with every digit.</p>\n",
                table_row_count(values));
        return true;
    }
    fputs("<details><summary>All columns, with every digit</summary>\n", out);
    bool good = html_write_table(out, page, values, true);
    fputs("</details>\n", out);
    return good;
}

/* Numbers stand on the right. A rule for each column is smaller than a class in each cell. */
static bool html_write_alignment(FILE *out, const struct html_page *page)
{
    const struct table *tables[] = {page->table, html_values(page)};
    for (size_t t = 0; t < 2 && tables[t]; t++)
        for (size_t c = 0; c < tables[t]->column_count; c++)
            if (!table_type_is_text(tables[t]->columns[c].type))
                fprintf(out, ".%s td:nth-child(%zu) { text-align: right; white-space: nowrap; }\n",
                        t ? "values" : "result", c + 1);
    return true;
}

/* --- what accompanies the table --- */

static bool html_write_title(FILE *out, const struct html_page *page)
{
    const struct table_frame *frame = page->frame;
    if (frame->command)
        return html_write_text(out, frame->command);
    fputs("assay ", out);
    return html_write_text(out, frame->program ? frame->program : "");
}

static bool html_write_program(FILE *out, const struct html_page *page)
{
    fputs("assay ", out);
    return html_write_text(out, page->frame->program ? page->frame->program : "");
}

/* "How large is it, and how certain is that? Mean with …": the question is the headline, and the answer follows. */
static bool html_write_question(FILE *out, const struct html_page *page)
{
    const struct table_frame *frame = page->frame;
    const char *question = frame->question ? frame->question : "Result", *end = strpbrk(question, "?.");
    size_t length = end ? (size_t)(end + 1 - question) : strlen(question);
    char *first = strndup(question, length);
    fputs("<h1>", out);
    bool good = first && html_write_text(out, first);
    fputs("</h1>\n", out);
    free(first);
    if (frame->headline) {
        fputs("<p class=\"headline\">", out);
        good = good && html_write_text(out, frame->headline);
        fputs("</p>\n", out);
    }
    question += length;
    question += strspn(question, " ");
    if (*question) {
        fputs("<p class=\"quiet\">", out);
        good = good && html_write_text(out, question);
        fputs("</p>\n", out);
    }
    if (frame->command) {
        fputs("<p><code>", out);
        good = good && html_write_text(out, frame->command);
        fputs("</code></p>\n", out);
    }
    return good;
}

static bool html_write_items(FILE *out, const json_t *texts, const char *class)
{
    size_t i;
    const json_t *text;
    bool good = true;
    fprintf(out, "<ul class=\"%s\">\n", class);
    json_array_foreach((json_t *)(uintptr_t)texts, i, text)
    {
        fputs("<li>", out);
        good = good && html_write_text(out, json_string_value(text));
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    return good;
}

/* Before the table, so that nobody overlooks them. */
static bool html_write_warnings(FILE *out, const struct html_page *page)
{
    size_t count = json_array_size(page->frame->warnings);
    if (count == 0)
        return true;
    bool open = count <= WARNINGS_OPEN;
    fprintf(out, "<details%s><summary>%zu warning%s</summary>\n", open ? " open" : "", count, count == 1 ? "" : "s");
    bool good = html_write_items(out, page->frame->warnings, "remarks warnings");
    fputs("</details>\n", out);
    return good;
}

static bool html_write_notes(FILE *out, const struct html_page *page)
{
    if (json_array_size(page->frame->notes) == 0)
        return true;
    fputs("<h2>Method and notes</h2>\n", out);
    return html_write_items(out, page->frame->notes, "remarks");
}

static bool html_write_columns(FILE *out, const struct html_page *page)
{
    const struct table *table = html_values(page) ? html_values(page) : page->table;
    bool good = true, begun = false;
    for (size_t c = 0; good && c < table->column_count; c++) {
        const char *name = table->columns[c].name, *meaning = html_meaning(page->frame, name);
        if (!meaning)
            continue;
        fputs(begun ? "" : "<details><summary>Columns</summary>\n<dl>\n", out);
        begun = true;
        fputs("<dt>", out);
        good = html_write_text(out, name);
        fputs("</dt><dd>", out);
        good = good && html_write_text(out, meaning);
        fputs("</dd>\n", out);
    }
    fputs(begun ? "</dl></details>\n" : "", out);
    return good;
}

/* The document's element, without titles, which a browser would show as tooltips, and gnuplot's description. It is
 * larger than in print, where letters of seven points can be read. */
static bool html_write_svg(FILE *out, const char *svg)
{
    static const char *const left_out[][2] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}};
    const char *root = strstr(svg, "<svg");
    json_t *string = text_json(root ? root : "", root ? strlen(root) : 0);
    const char *at = json_string_value(string);
    if (at && *at) {
        const char *width = strstr(at, "width=\"");
        fprintf(out, "<svg role=\"img\" aria-label=\"Figure of the result\" style=\"max-width: %.0fpx\"",
                1.5 * (width ? strtod(width + strlen("width=\""), NULL) : 0));
        at += strlen("<svg");
    }
    while (at && *at) {
        const char *end = NULL;
        for (size_t i = 0; i < 2 && !end; i++)
            if (strncmp(at, left_out[i][0], strlen(left_out[i][0])) == 0 && (end = strstr(at, left_out[i][1])))
                at = end + strlen(left_out[i][1]);
        if (!end)
            putc(*at++, out);
    }
    json_decref(string);
    return string != NULL;
}

static bool html_write_figure(FILE *out, const struct html_page *page)
{
    const char *note = page->frame->figure_note ? page->frame->figure_note : "";
    bool good = true;
    if (page->frame->figure) {
        fputs("<h2>Figure</h2>\n<figure>\n", out);
        good = html_write_svg(out, page->frame->figure);
        fputs("<figcaption>", out);
        good = good && html_write_text(out, note);
        fputs("</figcaption></figure>\n", out);
    } else if (*note) {
        fputs("<h2>Figure</h2>\n<p class=\"quiet\">There is no figure: ", out);
        good = html_write_text(out, note);
        fputs("</p>\n", out);
    }
    return good;
}

/* Members of objects as a list of names and values, one within another. */
static bool html_write_json(FILE *out, json_t *value)
{
    char digits[32];
    const char *key;
    size_t i;
    json_t *part;
    bool good = true;
    if (json_is_object(value)) {
        fputs("<dl class=\"facts\">\n", out);
        json_object_foreach(value, key, part)
        {
            fputs("<dt>", out);
            good = good && html_write_text(out, key);
            fputs("</dt><dd>", out);
            good = good && html_write_json(out, part);
            fputs("</dd>\n", out);
        }
        fputs("</dl>\n", out);
    } else if (json_is_array(value)) {
        fputs("<ul>\n", out);
        json_array_foreach(value, i, part)
        {
            fputs("<li>", out);
            good = good && html_write_json(out, part);
            fputs("</li>\n", out);
        }
        fputs("</ul>\n", out);
    } else if (json_is_string(value)) {
        good = html_write_text(out, json_string_value(value));
    } else if (json_is_integer(value)) {
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        table_digits(json_real_value(value), digits);
        fputs(digits, out);
    } else {
        fputs(json_is_boolean(value) ? json_is_true(value) ? "yes" : "no" : "-", out);
    }
    return good;
}

static bool html_write_summary(FILE *out, const struct html_page *page)
{
    if (json_object_size(page->frame->summary) == 0)
        return true;
    fputs("<details><summary>Summary</summary>\n", out);
    bool good = html_write_json(out, (json_t *)(uintptr_t)page->frame->summary);
    fputs("</details>\n", out);
    return good;
}

static bool html_write_input(FILE *out, const struct html_page *page)
{
    size_t count = json_array_size(page->frame->input);
    bool good = true;
    if (count > 0) {
        fprintf(out, "<details%s><summary>%zu input%s</summary>\n", count <= FILES_OPEN ? " open" : "", count,
                count == 1 ? "" : "s");
        good = html_write_items(out, page->frame->input, "files");
        fputs("</details>\n", out);
    }
    if (good && json_object_size(page->frame->loss) > 0) {
        fputs("<details open><summary>What was read, and what is missing</summary>\n", out);
        good = html_write_json(out, (json_t *)(uintptr_t)page->frame->loss);
        fputs("</details>\n", out);
    }
    return good;
}

/* --- the document --- */

static int html_write_mark_of_page(FILE *out, const char *name, size_t length, const void *contents)
{
    static const struct {
        const char *name, *text;
    } texts[] = {{"STYLE", table_page_css_file}, {"SCRIPT", table_page_js_file}, {"VERSION", ASSAY_VERSION}};
    static const struct {
        const char *name;
        bool (*write)(FILE *out, const struct html_page *page);
    } parts[] = {
        {"TITLE", html_write_title},       {"ALIGNMENT", html_write_alignment}, {"PROGRAM", html_write_program},
        {"QUESTION", html_write_question}, {"WARNINGS", html_write_warnings},   {"RESULT", html_write_result},
        {"FIGURE", html_write_figure},     {"NOTES", html_write_notes},         {"COLUMNS", html_write_columns},
        {"SUMMARY", html_write_summary},   {"VALUES", html_write_values},       {"INPUT", html_write_input}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i].name) == length && memcmp(texts[i].name, name, length) == 0) {
            fputs(texts[i].text, out);
            return 0;
        }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            return parts[i].write(out, contents) ? 0 : ENOMEM;
    return EINVAL;
}

int table_write_html(FILE *out, const struct table *table, const struct table_frame *frame)
{
    const struct html_page page = {.table = table, .frame = frame};
    return html_write_page(out, table_page_html_file, html_write_mark_of_page, &page);
}
