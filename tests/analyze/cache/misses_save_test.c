/* Without memory, a state is not saved at all, rather than without some of its numbers. */
#include "analyze/cache/misses.h"

#include <stdlib.h>

#include "tests/tap.h"

static size_t failing; /* so many allocations of Jansson succeed, then one fails */

static void *allocate_but_one(size_t bytes)
{
    return failing-- > 0 ? malloc(bytes) : NULL;
}

static struct misses *make_misses(void)
{
    struct cache_machine machine = {0};
    struct error_text message;
    if (cache_machine_find("D1=64,2,16", &machine, &message) != STATUS_GOOD)
        return NULL;
    struct misses *misses = misses_new(&machine, false);
    struct misses_trace trace = {.path = misses ? relations_text(&misses->relations, "a.trace") : FIELD_NONE};
    bool good = trace.path == 0 && relations_add(&misses->relations, MISSES_TRACES, &trace) == 0;
    for (uint32_t i = 0; good && i < 40; i++)
        good = relations_add(&misses->relations, MISSES_LOCATIONS, &(struct misses_location){.line = i}) == i;
    if (!good)
        return NULL;
    return misses;
}

int main(void)
{
    struct misses *misses = make_misses();
    if (!ok(misses != NULL, "a state with 40 locations"))
        return done_testing();
    json_t *whole = misses_save(misses);
    json_set_alloc_funcs(allocate_but_one, free);
    size_t failed = 0, partial = 0, saved = 0;
    for (size_t nth = 0; saved == 0 && nth < 100000; nth++) {
        failing = nth;
        json_t *state = misses_save(misses);
        saved += state && json_equal(state, whole);
        partial += state && !json_equal(state, whole);
        failed += !state;
        json_decref(state);
    }
    json_set_alloc_funcs(malloc, free);
    is_u64(saved, 1, "if no allocation fails, it is saved as a whole");
    ok(failed > 500 && partial == 0, "if one fails, it is not saved: %zu of %zu times", failed, failed + partial);
    json_decref(whole);
    misses_free(misses);
    return done_testing();
}
