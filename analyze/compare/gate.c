#include "analyze/compare/gate.h"

#include <stdio.h>
#include <string.h>

bool gate_knows(const char *word)
{
    static const char *const known[] = {"worse",  "better",  "different", "slower", "faster",
                                        "larger", "smaller", "more",      "less"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(word, known[i]) == 0)
            return true;
    return false;
}

/* Whether the word names this difference. */
static bool gate_word_names(const char *word, const struct compare_row *row)
{
    return strcmp(word, "different") == 0 || strcmp(word, compare_row_is_worse(row) ? "worse" : "better") == 0 ||
           strcmp(word, row->verdict) == 0;
}

enum gate_decision gate_decide(const struct gate *gate, const struct compare_row *row)
{
    switch (row->which) {
    case ROW_NEW:
        return GATE_NEW;
    case ROW_VANISHED:
        return GATE_VANISHED;
    case ROW_OVERALL:
        return GATE_PASS;
    default:
        if (row->result == COMPARISON_UNDECIDED || row->result == COMPARISON_NO_RESULT)
            return GATE_UNDECIDED;
    }
    for (size_t i = 0; i < gate->word_count; i++)
        if (compare_row_differs(row) && gate_word_names(gate->words[i], row))
            return GATE_FAIL;
    return GATE_PASS;
}

/* The first word that names no difference that any row could have; NULL if all words do. */
static const char *gate_idle_word(const struct gate *gate, const struct compare_rows *rows)
{
    static const struct comparison_request request = {.question = COMPARISON_DIFFERS};
    for (size_t w = 0; w < gate->word_count; w++) {
        bool possible = false;
        for (size_t i = 0; i < rows->count && !possible; i++)
            for (enum comparison_result result = COMPARISON_BELOW; result <= COMPARISON_ABOVE; result++) {
                struct compare_row row = rows->rows[i];
                row.result = result;
                row.verdict = comparison_verdict(result, &request, row.kind);
                possible |= row.which == ROW_COMPARED && gate_word_names(gate->words[w], &row);
            }
        if (!possible)
            return gate->words[w];
    }
    return NULL;
}

/* Appends "3 undecided (sort; parse, B/op)", with five names at most; nothing if there are none. How many there are. */
static size_t gate_list(const struct gate *gate, const struct compare_rows *rows, enum gate_decision decision,
                        const char *what, struct error_text *message)
{
    enum { NAMES = 5 };
    char names[500] = "";
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = &rows->rows[i];
        if (gate_decide(gate, row) != decision)
            continue;
        size_t length = strlen(names);
        if (++count <= NAMES)
            snprintf(names + length, sizeof names - length, "%s%.80s%s%.40s", length ? "; " : "", row->benchmark,
                     rows->has_metrics && *row->benchmark ? ", " : "", rows->has_metrics ? row->metric : "");
    }
    if (count > 0)
        error_append(message, "%zu %s%s%s%s%s", count, what, *names ? " (" : "", names, count > NAMES ? "; …" : "",
                     *names ? ")" : "");
    return count;
}

/* "slower or larger by more than 2 %" */
static void gate_describe(const struct gate *gate, char text[300])
{
    size_t length = 0;
    for (size_t i = 0; i < gate->word_count; i++)
        length += (size_t)snprintf(text + length, 300 - length, "%s%s", i ? " or " : "", gate->words[i]);
    if (gate->margin > 0)
        snprintf(text + length, 300 - length, " by more than %.6g %%", 100 * gate->margin);
}

int gate_close(const struct gate *gate, const struct compare_rows *rows, struct report *report,
               struct error_text *message)
{
    char what[300];
    const char *idle = gate_idle_word(gate, rows);
    if (idle)
        return error_set(message, STATUS_USAGE,
                         "--fail-on %s: no values here can become that, so it would never fail; worse fits any", idle);
    struct error_text failed = {""}, open = {""};
    gate_describe(gate, what);
    size_t fails = gate_list(gate, rows, GATE_FAIL, what, &failed);
    size_t undecided = gate_list(gate, rows, GATE_UNDECIDED, "undecided", &open);
    size_t vanished = gate_list(gate, rows, GATE_VANISHED, "vanished", &open);
    size_t fresh = gate_list(gate, rows, GATE_NEW, "new", &open);
    if (rows->left_out > 0)
        error_append(&open, "%zu left out", rows->left_out);
    report->status = fails > 0 ? GATE_FAILED : gate->strict && *open.text ? STATUS_BAD : STATUS_GOOD;
    const size_t compared = compare_rows_count(rows, ROW_COMPARED);
    report->summary =
        json_pack("{s:i,s:I,s:I,s:I,s:I,s:I,s:I}", "exit_status", report->status, "compared", (json_int_t)compared,
                  "failed", (json_int_t)fails, "undecided", (json_int_t)undecided, "vanished", (json_int_t)vanished,
                  "new", (json_int_t)fresh, "left_out", (json_int_t)rows->left_out);
    report_note(report, "--fail-on: %zu of %zu comparisons show values %s; exit status %d", fails, compared, what,
                report->status);
    if (report->status == GATE_FAILED)
        error_set(message, STATUS_BAD, "failed: %s", failed.text);
    else if (report->status == STATUS_BAD)
        error_set(message, STATUS_BAD, "not decided, and --strict is given: %s", open.text);
    return STATUS_GOOD;
}
