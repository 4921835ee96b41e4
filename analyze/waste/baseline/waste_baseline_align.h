/*
 * waste_baseline_align.h - which line of a function is which after an edit.
 *
 * The lines of both versions of one function are aligned in order. Anchors are lines that agree in what they access and
 * call. They are paired in order, in the way that has most pairs. Among several such ways it is the one in which a
 * pair most often has the shift (new number - old number) of an earlier one, where the function begins with shift 0,
 * and then the one with the earlier old lines.
 *
 * Any other line takes the shift of the anchor before it, else that of the one after it. Before the first anchor it
 * takes that of the one after it, else 0. The other version must have a line there, which is not an anchor, and is
 * between the same anchors. Lines that call the same functions are paired first, and last those that clash: each
 * calls functions, and they are not the same.
 */
#ifndef ASSAY_WASTE_WASTE_BASELINE_ALIGN_H
#define ASSAY_WASTE_WASTE_BASELINE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct align_line {
    uint64_t position; /* ascending, distinct */
    size_t partner;    /* result: an index into the other version's lines; SIZE_MAX: none */
};

/* More pairs of lines than this are not compared: lines then are what they were by number. */
#define ALIGN_PAIRS_MAX ((size_t)1 << 20)

/* What they call: other functions; one of them none; the same ones. */
enum align_calls { ALIGN_CLASH, ALIGN_NEUTRAL, ALIGN_SAME };

/* What is known of old[i] and new[j]. */
struct align_facts {
    bool (*agree)(const void *user, size_t i, size_t j);
    enum align_calls (*calls)(const void *user, size_t i, size_t j);
    const void *user;
};

/* Sets `partner` of old[n] and new[m]. 0 or ENOMEM. O(n m). */
int align_lines(struct align_line *old, size_t n, struct align_line *new, size_t m, const struct align_facts *facts);

#endif
