/*
 * A part of a stream joins what came before it: the exits of calls that the part has not seen begin are handed to the
 * stack that the parts before have left (calls.h).
 */
#include "analyze/phases/sums/calls_state.h"

#include <errno.h>
#include <string.h>

/* The calls that ended above the open ones of a level, on the current stack. */
static void calls_merge_nested(struct phases *phases, const struct phases_stitch *other, const uint32_t *entries,
                               uint32_t level, size_t *next)
{
    for (; *next < other->nested.count && calls_nested_at(other, *next)->level == level; ++*next) {
        const struct nested *nested = calls_nested_at(other, *next);
        struct phases_entry *entry = phases_entry_at(phases, entries[nested->entry]);
        if (entry->open == 0)
            phases_sums_add(&entry->inclusive, &nested->sums);
    }
}

/* Calls of the innermost call that the part has seen. */
static void calls_merge_inner(struct phases *phases, const struct inner *inner)
{
    struct inner *caller = calls_inner_of_top(phases->stitch);
    for (size_t m = 0; m < METRICS_MAX; m++)
        calls_spend(phases, caller, m, inner->metrics[m]);
    if (caller)
        caller->calls += inner->calls;
}

static void calls_set_point(struct phases_stitch *stitch, const struct point *point, uint64_t calls_before)
{
    for (size_t m = 0; m < METRICS_MAX; m++)
        if (point->metrics[m] > stitch->last.metrics[m])
            stitch->last.metrics[m] = point->metrics[m];
    stitch->last.calls = calls_before + point->calls;
}

/* Applies the beginning of a part to the stack before it. */
static int calls_merge_head(struct phases *phases, const struct phases_stitch *other,
                            const struct relations_numbers *numbers, uint64_t calls_before)
{
    struct phases_stitch *stitch = phases->stitch;
    size_t next = 0;
    int error = 0;
    for (size_t level = 0; !error && level < other->leaves.count; level++) {
        const struct leave *leave = calls_leave_at(other, level);
        calls_merge_nested(phases, other, numbers->rows[PHASES_ENTRIES], (uint32_t)level, &next);
        calls_merge_inner(phases, &leave->inner);
        calls_set_point(stitch, &leave->exit, calls_before);
        error = calls_leave(phases, numbers->rows[PHASES_ENTRIES][leave->entry], leave->what);
    }
    calls_merge_nested(phases, other, numbers->rows[PHASES_ENTRIES], (uint32_t)other->leaves.count, &next);
    calls_merge_inner(phases, &other->level);
    calls_set_point(stitch, other->at_head ? &other->last : &other->head_last, calls_before);
    return error;
}

/* The calls that are open at the end of a part. They did not begin before the part, whatever a damaged trace says. */
static int calls_merge_open(struct phases *phases, const struct phases_stitch *other,
                            const struct relations_numbers *numbers, const struct point *before)
{
    struct phases_stitch *stitch = phases->stitch;
    int error = 0;
    for (size_t i = 0; !error && i < other->frames.count; i++) {
        const struct frame *from = (const struct frame *)other->frames.items + i;
        uint32_t entry = numbers->rows[PHASES_ENTRIES][from->entry];
        struct frame *frame = calls_push(phases, entry);
        if (!frame) {
            error = stitch->excess ? 0 : ENOMEM;
            continue;
        }
        *frame = *from;
        frame->entry = entry;
        frame->enter.calls += before->calls;
        for (size_t m = 0; m < stitch->metrics.count; m++)
            if (frame->enter.metrics[m] < before->metrics[m])
                frame->enter.metrics[m] = before->metrics[m];
    }
    stitch->excess += other->excess;
    return error;
}

/* Goes on with the calls of a part whose sums have been added. */
static int calls_merge_stitch(struct phases *phases, const struct phases_stitch *next,
                              const struct relations_numbers *numbers)
{
    struct phases_stitch *stitch = phases->stitch;
    struct point before = {0};
    int error = 0;
    if (stitch && stitch->path == numbers->texts[next->head_path] && stitch->stream == next->head_stream &&
        stitch->run == numbers->rows[PHASES_RUNS][next->run]) {
        const struct point from = stitch->last;
        const uint64_t *columns[METRICS_MAX];
        for (size_t m = 0; m < METRICS_MAX; m++)
            columns[m] = &next->head_first.metrics[m];
        calls_go_on(phases, columns, 0);
        calls_add_span(phases, &from);
        before = stitch->last;
    } else { /* the current stream becomes the part's first one; nothing is known about it before that */
        error = stitch ? calls_end_stream(phases) : 0;
        if (!stitch && !(stitch = phases->stitch = calloc(1, sizeof *stitch)))
            return ENOMEM;
        stitch->path = numbers->texts[next->head_path];
        stitch->stream = next->head_stream;
        stitch->run = numbers->rows[PHASES_RUNS][next->run];
        stitch->role = numbers->rows[PHASES_ROLES][next->head_role];
        stitch->metrics = next->metrics;
        memcpy(stitch->probes, next->probes, sizeof stitch->probes);
        stitch->last = next->head_first;
        phases_role_at(phases, stitch->role)->streams++;
    }
    if (!error)
        error = calls_merge_head(phases, next, numbers, before.calls);
    if (!error && !next->at_head) { /* its last stream is not its first one */
        error = calls_end_stream(phases);
        stitch->stream = next->stream;
        stitch->role = numbers->rows[PHASES_ROLES][next->role];
        stitch->last = next->last;
        before = (struct point){0};
    }
    return error ? error : calls_merge_open(phases, next, numbers, &before);
}

int calls_merge(void *state, void *part)
{
    struct phases *phases = state, *other = part;
    /* The entries of a part are not open, since its frames will be pushed again. */
    for (size_t i = 0; i < phases_entry_count(other); i++)
        phases_entry_at(other, i)->open = phases_entry_at(other, i)->nested = 0;
    int error = phases_flush(other);
    if (!error)
        error = phases_flush(phases);
    if (error)
        return error;
    if (!other->stitch)
        return relations_merge(&phases->relations, &other->relations);
    struct relations_numbers numbers;
    error = relations_merge_numbered(&phases->relations, &other->relations, &numbers);
    if (!error)
        error = calls_merge_stitch(phases, other->stitch, &numbers);
    relations_numbers_free(&numbers);
    return error;
}
