#include "analyze/strides/pattern.h"

static bool pattern_recurs_in(const struct strides_options *options, const struct histogram_entry *top, uint64_t of,
                              int64_t *number)
{
    const int64_t most = INT64_C(1) << 47; /* addresses of programs have 47 bits */
    if (!top || of < PATTERN_LEAST || top->number <= -most || top->number >= most ||
        (double)top->count <= options->majority * (double)of)
        return false;
    *number = top->number;
    return true;
}

static bool pattern_recurs(const struct strides_options *options, const struct histogram *histogram, uint64_t of,
                           int64_t *number)
{
    return pattern_recurs_in(options, histogram_top(histogram), of, number);
}

bool pattern_invariant(const struct strides_options *options, const struct loads_row *row)
{
    int64_t stride;
    return pattern_recurs(options, &row->strides, row->strides.total, &stride) && stride == 0;
}

bool pattern_inter(const struct strides_options *options, const struct loads_row *row, int64_t *stride)
{
    if (!options->moves)
        return pattern_recurs(options, &row->strides, row->strides.total, stride) && *stride != 0;
    return pattern_moves(options, row, stride);
}

bool pattern_moves(const struct strides_options *options, const struct loads_row *row, int64_t *stride)
{
    uint64_t moves;
    const struct histogram_entry *top = histogram_top_but(&row->strides, 0, &moves);
    return !pattern_invariant(options, row) && pattern_recurs_in(options, top, moves, stride);
}

const struct histogram_entry *pattern_inter_top(const struct strides_options *options, const struct loads_row *row,
                                                double *share)
{
    uint64_t of = row->strides.total;
    const struct histogram_entry *top =
        options->moves ? histogram_top_but(&row->strides, 0, &of) : histogram_top(&row->strides);
    *share = top && of > 0 ? (double)top->count / (double)of : 0;
    return top;
}

bool pattern_depends(const struct strides_options *options, const struct loads_row *row,
                     const struct loads_partner *partner, int64_t *offset)
{
    if (partner->how == LOADS_BASE)
        return pattern_recurs(options, &partner->offsets, row->executions, offset);
    /* Where the stride repeats nothing was learned of an index. */
    uint64_t changes = row->strides.total - row->repeats;
    return (double)partner->executions > options->majority * (double)changes &&
           pattern_recurs(options, &partner->offsets, partner->executions, offset) && *offset != 0;
}

bool pattern_intra(const struct strides_options *options, const struct loads_row *row,
                   const struct loads_partner *partner, int64_t *stride)
{
    int64_t offset;
    return row->strides.total >= PATTERN_LEAST && !pattern_invariant(options, row) && partner->how == LOADS_BASE &&
           pattern_depends(options, row, partner, &offset) &&
           pattern_recurs(options, &partner->strides, row->executions, stride);
}

double pattern_intra_share(const struct loads_row *row, const struct loads_partner *partner)
{
    const struct histogram_entry *top = histogram_top(&partner->strides);
    return top && row->executions > 0 ? (double)top->count / (double)row->executions : 0;
}

/* ------------------------------------------------------------------------------------------------ Wu's classes -- */

enum { TOP = 4 };

enum pattern_class pattern_class_of(const struct loads_row *row)
{
    if (row->strides.total < PATTERN_LEAST)
        return PATTERN_NO_CLASS;
    uint64_t top[TOP] = {0}; /* counts of the most frequent strides */
    for (uint32_t i = 0; i < row->strides.used; i++) {
        uint64_t count = row->strides.entries[i].count;
        for (unsigned rank = 0; rank < TOP; rank++)
            if (count > top[rank]) {
                uint64_t smaller = top[rank];
                top[rank] = count;
                count = smaller;
            }
    }
    double first = (double)top[0], four = (double)(top[0] + top[1] + top[2] + top[3]);
    double total = (double)row->strides.total, repeats = (double)row->repeats;
    if (first > 0.7 * total)
        return PATTERN_STRONG_SINGLE;
    if (four > 0.6 * total && repeats > 0.4 * total)
        return PATTERN_PHASED_MULTIPLE;
    return first > 0.25 * total && repeats > 0.1 * total ? PATTERN_WEAK_SINGLE : PATTERN_NO_CLASS;
}

const char *pattern_class_name(enum pattern_class class_of_row)
{
    static const char *const names[] = {[PATTERN_STRONG_SINGLE] = "strong single",
                                        [PATTERN_PHASED_MULTIPLE] = "phased multiple",
                                        [PATTERN_WEAK_SINGLE] = "weak single",
                                        [PATTERN_NO_CLASS] = ""};
    return names[class_of_row];
}
