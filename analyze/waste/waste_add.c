/* Adding to the sets of a state: each has one entry for each key. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "analyze/waste/waste.h"

void waste_join_instructions(char *const *texts, const struct waste_pair *pair, uint32_t instructions[WASTE_SIDES],
                             bool several[WASTE_SIDES])
{
    for (size_t side = 0; side < WASTE_SIDES; side++) {
        uint32_t known = instructions[side], other = pair->instructions[side];
        several[side] |= pair->several[side] || (known && other && known != other);
        if (!known || (other && strcmp(texts[other - 1], texts[known - 1]) < 0))
            instructions[side] = other;
    }
}

int waste_add_pair(struct waste *waste, const struct waste_pair *pair)
{
    size_t before = waste->pairs.count;
    uint32_t index = keyed_add(&waste->pairs, pair);
    if (index == KEYED_FULL)
        return ENOMEM;
    if (waste->pairs.count > before)
        return 0;
    struct waste_pair *known = keyed_at(&waste->pairs, index);
    known->events += pair->events;
    known->wasted_events += pair->wasted_events;
    known->bytes += pair->bytes;
    known->approximate_bytes += pair->approximate_bytes;
    for (size_t v = 0; v < VALUES_COUNT; v++)
        known->wasted[v] += pair->wasted[v];
    known->traps += pair->traps;
    known->squares += pair->squares;
    known->wasted_squares += pair->wasted_squares;
    waste_join_instructions(waste->texts.texts, pair, known->instructions, known->several);
    known->on_stack.traps += pair->on_stack.traps;
    known->on_stack.bytes += pair->on_stack.bytes;
    known->on_stack.wasted_bytes += pair->on_stack.wasted_bytes;
    known->on_stack.squares += pair->on_stack.squares;
    known->on_stack.wasted_squares += pair->on_stack.wasted_squares;
    return 0;
}

int waste_add_recording(struct waste *waste, const struct waste_recording *recording)
{
    size_t before = waste->recordings.count;
    uint32_t index = keyed_add(&waste->recordings, recording);
    if (index == KEYED_FULL)
        return ENOMEM;
    struct waste_recording *known = keyed_at(&waste->recordings, index);
    for (size_t o = 0; waste->recordings.count == before && o < OUTCOME_COUNT; o++)
        known->outcomes[o] += recording->outcomes[o];
    return 0;
}

int waste_add_total(struct waste *waste, const struct waste_total *total)
{
    size_t before = waste->totals.count;
    uint32_t index = keyed_add(&waste->totals, total);
    if (index == KEYED_FULL)
        return ENOMEM;
    struct waste_total *known = keyed_at(&waste->totals, index);
    for (size_t a = 0; waste->totals.count == before && a < ACCESS_COUNT; a++)
        for (size_t v = 0; v < VALUES_COUNT; v++)
            known->bytes[a][v] += total->bytes[a][v];
    return 0;
}

int waste_add_burst(struct waste *waste, const struct waste_burst *burst)
{
    size_t before = waste->bursts.count;
    uint32_t index = keyed_add(&waste->bursts, burst);
    if (index == KEYED_FULL)
        return ENOMEM;
    if (waste->bursts.count == before)
        windows_join(&((struct waste_burst *)keyed_at(&waste->bursts, index))->windows, &burst->windows);
    return 0;
}

int waste_add_source(struct waste *waste, const struct waste_source *source, uint32_t *index)
{
    uint32_t known = keyed_add(&waste->sources, source);
    if (known == KEYED_FULL)
        return ENOMEM;
    ((struct waste_source *)keyed_at(&waste->sources, known))->kinds |= source->kinds;
    *index = known;
    return 0;
}

uint32_t waste_node_in(struct waste *waste, uint32_t parent, uint32_t text)
{
    const struct waste_node node = {parent, text, waste_node_at(waste, parent)->depth + 1};
    uint32_t index = keyed_add(&waste->nodes, &node);
    assert(index == KEYED_FULL || parent < index);
    return index;
}
