#include "analyze/waste/waste.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/waste/instruction.h"

const char *const waste_label_names[WASTE_LABELS] = {"program", "command", "engine", "mode"};

enum trace_access waste_access(unsigned kind)
{
    return kind == WASTE_DEAD_STORE || kind == WASTE_SILENT_STORE ? ACCESS_STORE : ACCESS_LOAD;
}

bool waste_is_sampled(const struct waste *waste)
{
    for (size_t i = 0; i < waste->pairs.count; i++)
        if (((const struct waste_pair *)keyed_at(&waste->pairs, i))->traps > 0)
            return true;
    return false;
}

bool waste_has_objects(const struct waste *waste)
{
    return waste->objects.count > 1;
}

/* ------------------------------------------------------------------------------------------ life -- */

#define KEYED(type, last)                                                                                              \
    {                                                                                                                  \
        .item_bytes = sizeof(struct type),                                                                             \
        .key_bytes = offsetof(struct type, last) + sizeof(((struct type *)NULL)->last)                                 \
    }

void *waste_init(const struct analysis_options *options)
{
    (void)options;
    struct waste *waste = calloc(1, sizeof *waste);
    if (!waste)
        return NULL;
    *waste = (struct waste){.sources = KEYED(waste_source, labels),
                            .recordings = KEYED(waste_recording, path),
                            .nodes = KEYED(waste_node, text),
                            .objects = KEYED(waste_object, node),
                            .pairs = KEYED(waste_pair, object),
                            .totals = KEYED(waste_total, thread),
                            .bursts = KEYED(waste_burst, waste)};
    /* Number 0 of both is unused. */
    const struct waste_node no_node = {UINT32_MAX, UINT32_MAX, 0};
    const struct waste_object no_object = {UINT32_MAX, UINT32_MAX};
    if (keyed_add(&waste->nodes, &no_node) == 0 && keyed_add(&waste->objects, &no_object) == 0)
        return waste;
    waste_free(waste);
    return NULL;
}

void waste_free(void *state)
{
    struct waste *waste = state;
    waste_stop_reading(waste);
    text_set_free(&waste->texts);
    keyed_free(&waste->sources);
    keyed_free(&waste->recordings);
    keyed_free(&waste->nodes);
    keyed_free(&waste->objects);
    keyed_free(&waste->pairs);
    keyed_free(&waste->totals);
    keyed_free(&waste->bursts);
    free(waste);
}

/* ------------------------------------------------------------------------------------------ feeding -- */

static int waste_feed_pair(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    const uint64_t *const *columns = batch->integers;
    uint64_t kind = columns[PAIR_WASTE][row], values = columns[PAIR_VALUES][row];
    if (kind >= WASTE_COUNT || values >= VALUES_COUNT) {
        waste->unknown++;
        return 0;
    }
    struct waste_pair pair = {.source = waste_reading_source(waste),
                              .thread = thread,
                              .waste = (uint32_t)kind,
                              .events = columns[PAIR_EVENTS][row],
                              .wasted_events = columns[PAIR_WASTED_EVENTS][row],
                              .bytes = columns[PAIR_BYTES][row]};
    pair.approximate_bytes = values == VALUES_APPROXIMATE ? pair.bytes : 0;
    pair.wasted[values] = columns[PAIR_WASTED_BYTES][row];
    int error = waste_add_context(waste, columns[PAIR_FIRST][row], &pair.first);
    if (!error)
        error = waste_add_context(waste, columns[PAIR_SECOND][row], &pair.second);
    if (!error)
        error = waste_add_scope(waste, columns[PAIR_SCOPE][row], &pair.scope);
    if (!error)
        error = waste_add_object(waste, columns[PAIR_OBJECT][row], &pair.object);
    ((struct waste_source *)keyed_at(&waste->sources, pair.source))->kinds |= UINT32_C(1) << kind;
    return error ? error : waste_add_pair(waste, &pair);
}

/* The text of an instruction, + 1. */
static int waste_add_instruction(struct waste *waste, uint64_t low, uint64_t high, uint32_t *text)
{
    char name[INSTRUCTION_MAX];
    *text = 0;
    if (!instruction_text(low, high, name))
        return 0;
    uint32_t known = text_set_add(&waste->texts, name);
    *text = known == TEXT_SET_FULL ? 0 : known + 1;
    return known == TEXT_SET_FULL ? ENOMEM : 0;
}

static void waste_set_trap_counts(const struct trace_batch *batch, size_t row, struct waste_pair *pair)
{
    uint64_t weight = batch->integers[TRAP_WEIGHT][row], bytes = batch->integers[TRAP_BYTES][row] * weight;
    pair->events = weight;
    pair->bytes = bytes;
    pair->approximate_bytes = batch->integers[TRAP_VALUES][row] == VALUES_APPROXIMATE ? bytes : 0;
    pair->traps = 1;
    pair->squares = bytes * bytes;
    if (batch->integers[TRAP_WASTED][row]) {
        pair->wasted_events = weight;
        pair->wasted[batch->integers[TRAP_VALUES][row]] = bytes;
        pair->wasted_squares = pair->squares;
    }
}

