#include "analyze/waste/state/waste.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/waste/state/instruction.h"

enum trace_access waste_access(unsigned kind)
{
    return kind == WASTE_DEAD_STORE || kind == WASTE_SILENT_STORE ? ACCESS_STORE : ACCESS_LOAD;
}

bool waste_is_sampled(const struct waste *waste)
{
    for (size_t i = 0; i < waste_count(waste, WASTE_PAIR_ROWS); i++)
        if (((const struct waste_pair *)waste_row(waste, WASTE_PAIR_ROWS, i))->traps > 0)
            return true;
    return false;
}

bool waste_records(const struct waste *waste, unsigned kind)
{
    for (size_t i = 0; i < waste_count(waste, WASTE_SOURCE_ROWS); i++)
        if (((const struct waste_source *)waste_row(waste, WASTE_SOURCE_ROWS, i))->kinds >> kind & 1)
            return true;
    return false;
}

void waste_free(void *state)
{
    struct waste *waste = state;
    waste_stop_reading(waste);
    relations_free(&waste->relations);
    free(waste);
}

/* ------------------------------------------------------------------------------------------ feeding -- */

static int waste_note_unknown(struct waste *waste)
{
    waste_reading_recording(waste)->unknown++;
    return 0;
}

/* 0 or ENOMEM. */
static int waste_add_row(struct waste *waste, enum waste_relation relation, const void *row)
{
    return relations_add(&waste->relations, relation, row) == FIELD_NONE ? ENOMEM : 0;
}

/* The key of a pair without scope and object; its source has pairs of this kind. */
static int waste_set_pair(struct waste *waste, uint32_t thread, uint64_t kind, uint64_t first, uint64_t second,
                          struct waste_pair *pair)
{
    *pair = (struct waste_pair){.source = waste_reading_source(waste),
                                .thread = thread,
                                .waste = (uint32_t)kind,
                                .instructions = {FIELD_NONE, FIELD_NONE}};
    ((struct waste_source *)waste_row(waste, WASTE_SOURCE_ROWS, pair->source))->kinds |= UINT32_C(1) << kind;
    int error = waste_add_context(waste, first, &pair->first);
    return error ? error : waste_add_context(waste, second, &pair->second);
}

static int waste_feed_pair(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    const uint64_t *const *columns = batch->integers;
    uint64_t kind = columns[PAIR_WASTE][row], values = columns[PAIR_VALUES][row], bytes = columns[PAIR_BYTES][row];
    struct waste_pair key, *pair;
    if (kind >= WASTE_COUNT || values >= VALUES_COUNT)
        return waste_note_unknown(waste);
    int error = waste_set_pair(waste, thread, kind, columns[PAIR_FIRST][row], columns[PAIR_SECOND][row], &key);
    if (!error)
        error = waste_add_scope(waste, columns[PAIR_SCOPE][row], &key.scope);
    if (!error)
        error = waste_add_object(waste, columns[PAIR_OBJECT][row], &key.object);
    uint32_t known = error ? FIELD_NONE : relations_row(&waste->relations, WASTE_PAIR_ROWS, &key);
    if (known == FIELD_NONE)
        return ENOMEM;
    pair = waste_row(waste, WASTE_PAIR_ROWS, known);
    pair->events += columns[PAIR_EVENTS][row];
    pair->wasted_events += columns[PAIR_WASTED_EVENTS][row];
    pair->bytes += bytes;
    pair->approximate_bytes += values == VALUES_APPROXIMATE ? bytes : 0;
    pair->wasted[values] += columns[PAIR_WASTED_BYTES][row];
    return 0;
}

/* FIELD_NONE if the bytes are not a known instruction. */
static int waste_add_instruction(struct waste *waste, uint64_t low, uint64_t high, uint32_t *text)
{
    char name[INSTRUCTION_MAX];
    if (!instruction_text(low, high, name))
        return 0;
    *text = relations_text(&waste->relations, name);
    return *text == FIELD_NONE ? ENOMEM : 0;
}

