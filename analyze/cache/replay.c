#include "analyze/cache/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

static int take_iterations(struct replay *replay, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->integers[ITERATION_LOOP][i] != 0)
            continue;
        struct replay_gap *gaps =
            grow_unset(replay->gaps, &replay->gap_capacity, replay->gap_count, sizeof *replay->gaps);
        if (!gaps)
            return ENOMEM;
        replay->gaps = gaps;
        gaps[replay->gap_count++] =
            (struct replay_gap){batch->integers[ITERATION_ACCESSES][i], batch->integers[ITERATION_COUNT][i]};
    }
    return 0;
}

/* The gaps that come before the next access. */
static void pass_gaps(struct replay *replay)
{
    while (replay->gap_next < replay->gap_count && replay->gaps[replay->gap_next].accesses <= replay->accesses)
        replay->events.gap(replay->events.user, replay->gaps[replay->gap_next++].instructions);
    if (replay->gap_next == replay->gap_count)
        replay->gap_next = replay->gap_count = 0;
}

static void pass_accesses(struct replay *replay, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct replay_access access = {.site = batch->integers[ACCESS_SITE][i],
                                             .address = batch->integers[ACCESS_ADDRESS][i],
                                             .instructions = batch->integers[ACCESS_INSTRUCTIONS][i]};
        if (replay->gap_count > 0)
            pass_gaps(replay);
        replay->events.access(replay->events.user, &access);
        replay->accesses++;
    }
}

int replay_feed(struct replay *replay, const struct trace_batch *batch)
{
    if (batch->kind == TRACE_ITERATION)
        return take_iterations(replay, batch);
    if (batch->kind == TRACE_ACCESS)
        pass_accesses(replay, batch);
    return 0;
}

void replay_end(struct replay *replay)
{
    replay->accesses = UINT64_MAX;
    pass_gaps(replay);
}

void replay_free(struct replay *replay)
{
    free(replay->gaps);
    *replay = (struct replay){0};
}
