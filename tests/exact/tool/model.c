#include "tests/exact/tool/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const long double tolerance = 0.01;

/* A byte's last access of one kind. */
struct last {
    bool known;
    bool approximate;
    bool system; /* a store by the kernel */
    uint8_t value;
    uint8_t context;
};

struct byte {
    struct last load, store;
    bool loaded_since_store;
};

struct model {
    struct byte memory[MODEL_BYTES];
    struct model_counts pairs[MODEL_KINDS][2][MODEL_CONTEXTS][MODEL_CONTEXTS];
};

struct model *model_create(void)
{
    return calloc(1, sizeof(struct model));
}

void model_free(struct model *model)
{
    free(model);
}

/* In long double, because in double 1 % of a denormal number is rounded to more. */
static bool near(long double old, long double new)
{
    return isfinite(old) && isfinite(new) && fabsl(new - old) <= tolerance * fabsl(old);
}

static bool float_lane_same(const uint8_t *old, const uint8_t *new)
{
    float a, b;
    memcpy(&a, old, sizeof a);
    memcpy(&b, new, sizeof b);
    return memcmp(old, new, sizeof a) == 0 || near((long double)a, (long double)b);
}

static bool double_lane_same(const uint8_t *old, const uint8_t *new)
{
    double a, b;
    memcpy(&a, old, sizeof a);
    memcpy(&b, new, sizeof b);
    return memcmp(old, new, sizeof a) == 0 || near((long double)a, (long double)b);
}

static bool same_value(const uint8_t *old, const uint8_t *new, size_t size, enum model_lanes lanes)
{
    if (lanes == MODEL_EXACT)
        return memcmp(old, new, size) == 0;
    size_t lane = lanes == MODEL_FLOATS ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < size; i += lane) {
        bool same = lanes == MODEL_FLOATS ? float_lane_same(old + i, new + i) : double_lane_same(old + i, new + i);
        if (!same)
            return false;
    }
    return true;
}

/* Whether every byte has a last access, and the values of these are the new ones. */
static bool is_silent(const struct last *const *last, size_t size, const uint8_t *value, enum model_lanes lanes)
{
    uint8_t old[MODEL_ACCESS_MAX];
    for (size_t i = 0; i < size; i++) {
        if (!last[i]->known)
            return false;
        old[i] = last[i]->value;
    }
    return same_value(old, value, size, lanes);
}

/*
 * Adds an access to its pairs, byte by byte, whether wasted or not. The access itself is an event of the pair of its
 * lowest byte that has a last access. A dead store has the first store's class. The kernel's stores are never dead:
 * there is no such pair, and an access whose event it would be has none.
 */
static void count(struct model *model, enum model_kind kind, const struct last *const *last, size_t size,
                  unsigned context, bool approximate, bool wasted)
{
    bool counted = false, dead_stores = kind == MODEL_DEAD_STORE;
    for (size_t i = 0; i < size; i++) {
        if (!last[i]->known)
            continue;
        bool class = dead_stores ? last[i]->approximate : approximate;
        struct model_counts *pair = &model->pairs[kind][class][last[i]->context][context];
        bool event = !counted, absent = dead_stores && last[i]->system;
        counted = true;
        if (absent)
            continue;
        pair->bytes++;
        pair->wasted_bytes += wasted;
        pair->events += event;
        pair->wasted_events += event && wasted;
    }
}

void model_load(struct model *model, size_t at, size_t size, const uint8_t *value, unsigned context,
                enum model_lanes lanes)
{
    const struct last *last[MODEL_ACCESS_MAX] = {NULL};
    for (size_t i = 0; i < size; i++)
        last[i] = &model->memory[at + i].load;
    bool silent = is_silent(last, size, value, lanes);
    count(model, MODEL_SILENT_LOAD, last, size, context, lanes != MODEL_EXACT, silent);
    for (size_t i = 0; i < size; i++) {
        struct byte *byte = &model->memory[at + i];
        byte->load = (struct last){true, lanes != MODEL_EXACT, false, value[i], (uint8_t)context};
        byte->loaded_since_store = true;
    }
}

static bool was_dead(const struct byte *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!bytes[i].store.known || bytes[i].loaded_since_store)
            return false;
    return true;
}

static void remember_store(struct model *model, size_t at, size_t size, const uint8_t *value, unsigned context,
                           bool approximate, bool system)
{
    for (size_t i = 0; i < size; i++) {
        struct byte *byte = &model->memory[at + i];
        byte->store = (struct last){true, approximate, system, value[i], (uint8_t)context};
        byte->loaded_since_store = false;
    }
}

void model_store(struct model *model, size_t at, size_t size, const uint8_t *value, unsigned context,
                 enum model_lanes lanes)
{
    const struct last *last[MODEL_ACCESS_MAX] = {NULL};
    for (size_t i = 0; i < size; i++)
        last[i] = &model->memory[at + i].store;
    bool approximate = lanes != MODEL_EXACT;
    bool silent = is_silent(last, size, value, lanes);
    bool dead = was_dead(&model->memory[at], size);
    count(model, MODEL_SILENT_STORE, last, size, context, approximate, silent);
    count(model, MODEL_DEAD_STORE, last, size, context, approximate, dead);
    remember_store(model, at, size, value, context, approximate, false);
}

void model_system_read(struct model *model, size_t at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        model->memory[at + i].loaded_since_store = true;
}

void model_system_write(struct model *model, size_t at, size_t size, const uint8_t *value, unsigned context)
{
    remember_store(model, at, size, value, context, false, true);
}

void model_forget(struct model *model, size_t at, size_t size)
{
    memset(&model->memory[at], 0, size * sizeof model->memory[0]);
}

struct model_counts model_pair(const struct model *model, enum model_kind kind, bool approximate, unsigned first,
                               unsigned second)
{
    return model->pairs[kind][approximate][first][second];
}
