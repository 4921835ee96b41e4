/* What a state consists of, and how its rows are joined. */
#include <math.h>
#include <string.h>

#include "analyze/waste/state/waste.h"

static const struct field source_fields[] = {
    FIELD(waste_source, run, FIELD_TEXT, JOIN_KEY),
    FIELD_ARRAY(waste_source, labels, FIELD_TEXT, JOIN_KEY, RUN_LABELS),
    FIELD(waste_source, kinds, FIELD_NUMBER, JOIN_OWN, .limit = 1 << WASTE_COUNT),
};
static const struct field recording_fields[] = {
    FIELD(waste_recording, path, FIELD_TEXT, JOIN_KEY),
    FIELD(waste_recording, unknown, FIELD_COUNT, JOIN_SUM),
    FIELD_ARRAY(waste_recording, outcomes, FIELD_COUNT, JOIN_SUM, OUTCOME_COUNT),
    FIELD_ARRAY(waste_recording, losses, FIELD_COUNT, JOIN_FIRST, WASTE_LOSSES),
    FIELD(waste_recording, burst_enable, FIELD_COUNT, JOIN_FIRST),
    FIELD(waste_recording, burst_disable, FIELD_COUNT, JOIN_FIRST),
    FIELD(waste_recording, burst_auto, FIELD_FLAG, JOIN_FIRST),
    FIELD(waste_recording, kernel, FIELD_NUMBER, JOIN_FIRST, .limit = WASTE_KERNEL_COUNT),
    FIELD(waste_recording, rewritten, FIELD_FLAG, JOIN_FIRST),
    FIELD(waste_recording, between_threads, FIELD_FLAG, JOIN_FIRST),
    FIELD(waste_recording, array_lengths, FIELD_FLAG, JOIN_FIRST),
    FIELD(waste_recording, fp_tolerance, FIELD_REAL, JOIN_FIRST, .optional = true),
};
static const struct field node_fields[] = {
    FIELD_ROW_OF(waste_node, parent, JOIN_KEY, WASTE_NODE_ROWS, .optional = true),
    FIELD(waste_node, text, FIELD_TEXT, JOIN_KEY, .optional = true),
    FIELD(waste_node, is_runtime, FIELD_FLAG, JOIN_SUM),
};
static const struct field object_fields[] = {
    FIELD(waste_object, kind, FIELD_NUMBER, JOIN_KEY, .limit = WASTE_OBJECT_KINDS),
    FIELD_ROW_OF(waste_object, node, JOIN_KEY, WASTE_NODE_ROWS),
};
static const struct field total_fields[] = {
    FIELD_ROW_OF(waste_total, source, JOIN_KEY, WASTE_SOURCE_ROWS),
    FIELD(waste_total, thread, FIELD_TEXT, JOIN_KEY),
    FIELD_ARRAY(waste_total, bytes, FIELD_COUNT, JOIN_SUM, (size_t)ACCESS_COUNT *VALUES_COUNT),
};
static const struct field burst_fields[] = {
    FIELD_ROW_OF(waste_burst, source, JOIN_KEY, WASTE_SOURCE_ROWS),
    FIELD(waste_burst, waste, FIELD_NUMBER, JOIN_KEY, .limit = WASTE_COUNT),
    FIELD(waste_burst, windows.n, FIELD_REAL, JOIN_SUM),
    FIELD_ARRAY(waste_burst, windows.sums, FIELD_REAL, JOIN_SUM, WINDOWS_SUMS),
    FIELD_ARRAY(waste_burst, windows.products, FIELD_REAL, JOIN_SUM, WINDOWS_PRODUCTS),
};
enum { SAMPLES = sizeof(struct waste_samples) / sizeof(uint64_t) };
static const struct field pair_fields[] = {
    FIELD_ROW_OF(waste_pair, source, JOIN_KEY, WASTE_SOURCE_ROWS),
    FIELD(waste_pair, thread, FIELD_TEXT, JOIN_KEY),
    FIELD(waste_pair, waste, FIELD_NUMBER, JOIN_KEY, .limit = WASTE_COUNT),
    FIELD_ROW_OF(waste_pair, first, JOIN_KEY, WASTE_NODE_ROWS),
    FIELD_ROW_OF(waste_pair, second, JOIN_KEY, WASTE_NODE_ROWS),
    FIELD_ROW_OF(waste_pair, scope, JOIN_KEY, WASTE_NODE_ROWS),
    FIELD_ROW_OF(waste_pair, object, JOIN_KEY, WASTE_OBJECT_ROWS),
    FIELD(waste_pair, events, FIELD_COUNT, JOIN_SUM),
    FIELD(waste_pair, wasted_events, FIELD_COUNT, JOIN_SUM),
    FIELD(waste_pair, bytes, FIELD_COUNT, JOIN_SUM),
    FIELD(waste_pair, approximate_bytes, FIELD_COUNT, JOIN_SUM),
    FIELD_ARRAY(waste_pair, wasted, FIELD_COUNT, JOIN_SUM, VALUES_COUNT),
    FIELD(waste_pair, traps, FIELD_COUNT, JOIN_SUM),
    FIELD(waste_pair, squares, FIELD_COUNT, JOIN_SUM),
    FIELD(waste_pair, wasted_squares, FIELD_COUNT, JOIN_SUM),
    FIELD_ARRAY(waste_pair, instructions, FIELD_TEXT, JOIN_OWN, WASTE_SIDES, .optional = true),
    FIELD_ARRAY(waste_pair, several, FIELD_FLAG, JOIN_OWN, WASTE_SIDES),
    FIELD_ARRAY(waste_pair, on_stack, FIELD_COUNT, JOIN_SUM, SAMPLES),
};
static const struct field time_fields[] = {
    FIELD(waste_time, run, FIELD_TEXT, JOIN_KEY),
    FIELD_ROW_OF(waste_time, node, JOIN_KEY, WASTE_NODE_ROWS),
    FIELD(waste_time, period_ns, FIELD_COUNT, JOIN_KEY),
    FIELD(waste_time, samples, FIELD_COUNT, JOIN_SUM),
};

