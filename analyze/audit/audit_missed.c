/* Pairs that only the exact or only the sampled runs have. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/audit/audit.h"
#include "stats/estimates/order.h"

/* All pairs of a comparison together. */
struct whole {
    double bytes[AUDIT_ROLES], wasted[AUDIT_ROLES];
};

static struct whole audit_missed_whole(const struct keyed *pairs)
{
    struct whole whole = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        const struct audit_pair *pair = keyed_at(pairs, i);
        for (size_t role = 0; role < AUDIT_ROLES; role++) {
            whole.bytes[role] += pair->bytes[role];
            whole.wasted[role] += pair->wasted[role];
        }
    }
    return whole;
}

/* The effective number of the traps at pairs that the exact runs have; *bytes: theirs. */
static double audit_missed_sum_common(const struct keyed *pairs, double *bytes)
{
    double squares = 0;
    *bytes = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct audit_pair *pair = keyed_at(pairs, i);
        *bytes += pair->bytes[AUDIT_EXACT] > 0 ? pair->bytes[AUDIT_OTHER] : 0;
        squares += pair->bytes[AUDIT_EXACT] > 0 ? pair->squares : 0;
    }
    return squares > 0 ? *bytes * *bytes / squares : 0;
}

/* That no trap hits a pair with this share of the exact bytes, if each hits it with that probability. */
static double audit_missed_chance(double share, double traps)
{
    return pow(fmax(0, 1 - share), traps);
}

static int audit_missed_set(const struct keyed *pairs, double sampled, struct audit_missed *missed)
{
    struct whole whole = audit_missed_whole(pairs);
    double common, traps = audit_missed_sum_common(pairs, &common), all = whole.bytes[AUDIT_EXACT];
    /* Sums over pairs without a trap: over all of them, and over those that traps would have hit. Bytes are integers:
     * their sum is exact. */
    double bytes = 0, wasted = 0, certain_bytes = 0, certain_wasted = 0;
    if (all == 0 || sampled == 0)
        return 0;
    double *shares = calloc(pairs->count + 1, sizeof *shares);
    if (!shares)
        return ENOMEM;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct audit_pair *pair = keyed_at(pairs, i);
        shares[i] = pair->bytes[AUDIT_EXACT] / all;
        if (pair->bytes[AUDIT_OTHER] > 0)
            continue;
        bytes += pair->bytes[AUDIT_EXACT];
        wasted += pair->wasted[AUDIT_EXACT];
        if (audit_missed_chance(shares[i], traps) > AUDIT_CHANCE)
            continue;
        certain_bytes += pair->bytes[AUDIT_EXACT];
        certain_wasted += pair->wasted[AUDIT_EXACT];
    }
    missed->low = certain_bytes / all;
    missed->high = bytes / all;
    if (whole.wasted[AUDIT_EXACT] > 0) {
        missed->waste_low = certain_wasted / whole.wasted[AUDIT_EXACT];
        missed->waste_high = wasted / whole.wasted[AUDIT_EXACT];
    }
    missed->extra = 1 - common / sampled;
    /* The share that all traps miss on average: sorted, so that the sum does not depend on the order of the pairs. */
    order_sort(shares, pairs->count);
    missed->chance = 0;
    for (size_t i = 0; i < pairs->count; i++)
        missed->chance += shares[i] * audit_missed_chance(shares[i], traps);
    free(shares);
    return 0;
}

