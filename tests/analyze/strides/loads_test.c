/* The state of assay strides: a row keeps its first partners, however states are merged. */
#include "analyze/strides/loads.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/tap.h"

static uint32_t add_location(struct loads *loads, uint32_t number)
{
    const struct loads_location location = {.text = relations_text(&loads->relations, "walk:1"),
                                            .module = relations_text(&loads->relations, "a.out"),
                                            .bytes = 8,
                                            .number = number,
                                            .file = relations_text(&loads->relations, "a.c")};
    return relations_add(&loads->relations, LOADS_LOCATIONS, &location);
}

/* A state with a row that depends `times` on each of so many loads, from this one on. */
static struct loads make_loads(uint32_t first, uint32_t count, unsigned times)
{
    struct loads loads;
    struct loads_partner *partner;
    loads_init(&loads);
    uint32_t location = add_location(&loads, 100), row = loads_row(&loads, location, location, location, location);
    for (unsigned i = 0; i < times * count; i++) {
        int error = loads_partner(&loads, row, add_location(&loads, first + i % count), LOADS_BASE, &partner);
        if (error || !partner)
            continue;
        partner->executions++;
        histogram_add(&partner->offsets, 16, 1);
    }
    return loads;
}

static uint32_t partner_number(const struct loads *loads, uint32_t i)
{
    return loads_location_at(loads, loads_partner_at(loads, loads_row_at(loads, 0), i)->location)->number;
}

static void test_partners(void)
{
    struct loads few = make_loads(5, 5, 2), many = make_loads(0, 20, 3), copy;
    const struct loads_row *row = loads_row_at(&many, 0);
    is_u64(row->partner_count, LOADS_PARTNERS_MAX, "a row has at most so many partners");
    is_u64(loads_partner_at(&many, row, 7)->executions, 3, "  which are counted");
    ok(relations_merge(&few.relations, &many.relations) == 0, "another state is merged into one with few partners");
    row = loads_row_at(&few, 0);
    is_u64(row->partner_count, LOADS_PARTNERS_MAX, "  the row has as many as it may have");
    is_u64(relations_count(&few.relations, LOADS_PARTNERS), LOADS_PARTNERS_MAX, "  and so has the state");
    ok(partner_number(&few, 0) == 5 && partner_number(&few, 4) == 9, "  its own stay the first ones");
    ok(partner_number(&few, 5) == 0 && partner_number(&few, 7) == 2, "  then come those of the other one");
    is_u64(loads_partner_at(&few, row, 2)->executions, 5, "  and the sum of what both have");
    is_u64(histogram_top(&loads_partner_at(&few, row, 2)->offsets)->count, 5, "  histograms are added");

    json_t *saved = relations_save(&few.relations);
    loads_init(&copy);
    ok(relations_load(&copy.relations, saved) == 0, "a saved state is loaded");
    json_t *again = relations_save(&copy.relations);
    ok(json_equal(saved, again), "  and is the same");
    ok(partner_number(&copy, 7) == 2, "  with the partners of its row");
    relations_free(&copy.relations);
    json_t *partners = json_object_get(saved, "partners"), *more = json_deep_copy(json_array_get(partners, 0));
    json_array_set_new(more, 2, json_integer(LOADS_INDEX));
    json_array_append_new(partners, more);
    loads_init(&copy);
    ok(relations_load(&copy.relations, saved) == EINVAL, "a saved row with too many partners is refused");
    relations_free(&copy.relations);
    json_array_remove(partners, LOADS_PARTNERS_MAX);
    json_array_set_new(json_array_get(json_object_get(saved, "locations"), 0), 4, json_integer(0));
    loads_init(&copy);
    ok(relations_load(&copy.relations, saved) == EINVAL, "and so is a load of no bytes");
    relations_free(&copy.relations);
    json_decref(saved);
    json_decref(again);
    relations_free(&few.relations);
    relations_free(&many.relations);
}

static void test_totals(void)
{
    struct loads a, b;
    loads_init(&a);
    loads_init(&b);
    is_u64(loads_totals_of(&a)->traces, 0, "an empty state has no traces");
    loads_add_totals(&a, &(struct loads_totals){.traces = 1, .before = {.write_backs = {0, 0, 7}}});
    loads_add_totals(&b, &(struct loads_totals){.traces = 2, .before = {.write_backs = {0, 0, 8}}});
    relations_merge(&a.relations, &b.relations);
    is_u64(loads_totals_of(&a)->traces, 3, "totals are added");
    is_u64(loads_totals_of(&a)->before.write_backs[2], 15, "  and so are all counts of the caches");
    relations_free(&a.relations);
    relations_free(&b.relations);
}

int main(void)
{
    test_partners();
    test_totals();
    return done_testing();
}
