/* model_test.c - the reference model against cases counted by hand. */
#include "tests/exact/tool/model.h"

#include <stdlib.h>

#include "tests/tap.h"

static struct model *model;

static void is_pair(enum model_kind kind, bool approximate, unsigned first, unsigned second,
                    struct model_counts expected, const char *what)
{
    struct model_counts got = model_pair(model, kind, approximate, first, second);
    if (!ok(memcmp(&got, &expected, sizeof got) == 0, "%s", what))
        printf("# got %lu %lu %lu %lu\n", got.events, got.wasted_events, got.bytes, got.wasted_bytes);
}

static void store(size_t at, size_t size, uint64_t value, unsigned context)
{
    model_store(model, at, size, (const uint8_t *)&value, context, MODEL_EXACT);
}

static void load(size_t at, size_t size, uint64_t value, unsigned context)
{
    model_load(model, at, size, (const uint8_t *)&value, context, MODEL_EXACT);
}

static void store_float(size_t at, float value, unsigned context)
{
    model_store(model, at, sizeof value, (const uint8_t *)&value, context, MODEL_FLOATS);
}

static void afresh(void)
{
    model_free(model);
    model = model_create();
    if (!model)
        abort();
}

static void test_stores(void)
{
    afresh();
    store(0, 4, 7, 1);
    is_pair(MODEL_DEAD_STORE, false, 1, 1, (struct model_counts){0}, "the first store makes no pair");
    store(0, 4, 7, 2);
    is_pair(MODEL_DEAD_STORE, false, 1, 2, (struct model_counts){1, 1, 4, 4},
            "a store over one that was not loaded: dead");
    is_pair(MODEL_SILENT_STORE, false, 1, 2, (struct model_counts){1, 1, 4, 4}, "  of the same value: silent");
    load(0, 1, 7, 3);
    store(0, 4, 8, 4);
    is_pair(MODEL_DEAD_STORE, false, 2, 4, (struct model_counts){1, 0, 4, 0}, "one byte of it loaded: not dead");
    is_pair(MODEL_SILENT_STORE, false, 2, 4, (struct model_counts){1, 0, 4, 0}, "  one byte differs: not silent");
    store(0, 8, 8, 5);
    is_pair(MODEL_DEAD_STORE, false, 4, 5, (struct model_counts){1, 0, 4, 0},
            "half of the bytes without a last store: not dead");
    is_pair(MODEL_SILENT_STORE, false, 4, 5, (struct model_counts){1, 0, 4, 0}, "  nor silent");
}

static void test_mixed_sizes(void)
{
    afresh();
    store(8, 4, 1, 1);
    store(12, 4, 2, 2);
    store(8, 8, UINT64_C(0x200000001), 3);
    is_pair(MODEL_SILENT_STORE, false, 1, 3, (struct model_counts){1, 1, 4, 4},
            "eight bytes stored over four and four: a pair with the lower half");
    is_pair(MODEL_SILENT_STORE, false, 2, 3, (struct model_counts){0, 0, 4, 4},
            "  and one with the upper half, which has bytes but no event");
    load(8, 8, UINT64_C(0x200000001), 4);
    load(9, 2, 0, 5);
    is_pair(MODEL_SILENT_LOAD, false, 4, 5, (struct model_counts){1, 1, 2, 2},
            "two of eight bytes loaded again: silent");
    load(6, 4, UINT64_C(0x10000), 6);
    is_pair(MODEL_SILENT_LOAD, false, 4, 6, (struct model_counts){1, 0, 1, 0},
            "two bytes without a last load: a pair with byte 8");
    is_pair(MODEL_SILENT_LOAD, false, 5, 6, (struct model_counts){0, 0, 1, 0}, "  and one with byte 9");
    is_pair(MODEL_SILENT_LOAD, false, 6, 6, (struct model_counts){0}, "  and none with itself");
}

