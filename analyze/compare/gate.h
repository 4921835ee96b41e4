/*
 * gate.h - does a change pass? Decides each row, and with which status the program exits.
 */
#ifndef ASSAY_COMPARE_GATE_H
#define ASSAY_COMPARE_GATE_H

#include "analyze/compare/compare_rows.h"
#include "base/error_text.h"

enum { GATE_WORDS_MAX = 16, GATE_FAILED = 3 };

struct gate {
    const char *words[GATE_WORDS_MAX]; /* of --fail-on; gate_knows() each */
    size_t word_count;                 /* 0: there is no gate */
    bool strict;                       /* all decisions but GATE_PASS fail */
    double margin;                     /* 0: none */
};

/* Whether --fail-on has this word: a verdict of a difference (slower, faster, larger, smaller, more, less), worse or
 * better, for values of any kind, or different. */
bool gate_knows(const char *word);

enum gate_decision { GATE_PASS, GATE_FAIL, GATE_UNDECIDED, GATE_VANISHED, GATE_NEW };

/* The only place where a row passes or fails, by its result and verdict alone, see compare_rows_decide(). It fails if a
 * difference (with a margin, one beyond it) is shown, and its verdict is one of the words, or has the direction of
 * worse or better. Geometric means pass. O(words). */
enum gate_decision gate_decide(const struct gate *gate, const struct compare_row *row);

/*
 * Sets the report's exit status and its summary, and adds a note. The status is GATE_FAILED if any row fails; else,
 * if strict, STATUS_BAD if any does not pass, or has been left out; else STATUS_GOOD. With any but STATUS_GOOD the
 * message says why, with the names of benchmarks. Returns STATUS_GOOD, or STATUS_USAGE and a message if a word is the
 * verdict of no row, whatever its values: it would never fail. O(rows · words).
 */
int gate_close(const struct gate *gate, const struct compare_rows *rows, struct report *report,
               struct error_text *message);

#endif
