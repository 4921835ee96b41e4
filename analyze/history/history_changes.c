#include "analyze/history/history_changes.h"

#include <math.h>
#include <stdlib.h>

#include "stats/distributions/critical.h"
#include "stats/inference/sequential.h"

enum { PER_RETURN = 100 }; /* commits to one return of an exact history */

void history_changes_free(struct history_changes *changes)
{
    free(changes->items);
    *changes = (struct history_changes){0};
}

/* Whether an earlier level than that of the commit before has the value of commit i. */
static bool history_returns(const struct history *history, size_t i)
{
    for (size_t j = 0; j + 1 < i; j++)
        if (history->commits[j].value == history->commits[i].value)
            return true;
    return false;
}

static bool history_is_exact(const struct history *history)
{
    size_t changes = 0, returns = 0, allowed = 1 + history->count / PER_RETURN;
    for (size_t i = 0; i < history->count; i++)
        if (history->commits[i].varies)
            return false;
    for (size_t i = 1; i < history->count; i++)
        changes += history->commits[i].value != history->commits[i - 1].value;
    if (history->count < 2 || 2 * changes > history->count - 1)
        return false;
    for (size_t i = 1; i < history->count && returns <= allowed; i++)
        if (history->commits[i].value != history->commits[i - 1].value)
            returns += history_returns(history, i);
    return returns <= allowed;
}

static enum stats_status history_find_exact(const struct history *history, struct history_changes *out)
{
    out->items = calloc(history->count + 1, sizeof *out->items);
    if (!out->items)
        return STATS_NO_MEMORY;
    for (size_t i = 1; i < history->count; i++)
        if (history->commits[i].value != history->commits[i - 1].value)
            out->items[out->count++] = (struct history_change){.at = i, .found = i, .first = i, .last = i, .p = NAN};
    return STATS_OK;
}

static enum stats_status history_find_noisy(const double *x, size_t n, double alpha, double confidence,
                                            struct history_changes *out)
{
    struct sequential found;
    enum stats_status status = sequential_find(x, n, alpha, confidence, &found);
    if (status)
        return status;
    out->items = calloc(found.count + 1, sizeof *out->items);
    for (size_t i = 0; out->items && i < found.count; i++) {
        const struct sequential_change *change = &found.changes[i];
        out->items[i] = (struct history_change){
            .at = change->at, .found = change->found, .first = change->first, .last = change->last, .p = change->p};
    }
    out->count = found.count;
    out->rho = found.rho;
    free(found.changes);
    return out->items ? STATS_OK : STATS_NO_MEMORY;
}

/* The ratio's interval: all R for which |after − R·before| ≤ t·s·√(1/n_after + R²/n_before). */
static void history_change_set_size(struct history_change *change, double before_sd, double after_sd, double inflation,
                                    double confidence)
{
    double n = (double)change->n_before, m = (double)change->n_after, dof = n + m - 2, t;
    change->size = change->low = change->high = NAN;
    if (!(change->before > 0))
        return;
    double ratio = change->after / change->before;
    change->size = ratio - 1;
    if (dof < 1 || critical_t(confidence, dof, &t) != STATS_OK)
        return;
    double variance = ((n - 1) * before_sd * before_sd + (m - 1) * after_sd * after_sd) / dof * inflation;
    /* In R: (b² − t²·v/n)·R² − 2·a·b·R + a² − t²·v/m ≤ 0, divided by b². */
    double v = t * t * variance / (change->before * change->before), square = 1 - v / n;
    double root = ratio * ratio - square * (ratio * ratio - v / m);
    if (square <= 0 || root < 0)
        return;
    change->low = (ratio - sqrt(root)) / square - 1;
    change->high = (ratio + sqrt(root)) / square - 1;
}

/* The levels on both sides of each change. */
static enum stats_status history_changes_measure(struct history_changes *changes, const double *x, size_t n,
                                                 double confidence)
{
    double inflation = (1 + changes->rho) / (1 - changes->rho);
    struct sequential_level first;
    enum stats_status status = sequential_level(x, changes->count ? changes->items[0].at : n, &first);
    changes->level = first.mean;
    for (size_t i = 0; i < changes->count && !status; i++) {
        struct history_change *change = &changes->items[i];
        size_t begin = i ? changes->items[i - 1].at : 0, end = i + 1 < changes->count ? changes->items[i + 1].at : n;
        struct sequential_level before, after;
        status = sequential_level(x + begin, change->at - begin, &before);
        if (!status)
            status = sequential_level(x + change->at, end - change->at, &after);
        if (status)
            break;
        change->before = before.mean;
        change->after = after.mean;
        change->n_before = change->at - begin;
        change->n_after = end - change->at;
        if (changes->exact) {
            change->before = x[change->at - 1];
            change->after = x[change->at];
            change->size = change->low = change->high = change->before > 0 ? change->after / change->before - 1 : NAN;
        } else
            history_change_set_size(change, before.sd, after.sd, inflation, confidence);
    }
    return status;
}

enum stats_status history_changes_find(const struct history *history, bool known_exact, double alpha, double confidence,
                                       struct history_changes *out)
{
    struct history_changes found = {.exact = known_exact || history_is_exact(history)};
    *out = found;
    if (history->count == 0)
        return STATS_OK;
    double *x = malloc(history->count * sizeof *x);
    for (size_t i = 0; x && i < history->count; i++)
        x[i] = history->commits[i].value;
    enum stats_status status = !x            ? STATS_NO_MEMORY
                               : found.exact ? history_find_exact(history, &found)
                                             : history_find_noisy(x, history->count, alpha, confidence, &found);
    if (!status)
        status = history_changes_measure(&found, x, history->count, confidence);
    free(x);
    if (status)
        history_changes_free(&found);
    else
        *out = found;
    return status;
}