static int waste_feed_trap(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    const uint64_t *const *columns = batch->integers;
    uint64_t kind = columns[TRAP_WASTE][row];
    if (kind >= WASTE_COUNT || columns[TRAP_VALUES][row] >= VALUES_COUNT) {
        waste->unknown++;
        return 0;
    }
    struct waste_pair pair = {.source = waste_reading_source(waste), .thread = thread, .waste = (uint32_t)kind};
    waste_set_trap_counts(batch, row, &pair);
    int error = waste_add_context(waste, columns[TRAP_FIRST][row], &pair.first);
    if (!error)
        error = waste_add_context(waste, columns[TRAP_SECOND][row], &pair.second);
    if (!error)
        error = waste_add_instruction(waste, columns[TRAP_FIRST_LOW][row], columns[TRAP_FIRST_HIGH][row],
                                      &pair.instructions[0]);
    if (!error)
        error = waste_add_instruction(waste, columns[TRAP_SECOND_LOW][row], columns[TRAP_SECOND_HIGH][row],
                                      &pair.instructions[1]);
    if (instruction_uses_stack(columns[TRAP_FIRST_LOW][row], columns[TRAP_FIRST_HIGH][row]) ||
        instruction_uses_stack(columns[TRAP_SECOND_LOW][row], columns[TRAP_SECOND_HIGH][row]))
        pair.on_stack = (struct waste_samples){.traps = 1,
                                               .bytes = pair.bytes,
                                               .wasted_bytes = pair.wasted_events ? pair.bytes : 0,
                                               .squares = pair.squares,
                                               .wasted_squares = pair.wasted_squares};
    ((struct waste_source *)keyed_at(&waste->sources, pair.source))->kinds |= UINT32_C(1) << kind;
    return error ? error : waste_add_pair(waste, &pair);
}

static int waste_feed_watch(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    (void)thread;
    uint64_t outcome = batch->integers[WATCH_OUTCOME][row];
    struct waste_recording recording = waste_reading_recording(waste);
    if (outcome >= OUTCOME_COUNT) {
        waste->unknown++;
        return 0;
    }
    recording.outcomes[outcome] = batch->integers[WATCH_COUNT][row];
    return waste_add_recording(waste, &recording);
}

static int waste_feed_range(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    struct waste_total total = {.source = waste_reading_source(waste), .thread = thread};
    enum trace_access access = waste_access(waste_reading_mode(waste));
    uint64_t approximate = batch->integers[RANGE_APPROX_BYTES][row];
    total.bytes[access][VALUES_APPROXIMATE] = approximate;
    total.bytes[access][VALUES_PRECISE] = batch->integers[RANGE_BYTES][row] - approximate;
    return waste_add_total(waste, &total);
}

static int waste_feed_total(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    uint64_t access = batch->integers[TOTAL_ACCESS][row], values = batch->integers[TOTAL_VALUES][row];
    if (access >= ACCESS_COUNT || values >= VALUES_COUNT) {
        waste->unknown++;
        return 0;
    }
    struct waste_total total = {.source = waste_reading_source(waste), .thread = thread};
    total.bytes[access][values] = batch->integers[TOTAL_BYTES][row];
    return waste_add_total(waste, &total);
}

static int waste_feed_burst(struct waste *waste, const struct trace_batch *batch, size_t row, uint32_t thread)
{
    const uint64_t *const *columns = batch->integers;
    (void)thread;
    if (columns[BURST_WASTE][row] >= WASTE_COUNT) {
        waste->unknown++;
        return 0;
    }
    struct waste_burst burst = {.source = waste_reading_source(waste), .waste = (uint32_t)columns[BURST_WASTE][row]};
    double sums[WINDOWS_SUMS] = {[WINDOWS_ALL] = (double)columns[BURST_BYTES][row],
                                 [WINDOWS_MARKED] = (double)columns[BURST_WASTED_BYTES][row],
                                 [WINDOWS_UNSEEN] = (double)columns[BURST_UNSEEN_BYTES][row],
                                 [WINDOWS_CROSSING] = (double)columns[BURST_CROSSING_BYTES][row],
                                 [WINDOWS_CROSSING_MARKED] = (double)columns[BURST_CROSSING_WASTED_BYTES][row]};
    windows_add(&burst.windows, sums);
    return waste_add_burst(waste, &burst);
}

int waste_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct waste *waste = state;
    if (batch->kind == TRACE_OBJECT) /* read completely when the trace begins, since any part may refer to any */
        return 0;
    uint32_t thread = 0;
    int error = waste->reading ? 0 : waste_start_reading(waste, trace);
    if (!error)
        error = waste_add_thread(waste, batch->thread, &thread);
    static int (*const feeders[TRACE_KIND_COUNT])(struct waste *, const struct trace_batch *, size_t, uint32_t) = {
        [TRACE_PAIR] = waste_feed_pair,   [TRACE_TOTAL] = waste_feed_total, [TRACE_TRAP] = waste_feed_trap,
        [TRACE_WATCH] = waste_feed_watch, [TRACE_RANGE] = waste_feed_range, [TRACE_BURST] = waste_feed_burst};
    for (size_t row = 0; !error && row < batch->count; row++)
        error = feeders[batch->kind](waste, batch, row, thread);
    return error;
}
