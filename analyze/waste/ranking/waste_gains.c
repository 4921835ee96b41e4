/* What mending a site can gain: from its time, and that of code which may be needed for its accesses alone. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/ranking/waste_ranking.h"
#include "stats/estimates/proportion.h"

/* No more time is believed to be needed for some accesses than this times their share of all accesses. Programs access
 * memory with every second to tenth instruction; a line with one access in a second is not what that second was for. */
static const double MOST_TIMES = 100;

/* A share of the samples of a run. */
static double waste_time_limit(const struct waste_ranking *ranking, const struct waste_site *site)
{
    return MOST_TIMES * (double)site->accesses / (double)ranking->accesses;
}

static int waste_compare_positions(const void *a, const void *b)
{
    const struct waste_site *x = *(struct waste_site *const *)a, *y = *(struct waste_site *const *)b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->reach != y->reach)
        return x->reach < y->reach ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static bool waste_is_near(const struct waste_site *line, const struct waste_site *other)
{
    uint64_t distance =
        line->position > other->position ? line->position - other->position : other->position - line->position;
    return line->function == other->function && line->reach == other->reach && distance <= line->reach;
}

/* Lines that access nothing and call no function that does are helpers of the nearest one in their function that does,
 * of two equally near ones of the later: the head of a loop comes before what it repeats. */
static void waste_assign_helpers(const struct waste_ranking *ranking, struct waste_site *const *order, size_t *next)
{
    size_t count = ranking->lines.count;
    struct waste_site *before = NULL;
    next[count] = count; /* the first that leads, from there on */
    for (size_t i = count; i-- > 0;)
        next[i] = order[i]->leads ? i : next[i + 1];
    for (size_t i = 0; i < count; i++) {
        struct waste_site *line = order[i];
        if (line->leads) {
            before = line;
            continue;
        }
        struct waste_site *after = next[i] < count && waste_is_near(line, order[next[i]]) ? order[next[i]] : NULL,
                          *nearest = before && waste_is_near(line, before) ? before : NULL;
        if (after && (!nearest || after->position - line->position <= line->position - nearest->position))
            nearest = after;
        for (size_t run = 0; nearest && run < ranking->run_count; run++)
            nearest->helper_samples[run] += line->samples[run];
    }
}

/* Lines that call a function with accesses are helpers of that function: that is all they do, or they also wait there
 * for its result. The helpers of those that access something themselves are not. */
static void waste_assign_calls(struct waste_ranking *ranking)
{
    for (size_t i = 0; i < ranking->calls.count; i++) {
        const struct waste_call *call = keyed_at(&ranking->calls, i);
        const struct waste_site *line = keyed_at(&ranking->lines, call->line);
        struct waste_site *function = keyed_at(&ranking->functions, call->function);
        bool helps = line->function != call->function;
        for (size_t run = 0; helps && run < ranking->run_count; run++)
            function->helper_samples[run] += line->samples[run] + (line->accesses > 0 ? 0 : line->helper_samples[run]);
    }
}

/* The mean over the runs of ranking->shares, which are at most `most`. */
static struct waste_share waste_mean_share(struct waste_ranking *ranking, double most,
                                           const struct analysis_options *options)
{
    size_t runs = ranking->run_count;
    long double sum = 0;
    struct interval interval = {.low = NAN, .high = NAN};
    if (runs == 0)
        return (struct waste_share){NAN, NAN, NAN};
    for (size_t run = 0; run < runs; run++) {
        ranking->shares[run] = most > 0 ? fmin(ranking->shares[run] / most, 1) : 0; /* sums of quotients */
        sum += ranking->shares[run];
    }
    double mean = (double)(sum / (long double)runs);
    if (runs > 1)
        proportion_mean_interval(ranking->shares, runs, options->use_z ? INTERVAL_Z : INTERVAL_T, options->confidence,
                                 &interval);
    else
        proportion_interval(mean, ranking->run_samples[0], options->confidence, &interval.low, &interval.high);
    return (struct waste_share){most * mean, most * interval.low, most * interval.high};
}

