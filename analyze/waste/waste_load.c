/* Loads a saved state: its rows are checked and joined like those of another part. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/waste.h"

enum { WORDS_MAX = 32, PAIR_COUNTS = 11, PAIR_WORDS = PAIR_COUNTS + VALUES_COUNT + 3 + 2 * WASTE_SIDES + 5 };

struct row {
    const struct waste *from; /* the target of its numbers */
    size_t index;
    uint64_t words[WORDS_MAX];
    const json_t *json;
};

static bool waste_load_is_text(const struct row *row, size_t word)
{
    return row->words[word] < row->from->texts.count;
}

static bool waste_load_is_node(const struct row *row, size_t word)
{
    return row->words[word] < row->from->nodes.count;
}

/* ------------------------------------------------------------------------------------------ rows as items -- */

static bool waste_load_source(const struct row *row, void *item)
{
    struct waste_source *source = item;
    bool good = waste_load_is_text(row, 0) && row->words[1 + WASTE_LABELS] < UINT32_C(1) << WASTE_COUNT;
    source->run = (uint32_t)row->words[0];
    for (size_t l = 0; l < WASTE_LABELS; l++) {
        good &= waste_load_is_text(row, 1 + l);
        source->labels[l] = (uint32_t)row->words[1 + l];
    }
    source->kinds = (uint32_t)row->words[1 + WASTE_LABELS];
    return good;
}

enum { RECORDING_WORDS = 8 + WASTE_LOSSES + OUTCOME_COUNT };
_Static_assert((int)RECORDING_WORDS <= (int)WORDS_MAX && PAIR_WORDS <= WORDS_MAX, "a row has space for its words");

static bool waste_load_recording(const struct row *row, void *item)
{
    struct waste_recording *recording = item;
    const json_t *tolerance = json_array_get(row->json, RECORDING_WORDS);
    recording->path = (uint32_t)row->words[0];
    recording->burst_enable = row->words[1];
    recording->burst_disable = row->words[2];
    recording->burst_auto = row->words[3];
    recording->kernel = row->words[4];
    recording->rewritten = row->words[5];
    recording->between_threads = row->words[6];
    recording->array_lengths = row->words[7];
    memcpy(recording->losses, row->words + 8, sizeof recording->losses);
    memcpy(recording->outcomes, row->words + 8 + WASTE_LOSSES, sizeof recording->outcomes);
    recording->fp_tolerance = json_is_number(tolerance) ? json_number_value(tolerance) : NAN;
    return waste_load_is_text(row, 0) && recording->kernel < WASTE_KERNEL_COUNT && recording->rewritten <= 1 &&
           recording->between_threads <= 1 && recording->array_lengths <= 1 &&
           (json_is_number(tolerance) || json_is_null(tolerance));
}

static bool waste_load_node(const struct row *row, void *item)
{
    *(struct waste_node *)item = (struct waste_node){(uint32_t)row->words[0], (uint32_t)row->words[1], 0};
    return row->words[0] < row->index && waste_load_is_text(row, 1);
}

static bool waste_load_object(const struct row *row, void *item)
{
    *(struct waste_object *)item = (struct waste_object){(uint32_t)row->words[0], (uint32_t)row->words[1]};
    return row->words[0] <= OBJECT_KIND_COUNT && waste_load_is_node(row, 1);
}

static bool waste_load_total(const struct row *row, void *item)
{
    struct waste_total *total = item;
    total->source = (uint32_t)row->words[0];
    total->thread = (uint32_t)row->words[1];
    memcpy(total->bytes, row->words + 2, sizeof total->bytes);
    return row->words[0] < row->from->sources.count && waste_load_is_text(row, 1);
}

static bool waste_load_burst(const struct row *row, void *item)
{
    struct waste_burst *burst = item;
    double *products = burst->windows.products;
    burst->source = (uint32_t)row->words[0];
    burst->waste = (uint32_t)row->words[1];
    burst->windows.n = (double)row->words[2];
    for (size_t i = 0; i < WINDOWS_SUMS; i++)
        burst->windows.sums[i] = (double)row->words[3 + i];
    memcpy(products, row->words + 3 + WINDOWS_SUMS, WINDOWS_PRODUCTS * sizeof *products);
    bool good = row->words[0] < row->from->sources.count && row->words[1] < WASTE_COUNT;
    for (size_t i = 0; i < WINDOWS_PRODUCTS; i++)
        good &= isfinite(products[i]);
    return good;
}

