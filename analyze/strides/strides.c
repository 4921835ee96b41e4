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

/* Simulates a plan, and leaves out what does not pay, in rounds. */
static int strides_simulate_plan(struct strides *strides, const struct analysis_trace *trace)
{
    struct plan plan;
    int error = plan_make(strides, false, &plan);
    bool finalized = plan.count == 0;
    for (unsigned round = 1; !error && !finalized && plan.count > 0; round++) {
        struct replay_counts counts = {.prefetches = calloc(plan.count + 1, sizeof *counts.prefetches)};
        struct plan next = {0};
        error = counts.prefetches ? replay_plan(strides, trace, &plan, &counts) : ENOMEM;
        if (!error) {
            /* What was left out keeps what an earlier round found. */
            for (uint32_t i = 0; i < plan.count; i++)
                loads_row_at(&strides->loads, plan.elements[i].target)->prefetches = counts.prefetches[i];
            error = plan_make(strides, true, &next);
        }
        bool same = next.count == plan.count;
        for (uint32_t i = 0; !error && same && i < plan.count; i++)
            same = next.elements[i].target == plan.elements[i].target &&
                   next.elements[i].trigger == plan.elements[i].trigger &&
                   next.elements[i].kind == plan.elements[i].kind;
        finalized = !error && (same || round == ROUNDS_MAX);
        if (finalized) {
            const struct loads_totals more = {.after = counts.counts, .added = counts.added, .unknown = counts.unknown};
            error = loads_add_totals(&strides->loads, &more);
            for (uint32_t i = 0; i < plan.count && !error; i++)
                error = loads_add_totals(&strides->loads, &(struct loads_totals){.prefetches = counts.prefetches[i]});
        }
        free(counts.prefetches);
        plan_free(&plan);
        plan = next;
    }
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

/* Unless the user has chosen, the first results decide. Whether those of these options may be added. */
static bool strides_adopt_options(struct strides *strides, const struct strides_options *options)
{
    const struct strides_options *own = &strides->options;
    if (own->majority == options->majority && own->moves == options->moves && own->iterations == options->iterations &&
        own->small == options->small && own->distance == options->distance && own->always == options->always &&
        own->algorithm == options->algorithm && cache_machine_same(&own->machine, &options->machine))
        return true;
    if (own->chosen || loads_totals_of(&strides->loads)->traces > 0)
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
    const struct strides_options *options = &strides->options;
    json_t *saved = relations_save(&strides->loads.relations),
           *chosen = json_pack("[f,b,I,I,I,b,b]", options->majority, options->moves, (json_int_t)options->iterations,
                               (json_int_t)options->small, (json_int_t)options->distance, options->always,
                               options->algorithm == STRIDES_INTER_INTRA);
    bool whole = json_object_set_new(saved, "machine", cache_machine_save(&options->machine)) == 0;
    whole &= json_object_set_new(saved, "options", chosen) == 0;
    if (whole)
        return saved;
    json_decref(saved);
    return NULL;
}

int strides_load(void *state, const json_t *saved)
{
    struct strides *strides = state;
    struct strides_options options = strides->options;
    json_int_t iterations, small, distance;
    int moves, always, intra;
    if (!cache_machine_load(&options.machine, json_object_get(saved, "machine")) ||
        json_unpack(json_object_get(saved, "options"), "[f,b,I,I,I,b,b!]", &options.majority, &moves, &iterations,
                    &small, &distance, &always, &intra) != 0 ||
        iterations < 0 || small < 0 || distance < 0 || !(options.majority >= 0 && options.majority <= 1))
        return EINVAL;
    options.moves = moves;
    options.iterations = (uint64_t)iterations;
    options.small = (uint64_t)small;
    options.distance = (uint64_t)distance;
    options.always = always;
    options.algorithm = intra ? STRIDES_INTER_INTRA : STRIDES_INTER;
    return strides_adopt_options(strides, &options) ? relations_load(&strides->loads.relations, saved) : ENOTSUP;
}
