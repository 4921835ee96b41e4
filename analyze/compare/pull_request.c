#include "analyze/compare/pull_request.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/more_runs.h"
#include "analyze/compare/scaled.h"
#include "base/markdown.h"
#include "base/replace.h"
#include "base/text_stream.h"

/* How long the comment may be after each part, in bytes; what comes after them takes the rest. */
enum { PULL_SHOWN_MOST = 46000, PULL_OPEN_MOST = 50000, PULL_EQUAL_MOST = 58000, PULL_NOTES_MOST = 64000 };

enum pull_section { PULL_SHOWN, PULL_OPEN, PULL_EQUAL };

/* A row and what orders it within its section. */
struct pull_entry {
    const struct compare_row *row;
    double change, benchmark_change; /* |ln ratio|: of the row, and the most of all rows of its benchmark */
    bool fails, benchmark_fails;
    size_t index;
};

static bool pull_fails(const struct pull_request *request, const struct compare_row *row)
{
    enum gate_decision decision = gate_decide(request->gate, row);
    return decision == GATE_FAIL || (decision != GATE_PASS && request->gate->strict);
}

static enum pull_section pull_section_of(const struct pull_request *request, const struct compare_row *row)
{
    bool shown = row->which != ROW_COMPARED || compare_row_differs(row);
    bool undecided =
        row->result == COMPARISON_NO_RESULT || (row->result == COMPARISON_UNDECIDED && request->gate->margin > 0);
    return shown ? PULL_SHOWN : undecided ? PULL_OPEN : PULL_EQUAL;
}

static int pull_compare_entries(const void *a, const void *b)
{
    const struct pull_entry *x = a, *y = b;
    enum compare_row_which rank_x = x->row->which, rank_y = y->row->which;
    if (rank_x != rank_y)
        return rank_x > rank_y ? 1 : -1;
    if (x->benchmark_fails != y->benchmark_fails)
        return x->benchmark_fails ? -1 : 1;
    if (x->benchmark_change != y->benchmark_change)
        return x->benchmark_change > y->benchmark_change ? -1 : 1;
    int names = strcmp(x->row->benchmark, y->row->benchmark);
    if (names != 0 && x->benchmark_change > 0)
        return names;
    if (x->change != y->change)
        return x->change > y->change ? -1 : 1;
    return x->index > y->index ? 1 : -1;
}

/* The rows of a section in their order, allocated; NULL without memory. */
static struct pull_entry *pull_sort(const struct pull_request *request, enum pull_section section, size_t *count)
{
    const struct compare_rows *rows = request->rows;
    struct pull_entry *entries = calloc(rows->count + 1, sizeof *entries);
    *count = 0;
    for (size_t i = 0; entries && i < rows->count; i++) {
        const struct compare_row *row = &rows->rows[i];
        double change = isnan(row->found.ratio.ratio) ? INFINITY : fabs(log(row->found.ratio.ratio));
        bool fails = pull_fails(request, row);
        if (pull_section_of(request, row) == section)
            entries[(*count)++] = (struct pull_entry){row, change, change, fails, fails, i};
    }
    for (size_t i = 0; entries && rows->has_metrics && i < *count; i++)
        for (size_t j = 0; j < *count; j++)
            if (entries[j].row->which == entries[i].row->which &&
                strcmp(entries[j].row->benchmark, entries[i].row->benchmark) == 0) {
                entries[i].benchmark_change = fmax(entries[i].benchmark_change, entries[j].change);
                entries[i].benchmark_fails |= entries[j].fails;
            }
    if (entries)
        qsort(entries, *count, sizeof *entries, pull_compare_entries);
    return entries;
}

/* Both values in one unit, with as many digits as show that they differ. */
static void pull_write_values(FILE *out, const struct compare_row *row)
{
    enum { DIGITS_LEAST = 3, DIGITS_MOST = 7 };
    const double values[2] = {row->found.center_baseline, row->found.center};
    const struct scale scale = scaled_choose(row->unit, fmax(values[0], values[1]));
    char texts[2][SCALED_MAX];
    int digits = DIGITS_LEAST;
    do
        scaled_pair(values, &scale, digits, texts);
    while (values[0] != values[1] && strcmp(texts[0], texts[1]) == 0 && digits++ < DIGITS_MOST);
    for (size_t i = 0; i < 2; i++) {
        fputs(" | ", out);
        markdown_write_text(out, texts[i]);
    }
}