static const struct field frame_fields[] = {
    FIELD(waste_frame, text, FIELD_TEXT, JOIN_KEY),
    FIELD(waste_frame, file, FIELD_TEXT, JOIN_OWN, .optional = true),
    FIELD(waste_frame, module, FIELD_TEXT, JOIN_OWN, .optional = true),
    FIELD(waste_frame, build_id, FIELD_TEXT, JOIN_OWN, .optional = true),
};

static int waste_join_sources(struct relations *relations, void *row, const void *other)
{
    (void)relations;
    ((struct waste_source *)row)->kinds |= ((const struct waste_source *)other)->kinds;
    return 0;
}

void waste_join_instructions(const struct relations *relations, const struct waste_pair *pair,
                             uint32_t instructions[WASTE_SIDES], bool several[WASTE_SIDES])
{
    for (size_t side = 0; side < WASTE_SIDES; side++) {
        uint32_t known = instructions[side], other = pair->instructions[side];
        bool both = known != FIELD_NONE && other != FIELD_NONE;
        several[side] |= pair->several[side] || (both && known != other);
        if (known == FIELD_NONE ||
            (both && strcmp(relations_text_at(relations, other), relations_text_at(relations, known)) < 0))
            instructions[side] = other;
    }
}

static int waste_join_pairs(struct relations *relations, void *row, const void *other)
{
    struct waste_pair *pair = row;
    waste_join_instructions(relations, other, pair->instructions, pair->several);
    return 0;
}

/* < 0, 0, > 0; a missing text is the last. */
static int waste_compare_optional(const struct relations *relations, uint32_t a, uint32_t b)
{
    if (a == FIELD_NONE || b == FIELD_NONE)
        return (a == FIELD_NONE) - (b == FIELD_NONE);
    return strcmp(relations_text_at(relations, a), relations_text_at(relations, b));
}

static int waste_join_frames(struct relations *relations, void *row, const void *other)
{
    struct waste_frame *frame = row;
    const struct waste_frame *joined = other;
    if (waste_compare_optional(relations, joined->file, frame->file) < 0)
        frame->file = joined->file;
    int order = waste_compare_optional(relations, joined->module, frame->module);
    if (order < 0 || (order == 0 && waste_compare_optional(relations, joined->build_id, frame->build_id) < 0)) {
        frame->module = joined->module;
        frame->build_id = joined->build_id;
    }
    return 0;
}

/* A row that has no parent is the first one. */
static bool waste_node_is_valid(const void *row)
{
    const struct waste_node *node = row;
    return (node->parent == FIELD_NONE) == (node->text == FIELD_NONE);
}

static bool waste_burst_is_valid(const void *row)
{
    double bursts = ((const struct waste_burst *)row)->windows.n;
    return bursts >= 0 && bursts < 0x1p53 && bursts == floor(bursts);
}

#define RELATION(title, type, last, fields, ...)                                                                       \
    {                                                                                                                  \
        .name = (title), .row_bytes = sizeof(struct type),                                                             \
        .key_bytes = offsetof(struct type, last) + sizeof(((struct type *)NULL)->last), RELATION_FIELDS(fields),       \
        __VA_ARGS__                                                                                                    \
    }

const struct relation waste_relations[WASTE_RELATIONS] = {
    [WASTE_SOURCE_ROWS] = RELATION("sources", waste_source, labels, source_fields, .join = waste_join_sources),
    [WASTE_RECORDING_ROWS] = RELATION("recordings", waste_recording, path, recording_fields),
    [WASTE_NODE_ROWS] = RELATION("nodes", waste_node, text, node_fields, .valid = waste_node_is_valid),
    [WASTE_OBJECT_ROWS] = RELATION("objects", waste_object, node, object_fields),
    [WASTE_TOTAL_ROWS] = RELATION("totals", waste_total, thread, total_fields),
    [WASTE_BURST_ROWS] = RELATION("bursts", waste_burst, waste, burst_fields, .valid = waste_burst_is_valid),
    [WASTE_PAIR_ROWS] = RELATION("pairs", waste_pair, object, pair_fields, .join = waste_join_pairs),
    [WASTE_TIME_ROWS] = RELATION("times", waste_time, period_ns, time_fields),
    [WASTE_FRAME_ROWS] =
        RELATION("frames", waste_frame, text, frame_fields, .join = waste_join_frames, .optional = true),
};
