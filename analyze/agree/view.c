#include "analyze/agree/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/unseen.h"

const char *view_text(const struct view *view, uint32_t text)
{
    return profiles_text(view->profiles, text);
}

static int view_compare_texts(const void *a, const void *b, void *profiles)
{
    char *const *texts = ((const struct profiles *)profiles)->relations.texts.texts;
    return strcmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

uint32_t *view_profilers(const struct profiles *profiles, size_t *count)
{
    uint32_t *found = malloc((profiles_run_count(profiles) + 1) * sizeof *found);
    size_t n = 0;
    for (size_t i = 0; found && i < profiles_run_count(profiles); i++) {
        uint32_t profiler = profiles_run_at(profiles, i)->profiler;
        size_t known = 0;
        while (known < n && found[known] != profiler)
            known++;
        if (known == n)
            found[n++] = profiler;
    }
    if (found)
        qsort_r(found, n, sizeof *found, view_compare_texts, (void *)(uintptr_t)profiles);
    *count = n;
    return found;
}

/* -------------------------------------------------------------------------------------- populations -- */

static struct view_side *view_find_side(struct view *view, uint32_t profiler)
{
    for (size_t s = 0; s < view->count; s++)
        if (view->side[s].profiler == profiler)
            return &view->side[s];
    return NULL;
}

static struct view_side *view_entry_side(struct view *view, const struct profiles_entry *entry)
{
    return view_find_side(view, profiles_run_at(view->profiles, entry->run)->profiler);
}

static bool view_counts_role(const struct view *view, uint32_t role)
{
    return view->roles & 1u << role;
}

/* Finds what counts: a role if each profiler has seen it, or has threads of unknown role; a name unless it is in
 * brackets and some profiler does not have it. False without memory. */
static bool view_find_population(struct view *view)
{
    const unsigned unknown = 1u << SAMPLE_ROLE_UNKNOWN, all = (1u << SAMPLE_ROLES) - 1;
    const struct profiles *profiles = view->profiles;
    view->roles = all;
    for (size_t i = 0; i < profiles_entry_count(profiles); i++) {
        struct view_side *side = view_entry_side(view, profiles_entry_at(profiles, i));
        if (side)
            side->roles |= 1u << profiles_entry_at(profiles, i)->role;
    }
    for (size_t s = 0; s < view->count; s++)
        view->roles &= view->side[s].roles & unknown ? all : view->side[s].roles | unknown;
    view->disjoint = !(view->roles & ~unknown);
    for (size_t s = 0; s < view->count; s++)
        view->disjoint |= view->side[s].roles == 0;
    if (view->disjoint)
        return true;
    view->unseen = calloc(view->methods + 1, sizeof *view->unseen);
    for (size_t s = 0; view->unseen && s < view->count; s++)
        if (!(view->side[s].weight = calloc(view->methods + 1, sizeof *view->side[s].weight)))
            return false;
    for (size_t i = 0; view->unseen && i < profiles_entry_count(profiles); i++) {
        const struct profiles_entry *entry = profiles_entry_at(profiles, i);
        struct view_side *side = view_entry_side(view, entry);
        if (side && view_counts_role(view, entry->role))
            side->weight[entry->method] += entry->weight;
    }
    for (uint32_t m = 0; view->unseen && !profiles->shares && m < view->methods; m++)
        for (size_t s = 0; s < view->count; s++)
            view->unseen[m] |= view->side[s].weight[m] <= 0 && unseen_is_no_method(view_text(view, m));
    return view->unseen;
}

static bool view_leaves_out(const struct view *view, uint32_t method)
{
    return view->unseen[method] && !view->keeps;
}

/* -------------------------------------------------------------------------------------- shares -- */

struct totals {
    double seen, roles, all; /* weight of a run in what counts, in the roles that count, and in total */
    size_t run_index;        /* index of the run in its side; SIZE_MAX: in none */
};

static struct totals *view_sum_runs(struct view *view)
{
    const struct profiles *profiles = view->profiles;
    struct totals *totals = calloc(profiles_run_count(profiles) + 1, sizeof *totals);
    for (size_t i = 0; totals && i < profiles_entry_count(profiles); i++) {
        const struct profiles_entry *entry = profiles_entry_at(profiles, i);
        totals[entry->run].all += entry->weight;
        totals[entry->run].roles += view_counts_role(view, entry->role) ? entry->weight : 0;
        totals[entry->run].seen +=
            view_counts_role(view, entry->role) && !view_leaves_out(view, entry->method) ? entry->weight : 0;
    }
    for (size_t r = 0; totals && r < profiles_run_count(profiles); r++) {
        struct view_side *side = view_find_side(view, profiles_run_at(profiles, r)->profiler);
        totals[r].run_index = side && totals[r].seen > 0 ? side->runs++ : SIZE_MAX;
        if (side && totals[r].seen <= 0)
            side->empty_runs++;
        if (side && totals[r].seen > 0) { /* sums so far */
            side->left_out += 1 - totals[r].roles / totals[r].all;
            side->unnamed += 1 - totals[r].seen / totals[r].roles;
        }
    }
    return totals;
}

static bool view_allocate(struct view *view)
{
    for (size_t s = 0; s < view->count; s++) {
        struct view_side *side = &view->side[s];
        side->shares = calloc((side->runs + 1) * (view->methods + 1), sizeof *side->shares);
        side->mean = calloc(view->methods + 1, sizeof *side->mean);
        if (!side->shares || !side->mean)
            return false;
        side->left_out /= side->runs > 0 ? (double)side->runs : 1;
        side->unnamed /= side->runs > 0 ? (double)side->runs : 1;
    }
    return true;
}

static void view_fill_shares(struct view *view, const struct totals *totals)
{
    const struct profiles *profiles = view->profiles;
    size_t width = view->methods + 1;
    for (size_t i = 0; i < profiles_entry_count(profiles); i++) {
        const struct profiles_entry *entry = profiles_entry_at(profiles, i);
        const struct totals *run = &totals[entry->run];
        if (run->run_index != SIZE_MAX && view_counts_role(view, entry->role) && !view_leaves_out(view, entry->method))
            view_entry_side(view, entry)->shares[run->run_index * width + entry->method] += entry->weight;
    }
    for (size_t r = 0; r < profiles_run_count(profiles); r++) {
        const struct profiles_run *run = profiles_run_at(profiles, r);
        if (totals[r].run_index == SIZE_MAX)
            continue;
        double *shares = &view_find_side(view, run->profiler)->shares[totals[r].run_index * width];
        double whole = profiles->shares ? 1 : totals[r].seen;
        for (size_t m = 0; m < view->methods; m++)
            shares[m] /= whole;
        shares[view->methods] = totals[r].seen < whole ? 1 - totals[r].seen : 0;
    }
    for (size_t s = 0; s < view->count; s++)
        for (size_t m = 0; m < width; m++) {
            long double sum = 0;
            for (size_t r = 0; r < view->side[s].runs; r++)
                sum += view->side[s].shares[r * width + m];
            view->side[s].mean[m] = view->side[s].runs ? (double)(sum / (long double)view->side[s].runs) : 0;
        }
}

int view_make(const struct profiles *profiles, const uint32_t *profilers, size_t count, bool keeps, struct view *view)
{
    *view = (struct view){.profiles = profiles, .methods = profiles->relations.texts.count, .keeps = keeps};
    view->side = calloc(count + 1, sizeof *view->side);
    if (!view->side)
        return ENOMEM;
    view->count = count;
    for (size_t s = 0; s < count; s++)
        view->side[s].profiler = profilers[s];
    if (!view_find_population(view))
        return ENOMEM;
    if (view->disjoint)
        return 0;
    struct totals *totals = view_sum_runs(view);
    int error = totals && view_allocate(view) ? 0 : ENOMEM;
    if (!error)
        view_fill_shares(view, totals);
    free(totals);
    return error;
}

void view_free(struct view *view)
{
    for (size_t s = 0; s < view->count; s++) {
        free(view->side[s].shares);
        free(view->side[s].mean);
        free(view->side[s].weight);
    }
    free(view->unseen);
    free(view->side);
}

size_t view_top(const struct view *view, const double *shares, size_t n, uint32_t *items)
{
    size_t count = 0;
    for (uint32_t m = 0; m < view->methods; m++) {
        size_t at = count;
        while (shares[m] > 0 && at > 0 &&
               (shares[m] > shares[items[at - 1]] ||
                (shares[m] == shares[items[at - 1]] && strcmp(view_text(view, m), view_text(view, items[at - 1])) < 0)))
            at--;
        if (shares[m] <= 0 || at == n)
            continue;
        count += count < n;
        memmove(items + at + 1, items + at, (count - at - 1) * sizeof *items);
        items[at] = m;
    }
    return count;
}

uint32_t view_hottest(const struct view *view, size_t side)
{
    const double *shares = view->side[side].mean;
    uint32_t hottest = UINT32_MAX;
    for (uint32_t m = 0; m < view->methods; m++)
        if (shares[m] > 0 && !view->unseen[m] &&
            (hottest == UINT32_MAX || shares[m] > shares[hottest] ||
             (shares[m] == shares[hottest] && strcmp(view_text(view, m), view_text(view, hottest)) < 0)))
            hottest = m;
    return hottest;
}
