#include "analyze/waste/baseline/waste_baseline_align.h"

#include <errno.h>
#include <stdlib.h>

#include "base/keyed.h"

/* ------------------------------------------------------------------------------------------ anchors -- */

enum { NO_ANCHOR = UINT32_MAX };

/* A pair of lines that agree, as the last one of the best pairing that ends with it. */
struct anchor {
    size_t old, new;
    uint64_t score;
    uint32_t before; /* the pair before it, or NO_ANCHOR */
};
static const uint64_t ANCHOR_PAIR = UINT64_C(1) << 32; /* a pair counts more than any number of equal shifts */

/* The best pairing: that ends in an old line before this one and in the new line or before it; or with this shift. */
struct best {
    uint64_t score;
    uint32_t last;
};
struct shift {
    int64_t shift; /* the key */
    struct best best;
};

struct aligner {
    struct align_line *old, *new;
    const struct align_facts *facts;
    size_t old_count, new_count;
    struct keyed anchors, shifts;
    struct best *rows[2]; /* [new_count + 1] of the old line before, and of this one */
};

static int64_t align_shift(const struct aligner *aligner, size_t old, size_t new)
{
    return (int64_t)(aligner->new[new].position - aligner->old[old].position);
}

/* Adds a pair that agrees; *best becomes better by it if it can. 0 or ENOMEM. */
static int align_add_anchor(struct aligner *aligner, size_t i, size_t j, struct best *best)
{
    const struct shift key = {align_shift(aligner, i, j), {0, NO_ANCHOR}};
    struct anchor anchor = {i, j, aligner->rows[0][j].score + ANCHOR_PAIR, aligner->rows[0][j].last};
    uint32_t index = keyed_find(&aligner->shifts, &key);
    const struct shift *known = index == KEYED_FULL ? NULL : keyed_at(&aligner->shifts, index);
    if (known && known->best.score + ANCHOR_PAIR + 1 > anchor.score) {
        anchor.score = known->best.score + ANCHOR_PAIR + 1;
        anchor.before = known->best.last;
    }
    uint32_t number = keyed_add(&aligner->anchors, &anchor);
    index = number == KEYED_FULL ? KEYED_FULL : keyed_add(&aligner->shifts, &key);
    if (index == KEYED_FULL)
        return ENOMEM;
    struct shift *shift = keyed_at(&aligner->shifts, index);
    if (anchor.score > shift->best.score)
        shift->best = (struct best){anchor.score, number};
    if (anchor.score > best->score)
        *best = (struct best){anchor.score, number};
    return 0;
}

/* Pairs the lines of the best pairing. 0 or ENOMEM. */
static int align_anchors(struct aligner *aligner)
{
    size_t width = aligner->new_count + 1;
    const struct shift none = {0, {0, NO_ANCHOR}};
    struct best *memory = malloc(2 * width * sizeof *memory);
    int error = memory && keyed_add(&aligner->shifts, &none) != KEYED_FULL ? 0 : ENOMEM;
    for (size_t j = 0; !error && j < 2 * width; j++)
        memory[j] = none.best;
    aligner->rows[0] = memory;
    aligner->rows[1] = memory ? memory + width : NULL;
    for (size_t i = 0; !error && i < aligner->old_count; i++) {
        for (size_t j = 0; !error && j < aligner->new_count; j++) {
            struct best best = aligner->rows[0][j + 1]; /* without this old line, or without this new one */
            if (aligner->rows[1][j].score > best.score)
                best = aligner->rows[1][j];
            if (aligner->facts->agree(aligner->facts->user, i, j))
                error = align_add_anchor(aligner, i, j, &best);
            aligner->rows[1][j + 1] = best;
        }
        struct best *done = aligner->rows[0];
        aligner->rows[0] = aligner->rows[1];
        aligner->rows[1] = done;
    }
    uint32_t last = error ? NO_ANCHOR : aligner->rows[0][aligner->new_count].last;
    while (last != NO_ANCHOR) {
        const struct anchor *anchor = keyed_at(&aligner->anchors, last);
        aligner->old[anchor->old].partner = anchor->new;
        aligner->new[anchor->new].partner = anchor->old;
        last = anchor->before;
    }
    free(memory);
    return error;
}

/* ------------------------------------------------------------------------------------------ the others -- */

/* The first new line from `begin` to before `end` that has the number and no partner; `end`: there is none. */
static size_t align_find(const struct aligner *aligner, uint64_t position, size_t begin, size_t end)
{
    for (size_t j = begin; j < end; j++)
        if (aligner->new[j].position == position)
            return aligner->new[j].partner == SIZE_MAX ? j : end;
    return end;
}

/* Pairs the old lines from `begin` to before `end`, which follow each other without anchors, by one shift. The new line
 * must be between the partners of those around, and before new line `last`. `least`: what they call must be as alike.
 */
static void align_by_shift(struct aligner *aligner, size_t begin, size_t end, size_t last, int64_t shift,
                           enum align_calls least)
{
    size_t low = begin > 0 ? aligner->old[begin - 1].partner + 1 : 0;
    for (size_t i = begin; i < end; i++) {
        struct align_line *line = &aligner->old[i];
        size_t next = i + 1;
        while (next < end && aligner->old[next].partner == SIZE_MAX)
            next++;
        size_t high = next < end ? aligner->old[next].partner : last;
        if (line->partner == SIZE_MAX) {
            size_t found = align_find(aligner, line->position + (uint64_t)shift, low, high);
            if (found < high && aligner->facts->calls(aligner->facts->user, i, found) >= least) {
                line->partner = found;
                aligner->new[found].partner = i;
            }
        }
        if (line->partner != SIZE_MAX)
            low = line->partner + 1;
    }
}

/* Pairs the lines between two anchors, which are the old lines before `begin` and at `end`. */
static void align_between(struct aligner *aligner, size_t begin, size_t end)
{
    bool follows = begin > 0, precedes = end < aligner->old_count;
    size_t last = precedes ? aligner->old[end].partner : aligner->new_count;
    int64_t before = follows ? align_shift(aligner, begin - 1, aligner->old[begin - 1].partner) : 0;
    int64_t after = precedes ? align_shift(aligner, end, last) : before;
    for (int least = ALIGN_SAME; least >= ALIGN_CLASH; least--) {
        align_by_shift(aligner, begin, end, last, follows ? before : after, (enum align_calls)least);
        align_by_shift(aligner, begin, end, last, follows ? after : before, (enum align_calls)least);
    }
}

int align_lines(struct align_line *old, size_t n, struct align_line *new, size_t m, const struct align_facts *facts)
{
    struct aligner aligner = {.old = old,
                              .new = new,
                              .facts = facts,
                              .old_count = n,
                              .new_count = m,
                              .anchors = {.item_bytes = sizeof(struct anchor)},
                              .shifts = {.item_bytes = sizeof(struct shift), .key_bytes = sizeof(int64_t)}};
    for (size_t i = 0; i < n; i++)
        old[i].partner = SIZE_MAX;
    for (size_t j = 0; j < m; j++)
        new[j].partner = SIZE_MAX;
    int error = m > 0 && n <= ALIGN_PAIRS_MAX / m ? align_anchors(&aligner) : 0;
    for (size_t begin = 0, end; !error && begin < n; begin = end + 1) {
        for (end = begin; end < n && old[end].partner == SIZE_MAX;)
            end++;
        align_between(&aligner, begin, end);
    }
    keyed_free(&aligner.anchors);
    keyed_free(&aligner.shifts);
    return error;
}
