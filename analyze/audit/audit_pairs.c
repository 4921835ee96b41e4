/* Matches pairs of the sampled runs to those of the exact ones. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/audit/audit.h"
#include "stats/inference/kendall.h"

static uint32_t audit_pairs_side(const struct audit_comparison *comparison, bool by_line, uint32_t node)
{
    return by_line ? waste_node_at(comparison->waste, node)->text : audit_match_site(comparison->match, node);
}

/* An exact pair, if there is any, and of several the first by text, so that it does not depend on their order. */
static bool audit_pairs_is_better_example(const struct audit_comparison *comparison, const struct waste_pair *pair,
                                          const struct audit_pair *known)
{
    bool first = known->bytes[AUDIT_EXACT] == 0 && known->bytes[AUDIT_OTHER] == 0;
    bool exact = comparison->roles[pair->source] == AUDIT_EXACT;
    if (first || exact != (known->bytes[AUDIT_EXACT] > 0))
        return first || exact;
    int order = waste_compare(comparison->waste, pair->first, known->nodes[0]);
    return order ? order < 0 : waste_compare(comparison->waste, pair->second, known->nodes[1]) < 0;
}

int audit_pairs(const struct audit_comparison *comparison, bool by_line, struct keyed *pairs)
{
    *pairs = (struct keyed){.item_bytes = sizeof(struct audit_pair), .key_bytes = WASTE_SIDES * sizeof(uint32_t)};
    for (size_t i = 0; i < waste_count(comparison->waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(comparison->waste, WASTE_PAIR_ROWS, i);
        uint8_t role = comparison->roles[pair->source];
        uint64_t wasted = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE];
        struct waste_samples samples = {pair->traps, pair->bytes, wasted, pair->squares, pair->wasted_squares};
        if (comparison->java) {
            samples.traps -= pair->on_stack.traps;
            samples.bytes -= pair->on_stack.bytes;
            samples.wasted_bytes -= pair->on_stack.wasted_bytes;
            samples.squares -= pair->on_stack.squares;
            samples.wasted_squares -= pair->on_stack.wasted_squares;
        }
        if (role == AUDIT_NEITHER || pair->waste != comparison->kind || samples.bytes == 0)
            continue;
        struct audit_pair key = {.sides = {audit_pairs_side(comparison, by_line, pair->first),
                                           audit_pairs_side(comparison, by_line, pair->second)}};
        uint32_t index = keyed_add(pairs, &key);
        if (index == KEYED_FULL)
            return ENOMEM;
        struct audit_pair *both = keyed_at(pairs, index);
        if (audit_pairs_is_better_example(comparison, pair, both))
            memcpy(both->nodes, (uint32_t[WASTE_SIDES]){pair->first, pair->second}, sizeof both->nodes);
        both->bytes[role] += (double)samples.bytes;
        both->wasted[role] += (double)samples.wasted_bytes;
        both->squares += (double)samples.squares;
        both->wasted_squares += (double)samples.wasted_squares;
        both->traps += samples.traps;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ the worst -- */

/* Indices of the worst pairs of an engine, worst first; equal ones in the order of the state. */
static size_t audit_pairs_find_worst(const struct keyed *pairs, unsigned engine, size_t top[AUDIT_TOP])
{
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        double wasted = ((const struct audit_pair *)keyed_at(pairs, i))->wasted[engine];
        size_t at = count;
        while (at > 0 && ((const struct audit_pair *)keyed_at(pairs, top[at - 1]))->wasted[engine] < wasted)
            at--;
        if (wasted <= 0 || at == AUDIT_TOP)
            continue;
        count += count < AUDIT_TOP; /* or the last one goes */
        memmove(&top[at + 1], &top[at], (count - at - 1) * sizeof *top);
        top[at] = i;
    }
    return count;
}

/* Levenshtein's. */
static size_t audit_pairs_edit_distance(const size_t *a, size_t n, const size_t *b, size_t m)
{
    size_t row[AUDIT_TOP + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]), shift = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replace < shift + 1 ? replace : shift + 1;
        }
    }
    return row[m];
}

int audit_compare_pairs(const struct audit_comparison *comparison, struct audit_row *row)
{
    size_t worst[AUDIT_TOP], sampled[AUDIT_TOP];
    double x[AUDIT_TOP], y[AUDIT_TOP];
    struct keyed pairs;
    int error = audit_pairs(comparison, comparison->way == AUDIT_COMMON, &pairs);
    if (!error) {
        size_t others = audit_pairs_find_worst(&pairs, AUDIT_OTHER, sampled);
        size_t count = audit_pairs_find_worst(&pairs, AUDIT_EXACT, worst);
        row->edit_distance = audit_pairs_edit_distance(worst, count, sampled, others);
        for (size_t i = 0; i < count; i++) {
            const struct audit_pair *pair = keyed_at(&pairs, worst[i]);
            x[i] = pair->wasted[AUDIT_EXACT];
            y[i] = pair->wasted[AUDIT_OTHER];
            row->found += y[i] > 0;
        }
        row->tau = NAN;
        kendall_tau(x, y, count, &row->tau);
    }
    keyed_free(&pairs);
    return error;
}
