/* The headline of a page of assay compare. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "analyze/cli/number.h"
#include "analyze/compare/compare_pairs.h"
#include "table/model/table_round.h"

/* Verdicts in their order in a sentence, worse ones first, and how it says them: "3 are slower". */
static const struct {
    const char *verdict, *phrase;
} compare_headline_verdicts[] = {{"slower", "slower"},
                                 {"larger", "larger"},
                                 {"more", "more"},
                                 {"worse", "worse"},
                                 {"faster", "faster"},
                                 {"smaller", "smaller"},
                                 {"less", "less"},
                                 {"better", "better"},
                                 {"equivalent", "equivalent"},
                                 {"no difference", "the same"},
                                 {"no difference shown", "not shown to differ"},
                                 {"undecided", "undecided"},
                                 {NULL, "without a result"}};
enum { HEADLINE_VERDICTS = sizeof compare_headline_verdicts / sizeof *compare_headline_verdicts };

static const char *compare_headline_baseline(const struct compare_task *task)
{
    return compare_is_paired(task) ? task->baseline.text : groups_name(task->groups, task->baseline.group);
}

static size_t compare_headline_count(const struct compare_rows *rows, const char *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = &rows->rows[i];
        bool is_same = row->verdict && verdict ? strcmp(row->verdict, verdict) == 0 : row->verdict == verdict;
        count += row->which == ROW_COMPARED && is_same;
    }
    return count;
}

/* "Compared with v1, new is slower: the ratio is 1.05 ± 0.02, with 95 % confidence." */
static void compare_headline_one(const struct compare_task *task, const struct compare_row *row, const char *phrase,
                                 FILE *out)
{
    char ratio[TABLE_ROUND_MAX], percent[NUMBER_PERCENT_MAX];
    const struct ratio *found = &row->found.ratio;
    fprintf(out, "%s is %s", *row->name ? row->name : "the result", phrase);
    if (isnan(found->ratio))
        return;
    table_round_estimate(found->ratio, found->low, found->high, 0, false, ratio);
    fprintf(out, ": the ratio is %s", ratio);
    if (!isnan(found->low) && found->high > found->low)
        fprintf(out, ", with %s %% confidence", number_percent(task->settings->confidence, percent));
}

/* "3 of 5 results are slower, 1 is faster, 1 is undecided" */
static void compare_headline_counts(const struct compare_task *task, size_t compared, FILE *out)
{
    bool begun = false;
    for (size_t i = 0; i < HEADLINE_VERDICTS; i++) {
        size_t count = compare_headline_count(task->rows, compare_headline_verdicts[i].verdict);
        if (count == 0)
            continue;
        fprintf(out, "%s%zu", begun ? ", " : "", count);
        if (!begun)
            fprintf(out, " of %zu results", compared);
        fprintf(out, " %s %s", count == 1 ? "is" : "are", compare_headline_verdicts[i].phrase);
        begun = true;
    }
}

void compare_write_headline(const struct compare_task *task)
{
    const struct compare_rows *rows = task->rows;
    const size_t compared = compare_rows_count(rows, ROW_COMPARED), vanished = compare_rows_count(rows, ROW_VANISHED),
                 fresh = compare_rows_count(rows, ROW_NEW);
    char *text = NULL;
    size_t length;
    FILE *out = text_stream_open(&text, &length);
    if (!out) {
        task->report->no_memory = true;
        return;
    }
    fprintf(out, "Compared with %s", compare_headline_baseline(task));
    if (task->request.margin > 0)
        fprintf(out, " and a margin of %.6g %%", 100 * task->request.margin);
    fputs(", ", out);
    for (size_t i = 0; compared == 1 && i < rows->count; i++)
        for (size_t v = 0; rows->rows[i].which == ROW_COMPARED && v < HEADLINE_VERDICTS; v++)
            if (compare_headline_count(rows, compare_headline_verdicts[v].verdict) == 1)
                compare_headline_one(task, &rows->rows[i], compare_headline_verdicts[v].phrase, out);
    if (compared > 1)
        compare_headline_counts(task, compared, out);
    if (vanished > 0)
        fprintf(out, "; %zu %s vanished", vanished, vanished == 1 ? "has" : "have");
    if (fresh > 0)
        fprintf(out, "; %zu %s new", fresh, fresh == 1 ? "is" : "are");
    if (rows->left_out > 0)
        fprintf(out, "; %zu %s left out", rows->left_out, rows->left_out == 1 ? "is" : "are");
    putc('.', out);
    if (task->family.tests > 1)
        fprintf(out, " Verdicts allow for %zu tests; intervals are for one comparison alone.", task->family.tests);
    else if (compared > 1)
        fputs(" Each is tested alone.", out);
    if (text_stream_close(out, &text))
        report_headline(task->report, "%s", text);
    else
        task->report->no_memory = true;
    free(text);
}