/* "+5.3", and "+0" for what is rounded to that. */
static void pull_write_percent(FILE *out, double percent, int decimal_places)
{
    fprintf(out, "%+.*f", decimal_places, fabs(percent) < 0.5 * pow(10, -decimal_places) ? 0 : percent);
}

/* "+5.3% [+3.1, +7.5]"; a geometric mean over times and rates has only a speedup. */
static void pull_write_change(FILE *out, const struct compare_row *row)
{
    const struct ratio *ratio = &row->found.ratio;
    const double low = 100 * (ratio->low - 1), high = 100 * (ratio->high - 1), change = 100 * (ratio->ratio - 1);
    const double half = fmin(change - low, high - change); /* NaN: no interval */
    int decimal_places = table_places(half);
    if (decimal_places == TABLE_PLACES_ALL) /* no interval */
        decimal_places = fabs(change - round(change)) < 1e-9 ? 0 : 2;
    decimal_places = decimal_places < 0 ? 0 : decimal_places > 6 ? 6 : decimal_places;
    fputs(" | ", out);
    if (isnan(ratio->ratio))
        return;
    if (row->speedup_alone) {
        fprintf(out, "speedup %.3g [%.3g, %.3g]", ratio->ratio, ratio->low, ratio->high);
        return;
    }
    pull_write_percent(out, change, decimal_places);
    putc('%', out);
    if (!(half > 0))
        return;
    fputs(" [", out);
    pull_write_percent(out, low, decimal_places);
    fputs(", ", out);
    if (isinf(high))
        fputs("∞", out);
    else
        pull_write_percent(out, high, decimal_places);
    putc(']', out);
}

static void pull_write_row(FILE *out, const struct pull_request *request, const struct pull_entry *entry,
                           const struct compare_row *before)
{
    const struct compare_row *row = entry->row;
    char verdict[MORE_RUNS_TEXT_MAX];
    const char *text = more_runs_text(row->verdict, row->more_runs, verdict);
    bool again = before && request->rows->has_metrics && strcmp(before->benchmark, row->benchmark) == 0;
    fputs("| ", out);
    if (!again)
        markdown_write_code(out, row->benchmark);
    if (request->rows->has_metrics) {
        fputs(again || !*row->benchmark ? "" : ", ", out);
        markdown_write_text(out, row->metric);
    }
    pull_write_values(out, row);
    pull_write_change(out, row);
    fprintf(out, entry->fails ? " | **%s** |\n" : " | %s |\n", text ? text : "");
}

/* The table of a section, up to a length of the comment, but with all geometric means. Without memory nothing. */
static void pull_write_section(FILE *out, const struct pull_request *request, enum pull_section section, long most)
{
    size_t count, left_out = 0;
    struct pull_entry *entries = pull_sort(request, section, &count);
    if (entries && count > 0) {
        fputs("| benchmark | ", out);
        markdown_write_code(out, request->old ? request->old : "");
        fputs(request->old ? " | " : "old | ", out);
        markdown_write_code(out, request->new ? request->new : "");
        fputs(request->new ? " | change | verdict |\n" : "new | change | verdict |\n", out);
        fputs("|---|---:|---:|---:|---|\n", out);
        const struct compare_row *before = NULL;
        for (size_t i = 0; i < count; i++)
            if (ftell(out) < most || entries[i].row->which == ROW_OVERALL) {
                pull_write_row(out, request, &entries[i], before);
                before = entries[i].row;
            } else {
                left_out++;
            }
        if (left_out > 0)
            fprintf(out, "\n%zu more row%s left out, since a comment cannot hold all.\n", left_out,
                    left_out == 1 ? " is" : "s are");
        putc('\n', out);
    }
    free(entries);
}

/* Adds "2 slower" to the first line, bold if it fails. */
static void pull_write_count(FILE *out, bool *first, size_t count, bool fails, const char *what)
{
    if (count == 0)
        return;
    fprintf(out, fails ? "%s**%zu %s**" : "%s%zu %s", *first ? "" : ", ", count, what);
    *first = false;
}

