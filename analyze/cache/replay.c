#include "analyze/cache/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

void replay_begin(struct replay *replay, const struct trace *trace, const struct replay_events *events)
{
    bool has_fetches = json_is_true(json_object_get(trace_metadata(trace), "fetches"));
    *replay = (struct replay){.events = *events, .trace = trace, .fetches = has_fetches && events->fetch};
}

void replay_free(struct replay *replay)
{
    free(replay->items);
    free(replay->instructions);
    free(replay->codes);
    *replay = (struct replay){0};
}

/* ------------------------------------------------------------------------------------------ executing -- */

/* Fetches the instructions of the run up to its instruction with this number. */
static void replay_fetch_up_to(struct replay *replay, uint64_t instructions)
{
    for (; replay->next < replay->end && replay->next->instructions <= instructions; replay->next++)
        replay->events.fetch(replay->events.user, &(struct replay_fetch){replay->next->address, replay->next->bytes,
                                                                         replay->before + replay->next->instructions});
}

/* What comes before the next access. */
static void replay_pass_items(struct replay *replay)
{
    while (replay->item_next < replay->item_count && replay->items[replay->item_next].accesses <= replay->accesses) {
        const struct replay_item *item = &replay->items[replay->item_next++];
        replay_fetch_up_to(replay, UINT64_MAX);
        if (item->code == 0)
            replay->events.gap(replay->events.user, item->count);
        else if (item->code >= replay->code_count)
            replay->unknown++;
        else { /* a run begins */
            size_t first = replay->codes[item->code - 1], count = replay->codes[item->code] - first;
            replay->unknown += count == 0;
            replay->next = replay->instructions + first;
            replay->end = replay->next + (item->count < count ? item->count : count);
            replay->before = item->instructions;
        }
    }
}

static void replay_pass_accesses(struct replay *replay, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct replay_access access = {.site = batch->integers[ACCESS_SITE][i],
                                             .address = batch->integers[ACCESS_ADDRESS][i],
                                             .instructions = batch->integers[ACCESS_INSTRUCTIONS][i]};
        if (replay->item_next < replay->item_count)
            replay_pass_items(replay);
        if (replay->next < replay->end)
            replay_fetch_up_to(replay, access.instructions - replay->before);
        replay->events.access(replay->events.user, &access);
        replay->accesses++;
    }
}

/* ------------------------------------------------------------------------------------------ taking -- */

/* Items of earlier chunks precede accesses that have come. */
static void replay_drop_items(struct replay *replay)
{
    uint64_t accesses = replay->accesses;
    replay->accesses = UINT64_MAX;
    replay_pass_items(replay);
    replay->accesses = accesses;
    replay->item_next = replay->item_count = 0;
}

/* Takes executions of runs, or gaps, which are loop 0. */
static int replay_add_items(struct replay *replay, const struct trace_batch *batch)
{
    bool fetches = batch->kind == TRACE_FETCH;
    replay_drop_items(replay);
    for (size_t i = 0; i < batch->count; i++) {
        if (!fetches && batch->integers[ITERATION_LOOP][i] != 0)
            continue;
        struct replay_item *items =
            grow_unset(replay->items, &replay->item_capacity, replay->item_count, sizeof *replay->items);
        if (!items)
            return ENOMEM;
        replay->items = items;
        items[replay->item_count++] = fetches
                                          ? (struct replay_item){.accesses = batch->integers[FETCH_ACCESSES][i],
                                                                 .code = batch->integers[FETCH_CODE][i],
                                                                 .instructions = batch->integers[FETCH_INSTRUCTIONS][i],
                                                                 .count = batch->integers[FETCH_COUNT][i]}
                                          : (struct replay_item){.accesses = batch->integers[ITERATION_ACCESSES][i],
                                                                 .count = batch->integers[ITERATION_COUNT][i]};
    }
    return 0;
}

/* The rows of a run follow each other; runs are in the order of their ids. Each run has an instruction, but those of
 * damaged chunks. What is not so is damaged, and left out. */
static int replay_add_code(struct replay *replay, const struct trace_batch *batch)
{
    enum { LOST_MAX = 1 << 20 };
    ptrdiff_t next = replay->next - replay->instructions, end = replay->end - replay->instructions;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = batch->integers[CODE_ID][i];
        if (id + 1 < replay->code_count || id == 0)
            continue;
        if (replay->code_count == 0)
            replay->code_count = 1;
        if (id > replay->instruction_count + LOST_MAX)
            continue;
        size_t *codes = grow(replay->codes, &replay->code_capacity, (size_t)id, sizeof *codes);
        if (!codes)
            return ENOMEM;
        replay->codes = codes;
        for (; replay->code_count <= id; replay->code_count++)
            codes[replay->code_count] = codes[replay->code_count - 1];
        struct replay_instruction *grown = grow_unset(replay->instructions, &replay->instruction_capacity,
                                                      replay->instruction_count, sizeof *replay->instructions);
        if (!grown)
            return ENOMEM;
        replay->instructions = grown;
        grown[replay->instruction_count++] =
            (struct replay_instruction){batch->integers[CODE_ADDRESS][i], (uint32_t)batch->integers[CODE_LENGTH][i],
                                        (uint32_t)batch->integers[CODE_INSTRUCTIONS][i]};
        codes[id] = replay->instruction_count;
    }
    if (replay->next) {
        replay->next = replay->instructions + next;
        replay->end = replay->instructions + end;
    }
    return 0;
}

int replay_feed(struct replay *replay, const struct trace_batch *batch)
{
    /* Accesses of a damaged chunk keep their numbers. */
    for (; replay->next_chunk < batch->chunk; replay->next_chunk++) {
        const struct trace_chunk *lost = trace_chunk_at(replay->trace, replay->next_chunk);
        if (lost->thread == 0 && lost->kind == TRACE_ACCESS)
            replay->accesses += lost->count;
    }
    replay->next_chunk = batch->chunk + 1;
    switch (batch->kind) {
    case TRACE_ITERATION:
        return replay->fetches ? 0 : replay_add_items(replay, batch);
    case TRACE_CODE:
        return replay->fetches ? replay_add_code(replay, batch) : 0;
    case TRACE_FETCH:
        return replay->fetches ? replay_add_items(replay, batch) : 0;
    case TRACE_ACCESS:
        replay_pass_accesses(replay, batch);
        return 0;
    default:
        return 0;
    }
}

void replay_end(struct replay *replay)
{
    replay_drop_items(replay);
    replay_fetch_up_to(replay, UINT64_MAX);
}
