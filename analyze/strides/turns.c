#include "analyze/strides/turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

int turns_init(struct turns *turns, const struct trace_names *names)
{
    *turns = (struct turns){.names = names, .loops = calloc(names->loop_count, sizeof *turns->loops)};
    return turns->loops ? 0 : ENOMEM;
}

void turns_free(struct turns *turns)
{
    free(turns->loops);
    free(turns->steps);
}

int turns_add(struct turns *turns, const struct trace_batch *batch)
{
    /* Chunks of iterations precede those of the accesses that follow them, so what waits is at most two chunks. */
    turns->count -= turns->next;
    if (turns->count > 0)
        memmove(turns->steps, turns->steps + turns->next, turns->count * sizeof *turns->steps);
    turns->next = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct turns_step *steps = grow_unset(turns->steps, &turns->capacity, turns->count, sizeof *steps);
        if (!steps)
            return ENOMEM;
        uint64_t loop = batch->integers[ITERATION_LOOP][i];
        turns->steps = steps;
        steps[turns->count++] =
            (struct turns_step){batch->integers[ITERATION_ACCESSES][i], batch->integers[ITERATION_COUNT][i],
                                loop < turns->names->loop_count ? (uint32_t)loop : UINT32_MAX};
    }
    return 0;
}

void turns_advance(struct turns *turns, uint64_t access)
{
    for (; turns->next < turns->count && turns->steps[turns->next].accesses <= access; turns->next++) {
        const struct turns_step *step = &turns->steps[turns->next];
        if (step->loop == 0) {
            turns->burst++;
            turns->gaps++;
            turns->skipped += step->count;
            continue;
        }
        if (step->loop == UINT32_MAX)
            continue;
        struct turns_loop *loop = &turns->loops[step->loop];
        uint64_t around = turns->loops[turns->names->loops[step->loop].outer].serial;
        if (loop->entries == 0 || loop->burst != turns->burst || loop->outer != around) {
            loop->entry = loop->serial + 1;
            loop->entries++;
        } else {
            loop->spans += step->count;
            loop->accesses += step->accesses - loop->since;
        }
        loop->serial += step->count;
        loop->outer = around;
        loop->burst = turns->burst;
        loop->since = step->accesses;
    }
}
