#include "analyze/audit/profiler/profilers.h"
#include "base/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool profilers_are_strange(const struct profilers *all, size_t p, size_t q)
{
    for (size_t i = 0; i < all->strange_count; i++)
        if ((all->strange[i][0] == p && all->strange[i][1] == q) ||
            (all->strange[i][0] == q && all->strange[i][1] == p))
            return true;
    return false;
}

/* The last row of agree.tsv on both, NULL if there is none. */
static const struct profilers_pair *profilers_find_pair(const struct profilers *all, size_t p, size_t q)
{
    for (size_t i = all->pair_count; i-- > 0;) {
        const struct profilers_pair *pair = &all->pairs[i];
        if ((pair->a == p && pair->b == q) || (pair->a == q && pair->b == p))
            return pair;
    }
    return NULL;
}

bool profilers_know_distance(const struct profilers *all, size_t p, size_t q)
{
    const struct profilers_pair *pair = profilers_find_pair(all, p, q);
    return pair && *pair->lo && !profilers_are_strange(all, p, q) && !all->each[p].doubted && !all->each[q].doubted;
}

/* UNSHOWN: the interval has the tolerance inside, and shows neither agreement nor a difference. */
enum profilers_relation {
    PROFILERS_UNRELATED,
    PROFILERS_AGREE,
    PROFILERS_UNSHOWN,
    PROFILERS_DIFFER,
    PROFILERS_STRANGE
};

static enum profilers_relation profilers_relate(const struct profilers *all, size_t p, size_t q)
{
    if (!profilers_know_distance(all, p, q))
        return profilers_are_strange(all, p, q) ? PROFILERS_STRANGE : PROFILERS_UNRELATED;
    const struct profilers_pair *pair = profilers_find_pair(all, p, q);
    double tolerance = profilers_number(all->request->tolerance);
    if (profilers_number(pair->lo) > tolerance)
        return PROFILERS_DIFFER;
    return profilers_number(pair->hi) <= tolerance ? PROFILERS_AGREE : PROFILERS_UNSHOWN;
}

int profilers_sample_at_random(const struct profiler *one)
{
    return one->random + one->not_random == 0 ? -1 : one->random > one->not_random;
}

/* Whether p differs from two others that are not shown to differ and of which one samples at random. */
static bool profilers_is_outlier(const struct profilers *all, size_t p)
{
    for (size_t i = 0; i < all->names.count; i++)
        for (size_t j = i + 1; j < all->names.count; j++)
            if ((profilers_relate(all, i, j) == PROFILERS_AGREE || profilers_relate(all, i, j) == PROFILERS_UNSHOWN) &&
                profilers_relate(all, p, i) == PROFILERS_DIFFER && profilers_relate(all, p, j) == PROFILERS_DIFFER &&
                (profilers_sample_at_random(&all->each[i]) == 1 || profilers_sample_at_random(&all->each[j]) == 1))
                return true;
    return false;
}

const char *profilers_verdict(const struct profilers *all, size_t p)
{
    const struct profiler *one = &all->each[p];
    if (one->failure)
        return "failed";
    if (one->doubted)
        return "undecided";
    if (one->not_actionable)
        return "do not believe";
    if (one->actionable > one->undecided)
        return "believe";
    return !one->slopes && profilers_is_outlier(all, p) ? "in doubt" : "undecided";
}

double profilers_alone_s(const struct profilers *all)
{
    size_t none = profilers_find(all, "none");
    return none < all->count && all->each[none].runs ? all->each[none].wall_s / (double)all->each[none].runs : NAN;
}

double profilers_mean_slope(const struct profiler *one)
{
    return one->slope_sum / (double)one->with_slope;
}

void profilers_write_interval(FILE *out, const char *lo, const char *hi)
{
    if (*lo)
        fprintf(out, " [%.2f, %.2f]", profilers_number(lo), profilers_number(hi));
}

void profilers_write_cost_interval(FILE *out, const struct profiler *one)
{
    if (*one->cost_lo && *one->cost_hi)
        fprintf(out, " %% [%+.1f, %+.1f]", 100 * profilers_number(one->cost_lo), 100 * profilers_number(one->cost_hi));
    else
        fputs(one->runs == 1 ? " % (one run gives no interval)" : " % (no interval)", out);
}

const char *profilers_class_text(const char *class)
{
    return strcmp(class, "agree") == 0 ? "same method" : strcmp(class, "disagree") == 0 ? "other methods" : class;
}

/* One slope with its interval, or the mean of several with their verdicts. */
static void profilers_write_slopes(FILE *out, const struct profilers *all, const struct profiler *one)
{
    const struct profilers_slope *last = &all->slopes[one->last_slope];
    if (!one->with_slope) {
        fprintf(out, "; no slope of injected time (%zu points invalid)", one->invalid_points);
    } else if (one->slopes == 1) {
        fprintf(out, "; slope of injected time %.2f", profilers_number(last->slope));
        profilers_write_interval(out, last->lo, last->hi);
        fprintf(out, ", %s", last->verdict);
    } else {
        fprintf(out,
                "; slopes of injected time in %zu methods: mean %.2f; %zu actionable, %zu not actionable, %zu "
                "undecided, %zu invalid",
                one->slopes, profilers_mean_slope(one), one->actionable, one->not_actionable, one->undecided,
                one->invalid);
    }
}

/* The profilers that have this relation to p, with words before and after them; nothing if there are none. */
static void profilers_write_related(FILE *out, const struct profilers *all, size_t p, enum profilers_relation relation,
                                    const char *before, const char *after)
{
    size_t count = 0;
    for (size_t i = 0; i < all->names.count; i++)
        if (profilers_relate(all, p, i) == relation)
            fprintf(out, "%s%s", count++ ? ", " : before, all->each[i].name);
    if (count)
        fputs(after, out);
}

char *profilers_evidence(const struct profilers *all, size_t p)
{
    const struct profiler *one = &all->each[p];
    if (one->failure)
        return strdup(one->failure);
    if (one->doubted)
        return strdup("its recordings must not be believed: see the notes");
    char *text = NULL;
    size_t size;
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        return NULL;
    int random = profilers_sample_at_random(one);
    if (random == 0)
        fprintf(out, "does not sample at random (%s)", one->reason);
    else
        fputs(random == 1 ? "samples at random" : "whether it samples at random is not known", out);
    profilers_write_related(out, all, p, PROFILERS_AGREE, "; agrees with ", "");
    profilers_write_related(out, all, p, PROFILERS_UNSHOWN, "; no difference shown from ", "");
    profilers_write_related(out, all, p, PROFILERS_DIFFER, "; differs from ", "");
    profilers_write_related(out, all, p, PROFILERS_STRANGE, "; can't be compared with ",
                            ", as they have no method in common");
    if (one->slopes)
        profilers_write_slopes(out, all, one);
    double alone_s = profilers_alone_s(all);
    if (*one->cost) {
        fprintf(out, "; costs %+.1f", 100 * profilers_number(one->cost));
        profilers_write_cost_interval(out, one);
        if (!isnan(alone_s))
            fprintf(out, " of %.2f s", alone_s);
    }
    if (!one->slopes)
        fputs("; injected slowdowns (--hot) would decide", out);
    text_stream_close(out, &text);
    return text;
}
