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

/* The bytes that all samples of a kind represent, on the stack or not. */
static double audit_missed_sampled_bytes(const struct audit_comparison *comparison)
{
    double bytes = 0;
    for (size_t i = 0; i < waste_count(comparison->waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(comparison->waste, WASTE_PAIR_ROWS, i);
        if (comparison->roles[pair->source] == AUDIT_OTHER && pair->waste == comparison->kind)
            bytes += (double)pair->bytes;
    }
    return bytes;
}

/* That no trap hits a pair with this share of the exact bytes, if each hits it with that probability. */
static double audit_missed_chance(double share, double traps)
{
    return pow(fmax(0, 1 - share), traps);
}

static double audit_missed_exact_share(const struct whole *whole, const struct audit_pair *pair)
{
    return pair->bytes[AUDIT_EXACT] / whole->bytes[AUDIT_EXACT];
}

/* ------------------------------------------------------------------------------------------ shares -- */

/* The share that all traps miss on average. Sorted, so that the sum does not depend on the order of the pairs. */
static int audit_missed_by_chance(const struct keyed *pairs, const struct whole *whole, double traps, double *missed)
{
    double *shares = calloc(pairs->count + 1, sizeof *shares);
    if (!shares)
        return ENOMEM;
    for (size_t i = 0; i < pairs->count; i++)
        shares[i] = audit_missed_exact_share(whole, keyed_at(pairs, i));
    order_sort(shares, pairs->count);
    *missed = 0;
    for (size_t i = 0; i < pairs->count; i++)
        *missed += shares[i] * audit_missed_chance(shares[i], traps);
    free(shares);
    return 0;
}

static int audit_missed_set(const struct keyed *pairs, double sampled, struct audit_missed *missed)
{
    struct whole whole = audit_missed_whole(pairs), all = {0}, certain = {0};
    double common, traps = audit_missed_sum_common(pairs, &common);
    if (whole.bytes[AUDIT_EXACT] == 0 || sampled == 0)
        return 0;
    for (size_t i = 0; i < pairs->count; i++) {
        /* Pairs without a trap: all of them, and those that traps would have hit. Bytes are integers: their sum is
         * exact. */
        const struct audit_pair *pair = keyed_at(pairs, i);
        if (pair->bytes[AUDIT_OTHER] > 0)
            continue;
        all.bytes[AUDIT_EXACT] += pair->bytes[AUDIT_EXACT];
        all.wasted[AUDIT_EXACT] += pair->wasted[AUDIT_EXACT];
        if (audit_missed_chance(audit_missed_exact_share(&whole, pair), traps) > AUDIT_CHANCE)
            continue;
        certain.bytes[AUDIT_EXACT] += pair->bytes[AUDIT_EXACT];
        certain.wasted[AUDIT_EXACT] += pair->wasted[AUDIT_EXACT];
    }
    missed->low = certain.bytes[AUDIT_EXACT] / whole.bytes[AUDIT_EXACT];
    missed->high = all.bytes[AUDIT_EXACT] / whole.bytes[AUDIT_EXACT];
    if (whole.wasted[AUDIT_EXACT] > 0) {
        missed->waste_low = certain.wasted[AUDIT_EXACT] / whole.wasted[AUDIT_EXACT];
        missed->waste_high = all.wasted[AUDIT_EXACT] / whole.wasted[AUDIT_EXACT];
    }
    missed->extra = 1 - common / sampled;
    return audit_missed_by_chance(pairs, &whole, traps, &missed->chance);
}

int audit_miss(const struct audit_comparison *comparison, struct audit_missed *missed)
{
    struct keyed pairs;
    *missed = (struct audit_missed){NAN, NAN, NAN, NAN, NAN, NAN};
    if (comparison->way != AUDIT_SAMPLES)
        return 0;
    int error = audit_pairs(comparison, true, &pairs);
    if (!error)
        error = audit_missed_set(&pairs, audit_missed_sampled_bytes(comparison), missed);
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

static enum audit_reason audit_missed_reason_exact(const struct listing *listing, const struct audit_pair *pair,
                                                   double chance)
{
    const struct audit_pair *lines = audit_missed_pair_at_lines(listing, pair);
    if (chance > AUDIT_CHANCE)
        return AUDIT_RARE;
    if (lines->bytes[AUDIT_OTHER] > 0)
        return AUDIT_ELSEWHERE;
    return audit_missed_is_sampled(listing, pair->nodes[0]) && audit_missed_is_sampled(listing, pair->nodes[1])
               ? AUDIT_APART
               : AUDIT_ABSENT;
}

static enum audit_reason audit_missed_reason_sampled(const struct listing *listing, const struct audit_pair *pair)
{
    enum audit_known first = audit_match_known(listing->comparison->match, pair->nodes[0]);
    enum audit_known second = audit_match_known(listing->comparison->match, pair->nodes[1]);
    if (first == AUDIT_NO_METHOD || second == AUDIT_NO_METHOD)
        return AUDIT_CODE;
    if (first == AUDIT_NO_LINE || second == AUDIT_NO_LINE)
        return AUDIT_NO_ACCESS;
    return audit_missed_pair_at_lines(listing, pair)->bytes[AUDIT_EXACT] > 0 ? AUDIT_ELSEWHERE : AUDIT_BETWEEN;
}

static struct audit_single audit_missed_single(const struct listing *listing, const struct audit_pair *pair)
{
    bool exact = pair->bytes[AUDIT_EXACT] > 0;
    enum audit_role role = exact ? AUDIT_EXACT : AUDIT_OTHER;
    struct audit_single single = {
        .program = listing->program,
        .waste = listing->comparison->kind,
        .exact = exact,
        .java = listing->comparison->java,
        .share = pair->bytes[role] / listing->whole.bytes[role],
        .waste_share = pair->wasted[role] / listing->whole.wasted[role],
        .chance = exact ? audit_missed_chance(audit_missed_exact_share(&listing->whole, pair), listing->traps) : NAN,
        .traps = pair->traps};
    memcpy(single.nodes, pair->nodes, sizeof single.nodes);
    single.reason =
        exact ? audit_missed_reason_exact(listing, pair, single.chance) : audit_missed_reason_sampled(listing, pair);
    return single;
}

/* ------------------------------------------------------------------------------------------ the list -- */

static int audit_missed_init_listing(struct listing *listing)
{
    const struct waste *waste = listing->comparison->waste;
    int error = audit_pairs(listing->comparison, true, &listing->lines);
    if (!error && !listing->by_line)
        error = audit_pairs(listing->comparison, false, &listing->contexts);
    listing->sampled = calloc(waste->relations.texts.count + (size_t)1, sizeof *listing->sampled);
    if (error || !listing->sampled)
        return ENOMEM;
    for (size_t i = 0; i < listing->lines.count; i++) {
        const struct audit_pair *pair = keyed_at(&listing->lines, i);
        for (size_t side = 0; side < WASTE_SIDES; side++)
            if (pair->nodes[side] && pair->bytes[AUDIT_OTHER] > 0)
                listing->sampled[pair->sides[side]] = true;
    }
    return 0;
}

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

static int audit_missed_add_singles(const struct ranked *ranked, size_t count, uint64_t top, struct audit *audit)
{
    struct audit_single *grown = realloc(audit->singles, (audit->single_count + count + 1) * sizeof *grown);
    uint64_t added[2] = {0};
    if (!grown)
        return ENOMEM;
    audit->singles = grown;
    for (size_t i = 0; i < count; i++)
        if (added[ranked[i].single.exact]++ < top || top == 0)
            audit->singles[audit->single_count++] = ranked[i].single;
    return 0;
}

static int audit_missed_rank_singles(const struct listing *listing, uint64_t top, struct audit *audit)
{
    const struct keyed *pairs = listing->by_line ? &listing->lines : &listing->contexts;
    struct ranked *ranked = calloc(pairs->count + 1, sizeof *ranked);
    size_t count = 0;
    for (size_t i = 0; ranked && i < pairs->count; i++) {
        const struct audit_pair *pair = keyed_at(pairs, i);
        if (pair->bytes[AUDIT_EXACT] == 0 || pair->bytes[AUDIT_OTHER] == 0)
            ranked[count++] = (struct ranked){listing->comparison->waste, audit_missed_single(listing, pair)};
    }
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, audit_missed_compare_waste);
    int error = ranked ? audit_missed_add_singles(ranked, count, top, audit) : ENOMEM;
    free(ranked);
    return error;
}

int audit_list_singles(const struct audit_comparison *comparison, const char *program, const struct audit_wish *wish,
                       struct audit *audit)
{
    struct listing listing = {.comparison = comparison, .program = program, .by_line = wish->by_line};
    double bytes;
    int error = audit_missed_init_listing(&listing);
    if (!error) {
        listing.traps = audit_missed_sum_common(&listing.lines, &bytes);
        listing.whole = audit_missed_whole(wish->by_line ? &listing.lines : &listing.contexts);
        error = audit_missed_rank_singles(&listing, wish->top, audit);
    }
    keyed_free(&listing.lines);
    keyed_free(&listing.contexts);
    free(listing.sampled);
    return error;
}