static int waste_feed_trap(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    const uint64_t *const *columns = batch->integers;
    uint64_t kind = columns[TRAP_WASTE][row], values = columns[TRAP_VALUES][row], weight = columns[TRAP_WEIGHT][row],
             bytes = columns[TRAP_BYTES][row] * weight;
    uint64_t first_low = columns[TRAP_FIRST_LOW][row], first_high = columns[TRAP_FIRST_HIGH][row],
             second_low = columns[TRAP_SECOND_LOW][row], second_high = columns[TRAP_SECOND_HIGH][row];
    struct waste_pair pair;
    if (kind >= WASTE_COUNT || values >= VALUES_COUNT)
        return waste_note_unknown(waste);
    int error = waste_set_pair(waste, thread, kind, columns[TRAP_FIRST][row], columns[TRAP_SECOND][row], &pair);
    if (!error)
        error = waste_add_instruction(waste, first_low, first_high, &pair.instructions[0]);
    if (!error)
        error = waste_add_instruction(waste, second_low, second_high, &pair.instructions[1]);
    pair.events = weight;
    pair.bytes = bytes;
    pair.approximate_bytes = values == VALUES_APPROXIMATE ? bytes : 0;
    pair.traps = 1;
    pair.squares = bytes * bytes;
    if (columns[TRAP_WASTED][row]) {
        pair.wasted_events = weight;
        pair.wasted[values] = bytes;
        pair.wasted_squares = pair.squares;
    }
    if (instruction_uses_stack(first_low, first_high) || instruction_uses_stack(second_low, second_high))
        pair.on_stack = (struct waste_samples){.traps = 1,
                                               .bytes = pair.bytes,
                                               .wasted_bytes = pair.wasted_events ? pair.bytes : 0,
                                               .squares = pair.squares,
                                               .wasted_squares = pair.wasted_squares};
    return error ? error : waste_add_row(waste, WASTE_PAIR_ROWS, &pair);
}

static int waste_feed_watch(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    (void)thread;
    uint64_t outcome = batch->integers[WATCH_OUTCOME][row];
    if (outcome >= OUTCOME_COUNT)
        return waste_note_unknown(waste);
    waste_reading_recording(waste)->outcomes[outcome] += batch->integers[WATCH_COUNT][row];
    return 0;
}

static int waste_feed_range(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    struct waste_total total = {.source = waste_reading_source(waste), .thread = thread};
    enum trace_access access = waste_access(waste_reading_mode(waste));
    uint64_t approximate = batch->integers[RANGE_APPROX_BYTES][row];
    total.bytes[access][VALUES_APPROXIMATE] = approximate;
    total.bytes[access][VALUES_PRECISE] = batch->integers[RANGE_BYTES][row] - approximate;
    return waste_add_row(waste, WASTE_TOTAL_ROWS, &total);
}

static int waste_feed_total(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    uint64_t access = batch->integers[TOTAL_ACCESS][row], values = batch->integers[TOTAL_VALUES][row];
    if (access >= ACCESS_COUNT || values >= VALUES_COUNT)
        return waste_note_unknown(waste);
    struct waste_total total = {.source = waste_reading_source(waste), .thread = thread};
    total.bytes[access][values] = batch->integers[TOTAL_BYTES][row];
    return waste_add_row(waste, WASTE_TOTAL_ROWS, &total);
}

static int waste_feed_burst(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    const uint64_t *const *columns = batch->integers;
    (void)thread;
    if (columns[BURST_WASTE][row] >= WASTE_COUNT)
        return waste_note_unknown(waste);
    struct waste_burst burst = {.source = waste_reading_source(waste), .waste = (uint32_t)columns[BURST_WASTE][row]};
    double sums[WINDOWS_SUMS] = {[WINDOWS_ALL] = (double)columns[BURST_BYTES][row],
                                 [WINDOWS_MARKED] = (double)columns[BURST_WASTED_BYTES][row],
                                 [WINDOWS_UNSEEN] = (double)columns[BURST_UNSEEN_BYTES][row],
                                 [WINDOWS_CROSSING] = (double)columns[BURST_CROSSING_BYTES][row],
                                 [WINDOWS_CROSSING_MARKED] = (double)columns[BURST_CROSSING_WASTED_BYTES][row]};
    windows_add(&burst.windows, sums);
    return waste_add_row(waste, WASTE_BURST_ROWS, &burst);
}

int waste_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct waste *waste = state;
    if (batch->kind == TRACE_OBJECT) /* read completely when the trace begins, since any part may refer to any */
        return 0;
    uint32_t thread = 0;
    int error = waste->reading ? 0 : waste_start_reading(waste, trace);
    if (!error && batch->kind == TRACE_SAMPLE)
        return waste_count_samples(waste, batch);
    if (!error)
        error = waste_add_thread(waste, batch->thread, &thread);
    static int (*const feeders[TRACE_KIND_COUNT])(struct waste *, const struct trace_batch *, size_t, uint32_t) = {
        [TRACE_PAIR] = waste_feed_pair,   [TRACE_TOTAL] = waste_feed_total, [TRACE_TRAP] = waste_feed_trap,
        [TRACE_WATCH] = waste_feed_watch, [TRACE_RANGE] = waste_feed_range, [TRACE_BURST] = waste_feed_burst};
    for (size_t row = 0; !error && row < batch->count; row++)
        error = feeders[batch->kind](waste, batch, row, thread);
    return error;
}