/* Its gains are at most `wasted`, and its bounds `needless`. */
static void waste_set_shares(struct waste_ranking *ranking, struct waste_site *site, double wasted, double needless,
                             const struct analysis_options *options)
{
    for (size_t run = 0; run < ranking->run_count; run++)
        ranking->shares[run] = site->samples[run] / ranking->run_samples[run];
    site->time = waste_mean_share(ranking, 1, options);
    memcpy(ranking->shares, site->gains, ranking->run_count * sizeof *ranking->shares);
    site->gain = waste_mean_share(ranking, wasted, options);
    memcpy(ranking->shares, site->bounds, ranking->run_count * sizeof *ranking->shares);
    site->bound = waste_mean_share(ranking, needless, options);
}

/* The gain and the bound of a line in each run, which become part of its function's. */
static void waste_add_line(const struct waste_ranking *ranking, struct waste_site *line)
{
    struct waste_site *function = keyed_at(&ranking->functions, line->function);
    double limit = waste_time_limit(ranking, line), function_limit = waste_time_limit(ranking, function);
    for (size_t run = 0; run < ranking->run_count; run++) {
        double all = ranking->run_samples[run], own = fmin(line->samples[run] / all, limit);
        double near = own + fmin(line->helper_samples[run] / all, limit);
        double calls = fmin(function->helper_samples[run] / all, function_limit);
        line->gains[run] = line->wasted * own;
        line->bounds[run] = line->needless * fmin(near + calls, 1);
        function->gains[run] += line->gains[run];
        function->bounds[run] += line->needless * near;
    }
}

static double waste_site_wasted(const struct waste_site *site)
{
    return site->accesses > 0 ? (double)site->wasted_accesses / (double)site->accesses : NAN;
}

/* u of a line with accesses. No count of a kind is so large that it loses anything as a double. */
static double waste_line_needless(const struct waste_site *line)
{
    double stores = fmax((double)line->events[WASTE_DEAD_STORE], (double)line->events[WASTE_SILENT_STORE]);
    double wasted_stores =
        fmax((double)line->wasted_events[WASTE_DEAD_STORE], (double)line->wasted_events[WASTE_SILENT_STORE]);
    double loads = (double)line->accesses - stores, wasted_loads = (double)line->wasted_accesses - wasted_stores;
    double larger = fmax(stores > 0 ? wasted_stores / stores : 0, loads > 0 ? fmin(wasted_loads / loads, 1) : 0);
    return fmin(larger, 2 * line->wasted);
}

int waste_rank_gains(struct waste_ranking *ranking, const struct analysis_options *options)
{
    struct waste_site **order = malloc((ranking->lines.count + 1) * sizeof *order);
    size_t *next = malloc((ranking->lines.count + 1) * sizeof *next);
    if (!order || !next) {
        free(order);
        free(next);
        return ENOMEM;
    }
    for (size_t i = 0; i < ranking->lines.count; i++) {
        struct waste_site *line = order[i] = keyed_at(&ranking->lines, i),
                          *function = keyed_at(&ranking->functions, line->function);
        line->wasted = waste_site_wasted(line);
        line->leads = line->accesses > 0;
        line->needless = line->accesses > 0 ? waste_line_needless(line) : 0;
        function->needless = fmax(function->needless, line->needless);
    }
    for (size_t i = 0; i < ranking->calls.count; i++) {
        const struct waste_call *call = keyed_at(&ranking->calls, i);
        ((struct waste_site *)keyed_at(&ranking->lines, call->line))->leads = true;
    }
    qsort(order, ranking->lines.count, sizeof(struct waste_site *), waste_compare_positions);
    waste_assign_helpers(ranking, order, next);
    waste_assign_calls(ranking);

    for (size_t i = 0; i < ranking->lines.count; i++) { /* in an order that does not depend on that of the inputs */
        if (order[i]->accesses > 0)
            waste_add_line(ranking, order[i]);
        waste_set_shares(ranking, order[i], isnan(order[i]->wasted) ? 0 : order[i]->wasted, order[i]->needless,
                         options);
    }
    for (size_t i = 0; i < ranking->functions.count; i++) {
        struct waste_site *function = keyed_at(&ranking->functions, i);
        double limit = waste_time_limit(ranking, function);
        function->wasted = waste_site_wasted(function);
        for (size_t run = 0; run < ranking->run_count; run++)
            function->bounds[run] +=
                function->needless * fmin(function->helper_samples[run] / ranking->run_samples[run], limit);
        waste_set_shares(ranking, function, 1, 1, options);
    }
    free(order);
    free(next);
    return 0;
}