static void test_system_calls(void)
{
    afresh();
    const uint8_t zeros[4] = {0};
    store(0, 4, 1, 1);
    model_system_read(model, 3, 1);
    store(0, 4, 1, 2);
    is_pair(MODEL_DEAD_STORE, false, 1, 2, (struct model_counts){1, 0, 4, 0}, "read by the kernel: not dead");
    model_system_write(model, 0, 4, zeros, 9);
    store(0, 4, 0, 3);
    is_pair(MODEL_DEAD_STORE, false, 9, 3, (struct model_counts){0}, "a store over the kernel's: no dead store");
    is_pair(MODEL_SILENT_STORE, false, 9, 3, (struct model_counts){1, 1, 4, 4},
            "  but silent if the value is the same");
    model_system_write(model, 0, 2, zeros, 9);
    store(0, 4, 0, 3);
    is_pair(MODEL_DEAD_STORE, false, 3, 3, (struct model_counts){0, 0, 2, 2},
            "a store over half the kernel's: the other half is dead");
    load(0, 4, 0, 4);
    model_system_write(model, 0, 4, zeros, 9);
    load(0, 4, 0, 4);
    is_pair(MODEL_SILENT_LOAD, false, 4, 4, (struct model_counts){1, 1, 4, 4},
            "a load after the kernel's store of the same value: silent");
    model_forget(model, 0, 4);
    store(0, 4, 0, 5);
    load(0, 4, 0, 6);
    is_pair(MODEL_DEAD_STORE, false, 9, 5, (struct model_counts){0}, "forgotten bytes have no last store");
    is_pair(MODEL_SILENT_LOAD, false, 4, 6, (struct model_counts){0}, "  and no last load");
}

static void test_floats(void)
{
    afresh();
    store_float(0, 100, 1);
    store_float(0, 100.5F, 2);
    is_pair(MODEL_SILENT_STORE, true, 1, 2, (struct model_counts){1, 1, 4, 4}, "a float within 1 %: silent");
    is_pair(MODEL_DEAD_STORE, true, 1, 2, (struct model_counts){1, 1, 4, 4}, "  dead, in the class of the first store");
    store_float(0, 102, 3);
    is_pair(MODEL_SILENT_STORE, true, 2, 3, (struct model_counts){1, 0, 4, 0}, "1.5 % away: not silent");
    store(0, 4, 0x42cc0000, 4);
    is_pair(MODEL_SILENT_STORE, false, 3, 4, (struct model_counts){1, 1, 4, 4}, "an integer store of its bits: silent");
    is_pair(MODEL_DEAD_STORE, true, 3, 4, (struct model_counts){1, 1, 4, 4}, "  dead, in the class of a float");
    store_float(0, INFINITY, 5);
    store_float(0, 1, 6);
    is_pair(MODEL_SILENT_STORE, true, 5, 6, (struct model_counts){1, 0, 4, 0}, "1 after infinity: not silent");
    store_float(0, NAN, 7);
    store_float(0, NAN, 8);
    is_pair(MODEL_SILENT_STORE, true, 6, 7, (struct model_counts){1, 0, 4, 0}, "NaN after a number: not silent");
    is_pair(MODEL_SILENT_STORE, true, 7, 8, (struct model_counts){1, 1, 4, 4}, "the same NaN again: silent");
    const double denormal[2] = {67 * 0x1p-1074, 68 * 0x1p-1074};
    model_load(model, 80, 8, (const uint8_t *)&denormal[0], 9, MODEL_DOUBLES);
    model_load(model, 80, 8, (const uint8_t *)&denormal[1], 10, MODEL_DOUBLES);
    is_pair(MODEL_SILENT_LOAD, true, 9, 10, (struct model_counts){1, 0, 8, 0},
            "a denormal number 1.5 % away: not silent");
    const double old[2] = {100, 100}, new[2] = {100.5, 102};
    model_load(model, 64, 16, (const uint8_t *)old, 1, MODEL_DOUBLES);
    model_load(model, 64, 16, (const uint8_t *)new, 2, MODEL_DOUBLES);
    is_pair(MODEL_SILENT_LOAD, true, 1, 2, (struct model_counts){1, 0, 16, 0}, "one of two lanes too far: not silent");
}

int main(void)
{
    test_stores();
    test_mixed_sizes();
    test_system_calls();
    test_floats();
    model_free(model);
    return done_testing();
}