int audit_miss(const struct audit_comparison *comparison, struct audit_missed *missed)
{
    struct keyed pairs;
    double sampled = 0; /* the bytes that all samples of the kind represent, on the stack or not */
    *missed = (struct audit_missed){NAN, NAN, NAN, NAN, NAN, NAN};
    if (comparison->way != AUDIT_SAMPLES)
        return 0;
    for (size_t i = 0; i < waste_count(comparison->waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(comparison->waste, WASTE_PAIR_ROWS, i);
        if (comparison->roles[pair->source] == AUDIT_OTHER && pair->waste == comparison->kind)
            sampled += (double)pair->bytes;
    }
    int error = audit_pairs(comparison, true, &pairs);
    if (!error)
        error = audit_missed_set(&pairs, sampled, missed);
    keyed_free(&pairs);
    return error;
}

/* ------------------------------------------------------------------------------------------ reasons -- */

/* The pairs of a comparison by line, and by context if that is what is listed. */
struct listing {
    const struct audit_comparison *comparison;
    const char *program;
    bool by_line;
    struct keyed lines, contexts;
    struct whole whole; /* of what is listed */
    double traps;       /* effective number of those at lines that the exact runs have, too */
    bool *sampled;      /* [text]: the sampled runs have an access there */
};

/* The pair with the same lines. */
static const struct audit_pair *audit_missed_pair_at_lines(const struct listing *listing, const struct audit_pair *pair)
{
    uint32_t lines[WASTE_SIDES];
    for (size_t side = 0; side < WASTE_SIDES; side++)
        lines[side] = waste_node_at(listing->comparison->waste, pair->nodes[side])->text;
    return keyed_at(&listing->lines, keyed_find(&listing->lines, lines));
}

static bool audit_missed_is_sampled(const struct listing *listing, uint32_t node)
{
    return node && listing->sampled[waste_node_at(listing->comparison->waste, node)->text];
}

static struct audit_single audit_missed_single(const struct listing *listing, const struct audit_pair *pair)
{
    const struct audit_comparison *comparison = listing->comparison;
    const struct audit_pair *lines = audit_missed_pair_at_lines(listing, pair);
    bool exact = pair->bytes[AUDIT_EXACT] > 0;
    enum audit_role role = exact ? AUDIT_EXACT : AUDIT_OTHER;
    struct audit_single single = {.program = listing->program,
                                  .waste = comparison->kind,
                                  .exact = exact,
                                  .java = comparison->java,
                                  .share = pair->bytes[role] / listing->whole.bytes[role],
                                  .waste_share = pair->wasted[role] / listing->whole.wasted[role],
                                  .chance = NAN,
                                  .traps = pair->traps,
                                  .reason = AUDIT_ELSEWHERE};
    memcpy(single.nodes, pair->nodes, sizeof single.nodes);
    if (exact) {
        single.chance = audit_missed_chance(single.share, listing->traps);
        if (single.chance > AUDIT_CHANCE)
            single.reason = AUDIT_RARE;
        else if (lines->bytes[AUDIT_OTHER] == 0)
            single.reason =
                audit_missed_is_sampled(listing, pair->nodes[0]) && audit_missed_is_sampled(listing, pair->nodes[1])
                    ? AUDIT_APART
                    : AUDIT_ABSENT;
    } else {
        enum audit_known first = audit_match_known(comparison->match, pair->nodes[0]);
        enum audit_known second = audit_match_known(comparison->match, pair->nodes[1]);
        if (first == AUDIT_NO_METHOD || second == AUDIT_NO_METHOD)
            single.reason = AUDIT_CODE;
        else if (first == AUDIT_NO_LINE || second == AUDIT_NO_LINE)
            single.reason = AUDIT_NO_ACCESS;
        else if (lines->bytes[AUDIT_EXACT] == 0)
            single.reason = AUDIT_BETWEEN;
    }
    return single;
}

/* ------------------------------------------------------------------------------------------ the list -- */

struct ranked {
    const struct waste *waste;
    struct audit_single single;
};

/* Pairs of exact runs come first, then by what they wasted and accessed; by text where that is equal. */
static int audit_missed_compare_waste(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->single.exact != y->single.exact)
        return x->single.exact ? -1 : 1;
    double x_wasted = fmax(0, x->single.waste_share), y_wasted = fmax(0, y->single.waste_share); /* NaN: none is */
    if (x_wasted != y_wasted)
        return x_wasted > y_wasted ? -1 : 1;
    if (x->single.share != y->single.share)
        return x->single.share > y->single.share ? -1 : 1;
    int order = waste_compare(x->waste, x->single.nodes[0], y->single.nodes[0]);
    return order ? order : waste_compare(x->waste, x->single.nodes[1], y->single.nodes[1]);
}

static int audit_missed_add_singles(const struct listing *listing, uint64_t top, struct audit *audit)
{
    const struct keyed *pairs = listing->by_line ? &listing->lines : &listing->contexts;
    struct ranked *ranked = calloc(pairs->count + 1, sizeof *ranked);
    uint64_t added[2] = {0};
    size_t count = 0;
    if (!ranked)
        return ENOMEM;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct audit_pair *pair = keyed_at(pairs, i);
        if (pair->bytes[AUDIT_EXACT] == 0 || pair->bytes[AUDIT_OTHER] == 0)
            ranked[count++] = (struct ranked){listing->comparison->waste, audit_missed_single(listing, pair)};
    }
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, audit_missed_compare_waste);
    struct audit_single *grown = realloc(audit->singles, (audit->single_count + count + 1) * sizeof *grown);
    if (grown) {
        audit->singles = grown;
        for (size_t i = 0; i < count; i++)
            if (added[ranked[i].single.exact]++ < top || top == 0)
                grown[audit->single_count++] = ranked[i].single;
    }
    free(ranked);
    return grown ? 0 : ENOMEM;
}

int audit_list_singles(const struct audit_comparison *comparison, const char *program, const struct audit_wish *wish,
                       struct audit *audit)
{
    struct listing listing = {.comparison = comparison, .program = program, .by_line = wish->by_line};
    double bytes;
    int error = audit_pairs(comparison, true, &listing.lines);
    if (!error && !wish->by_line)
        error = audit_pairs(comparison, false, &listing.contexts);
    listing.sampled = calloc(comparison->waste->relations.texts.count + (size_t)1, sizeof *listing.sampled);
    if (!listing.sampled)
        error = ENOMEM;
    for (size_t i = 0; !error && i < listing.lines.count; i++) {
        const struct audit_pair *pair = keyed_at(&listing.lines, i);
        for (size_t side = 0; side < WASTE_SIDES; side++)
            if (pair->nodes[side] && pair->bytes[AUDIT_OTHER] > 0)
                listing.sampled[pair->sides[side]] = true;
    }
    if (!error) {
        listing.traps = audit_missed_sum_common(&listing.lines, &bytes);
        listing.whole = audit_missed_whole(wish->by_line ? &listing.lines : &listing.contexts);
        error = audit_missed_add_singles(&listing, wish->top, audit);
    }
    keyed_free(&listing.lines);
    keyed_free(&listing.contexts);
    free(listing.sampled);
    return error;
}
