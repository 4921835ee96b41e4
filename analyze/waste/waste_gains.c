/* What mending a site can gain: from its time, and that of code which may be needed for its accesses alone. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/waste/waste_ranking.h"
#include "stats/estimates/proportion.h"

/* No more time is believed to be needed for some accesses than this times their share of all accesses. Programs access
 * memory with every second to tenth instruction; a line with one access in a second is not what that second was for. */
static const double MOST_TIMES = 100;

static double waste_time_limit(const struct waste_ranking *ranking, const struct waste_site *site)
{
    return MOST_TIMES * (double)waste_site_accesses(site) / (double)ranking->accesses;
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
static int waste_assign_helpers(struct waste_ranking *ranking)
{
    size_t count = ranking->lines.count;
    struct waste_site **order = malloc((count + 1) * sizeof *order), *before = NULL, *after;
    size_t *next = malloc((count + 1) * sizeof *next); /* [site in order]: the first that leads, from there on */
    if (!order || !next) {
        free(order);
        free(next);
        return ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = keyed_at(&ranking->lines, i);
    qsort(order, count, sizeof(struct waste_site *), waste_compare_positions);
    next[count] = count;
    for (size_t i = count; i-- > 0;)
        next[i] = order[i]->leads ? i : next[i + 1];
    for (size_t i = 0; i < count; i++) {
        struct waste_site *line = order[i];
        if (line->leads) {
            before = line;
            continue;
        }
        after = next[i] < count && waste_is_near(line, order[next[i]]) ? order[next[i]] : NULL;
        struct waste_site *nearest = before && waste_is_near(line, before) ? before : NULL;
        if (after && (!nearest || after->position - line->position <= line->position - nearest->position))
            nearest = after;
        for (size_t run = 0; nearest && run < ranking->run_count; run++)
            nearest->helper_times[run] += line->times[run];
    }
    free(order);
    free(next);
    return 0;
}

/* Lines that only call a function with accesses are helpers of that function. */
static void waste_assign_calls(struct waste_ranking *ranking)
{
    for (size_t i = 0; i < ranking->calls.count; i++) {
        const struct waste_call *call = keyed_at(&ranking->calls, i);
        const struct waste_site *line = keyed_at(&ranking->lines, call->line);
        struct waste_site *function = keyed_at(&ranking->functions, call->function);
        bool helps = isnan(line->wasted) && line->function != call->function;
        for (size_t run = 0; helps && run < ranking->run_count; run++)
            function->helper_times[run] += line->times[run] + line->helper_times[run];
    }
    for (size_t i = 0; i < ranking->functions.count; i++) {
        struct waste_site *function = keyed_at(&ranking->functions, i);
        for (size_t run = 0; run < ranking->run_count; run++)
            function->helper_times[run] = fmin(function->helper_times[run], waste_time_limit(ranking, function));
    }
}

/* The mean over the runs of shares up to `most`, of time or of that multiplied by a wasted share. */
static struct waste_share waste_share_of(const struct waste_ranking *ranking, const double *shares, double most,
                                         const struct analysis_options *options)
{
    const struct waste_share none = {NAN, NAN, NAN};
    size_t runs = ranking->run_count;
    double *times = runs > 0 && most > 0 ? malloc(runs * sizeof *times) : NULL;
    if (!times)
        return runs > 0 && most == 0 ? (struct waste_share){0} : none;
    long double sum = 0;
    for (size_t run = 0; run < runs; run++) {
        times[run] = fmin(shares[run] / most, 1); /* sums of quotients */
        sum += times[run];
    }
    struct interval interval = {.low = NAN, .high = NAN};
    double mean = (double)(sum / (long double)runs);
    if (runs > 1)
        proportion_mean_interval(times, runs, options->use_z ? INTERVAL_Z : INTERVAL_T, options->confidence, &interval);
    else
        proportion_interval(mean, (double)ranking->samples, options->confidence, &interval.low, &interval.high);
    free(times);
    return (struct waste_share){most * mean, most * interval.low, most * interval.high};
}

static void waste_set_shares(const struct waste_ranking *ranking, struct waste_site *site, double wasted,
                             const struct analysis_options *options)
{
    site->time = waste_share_of(ranking, site->times, 1, options);
    site->gain = waste_share_of(ranking, site->gains, wasted, options);
    site->bound = waste_share_of(ranking, site->bounds, wasted, options);
}

int waste_rank_gains(struct waste_ranking *ranking, const struct analysis_options *options)
{
    size_t runs = ranking->run_count;
    ranking->accesses = 0;
    for (size_t i = 0; i < ranking->lines.count; i++) {
        struct waste_site *line = keyed_at(&ranking->lines, i),
                          *function = keyed_at(&ranking->functions, line->function);
        ranking->accesses += waste_site_accesses(line);
        line->wasted = waste_site_wasted(line);
        line->leads = !isnan(line->wasted);
        function->most_wasted = fmax(function->most_wasted, line->wasted); /* which ignores NaN */
    }
    for (size_t i = 0; i < ranking->calls.count; i++) {
        const struct waste_call *call = keyed_at(&ranking->calls, i);
        ((struct waste_site *)keyed_at(&ranking->lines, call->line))->leads = true;
    }
    int error = waste_assign_helpers(ranking);
    if (error)
        return error;
    waste_assign_calls(ranking);

    for (size_t i = 0; i < ranking->lines.count; i++) {
        struct waste_site *line = keyed_at(&ranking->lines, i),
                          *function = keyed_at(&ranking->functions, line->function);
        double limit = waste_time_limit(ranking, line);
        for (size_t run = 0; !isnan(line->wasted) && run < runs; run++) {
            double own = fmin(line->times[run], limit), near = own + fmin(line->helper_times[run], limit);
            line->gains[run] = line->wasted * own;
            line->bounds[run] = line->wasted * fmin(near + function->helper_times[run], 1);
            function->gains[run] += line->gains[run];
            function->bounds[run] += line->wasted * near;
        }
        waste_set_shares(ranking, line, line->wasted, options);
    }
    for (size_t i = 0; i < ranking->functions.count; i++) {
        struct waste_site *function = keyed_at(&ranking->functions, i);
        function->wasted = waste_site_wasted(function);
        for (size_t run = 0; run < runs; run++)
            function->bounds[run] += function->most_wasted * function->helper_times[run];
        waste_set_shares(ranking, function, 1, options);
    }
    return 0;
}