static bool waste_load_pair(const struct row *row, void *item)
{
    const uint64_t *words = row->words;
    struct waste_pair *pair = item;
    *pair = (struct waste_pair){.source = (uint32_t)words[0],
                                .thread = (uint32_t)words[1],
                                .waste = (uint32_t)words[2],
                                .first = (uint32_t)words[3],
                                .second = (uint32_t)words[4],
                                .scope = (uint32_t)words[5],
                                .object = (uint32_t)words[6],
                                .events = words[7],
                                .wasted_events = words[8],
                                .bytes = words[9],
                                .approximate_bytes = words[10]};
    memcpy(pair->wasted, words + PAIR_COUNTS, sizeof pair->wasted);
    words += PAIR_COUNTS + VALUES_COUNT;
    pair->traps = words[0];
    pair->squares = words[1];
    pair->wasted_squares = words[2];
    bool good = true;
    for (size_t side = 0; side < WASTE_SIDES; side++) {
        pair->instructions[side] = (uint32_t)words[3 + 2 * side];
        pair->several[side] = words[4 + 2 * side] != 0;
        good &= words[3 + 2 * side] <= row->from->texts.count;
    }
    words += 3 + 2 * WASTE_SIDES;
    pair->on_stack = (struct waste_samples){words[0], words[1], words[2], words[3], words[4]};
    words = row->words;
    return good && words[0] < row->from->sources.count && waste_load_is_text(row, 1) && words[2] < WASTE_COUNT &&
           waste_load_is_node(row, 3) && waste_load_is_node(row, 4) && waste_load_is_node(row, 5) &&
           words[6] < row->from->objects.count;
}

/* ------------------------------------------------------------------------------------------ sets -- */

/* The first n words of a row, and `more` other values after them. */
static bool waste_load_words(const json_t *json, size_t n, size_t more, uint64_t words[WORDS_MAX])
{
    if (json_array_size(json) != n + more)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(json, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return false;
        words[i] = (uint64_t)json_integer_value(value);
    }
    return true;
}

struct set_plan {
    const char *key;
    size_t offset, item_bytes; /* of the set in struct waste; of its items */
    size_t reserved;           /* items before the first that is saved */
    size_t words, more;
    bool (*load)(const struct row *row, void *item);
};

#define PLAN(set, type, reserved, words, more, load)                                                                   \
    {                                                                                                                  \
#set, offsetof(struct waste, set), sizeof(struct type), reserved, words, more, load                            \
    }

/* In the order in which they refer to each other. */
static const struct set_plan plans[] = {
    PLAN(sources, waste_source, 0, 2 + WASTE_LABELS, 0, waste_load_source),
    PLAN(recordings, waste_recording, 0, RECORDING_WORDS, 1, waste_load_recording),
    PLAN(nodes, waste_node, 1, 2, 0, waste_load_node),
    PLAN(objects, waste_object, 1, 2, 0, waste_load_object),
    PLAN(totals, waste_total, 0, 2 + (unsigned)ACCESS_COUNT * VALUES_COUNT, 0, waste_load_total),
    PLAN(bursts, waste_burst, 0, 3 + WINDOWS_SUMS + WINDOWS_PRODUCTS, 0, waste_load_burst),
    PLAN(pairs, waste_pair, 0, PAIR_WORDS, 0, waste_load_pair),
};

static int waste_load_set(struct waste *from, const struct set_plan *plan, const json_t *saved)
{
    struct keyed *set = (struct keyed *)(void *)((char *)from + plan->offset);
    const json_t *rows = json_object_get(saved, plan->key);
    size_t count = json_array_size(rows) + plan->reserved;
    if (!json_is_array(rows) || count >= UINT32_MAX)
        return EINVAL;
    *set = (struct keyed){.items = calloc(count + 1, plan->item_bytes), .item_bytes = plan->item_bytes};
    if (!set->items)
        return ENOMEM;
    struct row row = {.from = from};
    for (set->count = plan->reserved; set->count < count; set->count++) {
        row.index = set->count;
        row.json = json_array_get(rows, set->count - plan->reserved);
        if (!waste_load_words(row.json, plan->words, plan->more, row.words) ||
            !plan->load(&row, keyed_at(set, set->count)))
            return EINVAL;
    }
    return 0;
}

/* The texts stay the document's. */
static int waste_load_texts(struct waste *from, const json_t *saved)
{
    const json_t *texts = json_object_get(saved, "texts");
    size_t count = json_array_size(texts);
    if (!json_is_array(texts) || count >= UINT32_MAX)
        return EINVAL;
    from->texts.texts = calloc(count + 1, sizeof *from->texts.texts);
    if (!from->texts.texts)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        if (!text)
            return EINVAL;
        from->texts.texts[from->texts.count++] = (char *)(uintptr_t)text;
    }
    return 0;
}

int waste_load(void *state, const json_t *saved)
{
    struct waste from = {0};
    const json_t *unknown = json_object_get(saved, "unknown");
    int error = json_is_integer(unknown) && json_integer_value(unknown) >= 0 ? waste_load_texts(&from, saved) : EINVAL;
    from.unknown = error ? 0 : (uint64_t)json_integer_value(unknown);
    for (size_t i = 0; !error && i < sizeof plans / sizeof *plans; i++)
        error = waste_load_set(&from, &plans[i], saved);
    if (!error)
        error = waste_join(state, &from);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        keyed_free((struct keyed *)(void *)((char *)&from + plans[i].offset));
    free(from.texts.texts);
    return error;
}