/* The rows of a section with a verdict, or with any (NULL); *fails: whether one fails. */
static size_t pull_count(const struct pull_request *request, enum pull_section section, const char *verdict,
                         bool *fails)
{
    size_t count = 0;
    *fails = false;
    for (size_t i = 0; i < request->rows->count; i++) {
        const struct compare_row *row = &request->rows->rows[i];
        if (pull_section_of(request, row) == section &&
            (!verdict || (row->verdict && strcmp(row->verdict, verdict) == 0))) {
            *fails |= pull_fails(request, row);
            count++;
        }
    }
    return count;
}

/* "37 within 2 %" */
static void pull_describe_equal(const struct pull_request *request, char text[64])
{
    if (request->gate->margin > 0)
        snprintf(text, 64, "within %.6g %%", 100 * request->gate->margin);
    else
        snprintf(text, 64, "without a difference that is shown");
}

static void pull_write_summary(FILE *out, const struct pull_request *request)
{
    static const char *const verdicts[] = {"slower",  "larger", "more",   "worse",    "faster",
                                           "smaller", "less",   "better", "vanished", "new"};
    char equal[64];
    bool first = true, fails;
    size_t count;
    pull_describe_equal(request, equal);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        count = pull_count(request, PULL_SHOWN, verdicts[i], &fails);
        pull_write_count(out, &first, count, fails, verdicts[i]);
    }
    count = pull_count(request, PULL_EQUAL, NULL, &fails);
    pull_write_count(out, &first, count, false, equal);
    count = pull_count(request, PULL_OPEN, NULL, &fails);
    pull_write_count(out, &first, count, fails, "undecided");
    pull_write_count(out, &first, request->rows->left_out, request->gate->strict, "left out");
    fputs("\n\n", out);
}

static void pull_write_folded(FILE *out, const struct pull_request *request, enum pull_section section, long most,
                              const char *what)
{
    bool fails;
    size_t count = pull_count(request, section, NULL, &fails);
    if (count == 0)
        return;
    fprintf(out, "<details><summary>%zu %s</summary>\n\n", count, what);
    pull_write_section(out, request, section, most);
    fputs("</details>\n\n", out);
}

static void pull_write_list(FILE *out, const json_t *texts)
{
    size_t i;
    const json_t *text;
    json_array_foreach((json_t *)(uintptr_t)texts, i, text)
    {
        if (ftell(out) > PULL_NOTES_MOST)
            break;
        fputs("- ", out);
        markdown_write_text(out, json_string_value(text));
        putc('\n', out);
    }
    if (i < json_array_size(texts))
        fprintf(out, "- and %zu more\n", json_array_size(texts) - i);
    putc('\n', out);
}

int pull_request_write(const struct pull_request *request, const char *path)
{
    char *text = NULL, equal[64];
    size_t length;
    FILE *memory = text_stream_open(&text, &length);
    if (!memory)
        return ENOMEM;
    pull_describe_equal(request, equal);
    pull_write_summary(memory, request);
    if (request->tests > 1)
        fprintf(memory,
                "Verdicts allow for %zu tests. Intervals are for one benchmark alone, so one may exclude 0 where no "
                "difference is shown.\n\n",
                request->tests);
    pull_write_section(memory, request, PULL_SHOWN, PULL_SHOWN_MOST);
    pull_write_folded(memory, request, PULL_OPEN, PULL_OPEN_MOST, "undecided");
    pull_write_folded(memory, request, PULL_EQUAL, PULL_EQUAL_MOST, equal);
    if (json_array_size(request->warnings) > 0) {
        fputs("Warnings:\n\n", memory);
        pull_write_list(memory, request->warnings);
    }
    fputs("<details><summary>Notes</summary>\n\n", memory);
    pull_write_list(memory, request->notes);
    fputs("</details>\n", memory);
    int error = text_stream_close(memory, &text) ? 0 : ENOMEM;
    struct replacement file;
    if (!error)
        error = replace_open(&file, path);
    if (!error)
        error = replace_close(&file, fwrite(text, 1, length, file.out) == length ? 0 : errno);
    free(text);
    return error;
}
