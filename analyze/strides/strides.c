#include "analyze/strides/strides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/strides/observe.h"
#include "analyze/strides/replay.h"

/* A plan loses what does not pay, until everything pays; each round is a walk along the trace. */
enum { ROUNDS_MAX = 8 };

void *strides_init(const struct analysis_options *options)
{
    struct strides *strides = calloc(1, sizeof *strides);
    if (!strides)
        return NULL;
    strides->options = *(const struct strides_options *)options->own;
    loads_init(&strides->loads);
    return strides;
}

void strides_free(void *state)
{
    struct strides *strides = state;
    if (!strides)
        return;
    observer_free(strides->observer);
    relations_free(&strides->loads.relations);
    free(strides);
}

int strides_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct strides *strides = state;
    if (batch->thread != 0) /* damaged: they are in stream 0 */
        return 0;
    if (!strides->observer)
        strides->observer = observer_new(strides, trace);
    return strides->observer ? observer_feed(strides->observer, batch) : ENOMEM;
}

/* -------------------------------------------------------------------------------------------------- simulation -- */

static bool strides_is_same_plan(const struct plan *a, const struct plan *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->elements[i].target == b->elements[i].target && a->elements[i].trigger == b->elements[i].trigger &&
               a->elements[i].kind == b->elements[i].kind;
    return same;
}

/* One round: *plan becomes the one for the next. */
static int strides_try_plan(struct strides *strides, const struct analysis_trace *trace, struct plan *plan, bool last,
                            bool *finalized)
{
    struct replay_counts counts = {.prefetches = calloc(plan->count + 1, sizeof *counts.prefetches)};
    struct plan next = {0};
    int error = counts.prefetches ? replay_plan(strides, trace, plan, &counts) : ENOMEM;
    if (!error) {
        /* What was left out keeps what an earlier round found. */
        for (uint32_t i = 0; i < plan->count; i++)
            loads_row_at(&strides->loads, plan->elements[i].target)->prefetches = counts.prefetches[i];
        error = plan_make(strides, true, &next);
    }
    *finalized = !error && (last || strides_is_same_plan(&next, plan));
    if (*finalized) {
        const struct loads_totals more = {.after = counts.counts, .added = counts.added, .unknown = counts.unknown};
        error = loads_add_totals(&strides->loads, &more);
        for (uint32_t i = 0; i < plan->count && !error; i++)
            error = loads_add_totals(&strides->loads, &(struct loads_totals){.prefetches = counts.prefetches[i]});
    }
    free(counts.prefetches);
    plan_free(plan);
    *plan = next;
    return error;
}

static int strides_simulate_plan(struct strides *strides, const struct analysis_trace *trace)
{
    struct plan plan;
    int error = plan_make(strides, false, &plan);
    bool finalized = plan.count == 0;
    for (unsigned round = 1; !error && !finalized && plan.count > 0; round++)
        error = strides_try_plan(strides, trace, &plan, round == ROUNDS_MAX, &finalized);
    struct loads_totals *totals = relations_at(&strides->loads.relations, LOADS_TOTALS, 0);
    if (!finalized || totals->prefetches.issued == 0)
        totals->after = totals->before;
    plan_free(&plan);
    return error;
}

int strides_finalize(void *state, const struct analysis_trace *trace)
{
    struct strides *strides = state;
    if (!strides->observer)
        return 0;
    int error = observer_finalize(strides->observer);
    observer_free(strides->observer);
    strides->observer = NULL;
    return error ? error : strides_simulate_plan(strides, trace);
}

/* ------------------------------------------------------------------------------------- merging, partial states -- */

/* Those that choose what is gathered. */
static json_t *strides_save_options(const struct strides_options *options)
{
    return json_pack("[f,b,I,I,I,b,b]", options->majority, options->moves, (json_int_t)options->iterations,
                     (json_int_t)options->small, (json_int_t)options->distance, options->always,
                     options->algorithm == STRIDES_INTER_INTRA);
}

static bool strides_load_options(struct strides_options *options, const json_t *saved)
{
    double majority;
    json_int_t iterations, small, distance;
    int moves, always, intra;
    if (!cache_machine_load(&options->machine, json_object_get(saved, "machine")) ||
        json_unpack(json_object_get(saved, "options"), "[f,b,I,I,I,b,b!]", &majority, &moves, &iterations, &small,
                    &distance, &always, &intra) != 0 ||
        iterations < 0 || small < 0 || distance < 0 || !(majority >= 0 && majority <= 1))
        return false;
    options->majority = majority;
    options->moves = moves;
    options->iterations = (uint64_t)iterations;
    options->small = (uint64_t)small;
    options->distance = (uint64_t)distance;
    options->always = always;
    options->algorithm = intra ? STRIDES_INTER_INTRA : STRIDES_INTER;
    return true;
}

static bool strides_is_same_options(const struct strides_options *a, const struct strides_options *b)
{
    return a->majority == b->majority && a->moves == b->moves && a->iterations == b->iterations &&
           a->small == b->small && a->distance == b->distance && a->always == b->always &&
           a->algorithm == b->algorithm && cache_machine_same(&a->machine, &b->machine);
}

/* Unless the user has chosen, the first results decide. Whether those of these options may be added. */
static bool strides_adopt_options(struct strides *strides, const struct strides_options *options)
{
    if (strides_is_same_options(&strides->options, options))
        return true;
    if (strides->options.chosen || loads_totals_of(&strides->loads)->traces > 0)
        return false;
    strides->options = *options;
    return true;
}

int strides_merge(void *state, void *other)
{
    struct strides *strides = state, *more = other;
    if (loads_totals_of(&more->loads)->traces > 0 && !strides_adopt_options(strides, &more->options))
        return ENOTSUP;
    return relations_merge(&strides->loads.relations, &more->loads.relations);
}

json_t *strides_save(void *state)
{
    const struct strides *strides = state;
    json_t *saved = relations_save(&strides->loads.relations);
    if (json_object_set_new(saved, "machine", cache_machine_save(&strides->options.machine)) == 0 &&
        json_object_set_new(saved, "options", strides_save_options(&strides->options)) == 0)
        return saved;
    json_decref(saved);
    return NULL;
}

int strides_load(void *state, const json_t *saved)
{
    struct strides *strides = state;
    struct strides_options options = strides->options;
    if (!strides_load_options(&options, saved))
        return EINVAL;
    return strides_adopt_options(strides, &options) ? relations_load(&strides->loads.relations, saved) : ENOTSUP;
}
