/* Histograms of few frequent numbers: exact while there is capacity, and the promise of Misra and Gries beyond. */
#include "analyze/strides/histogram.h"

#include <stdlib.h>

#include "tests/tap.h"

enum { NUMBERS = 1000 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static const struct histogram_entry *entry_of(const struct histogram *histogram, int64_t number)
{
    for (uint32_t i = 0; i < histogram->used; i++)
        if (histogram->entries[i].number == number)
            return &histogram->entries[i];
    return NULL;
}

static void test_few(void)
{
    struct histogram histogram = {0};
    const int64_t numbers[] = {8, 8, -64, 8, 0, -64, 8};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        histogram_add(&histogram, numbers[i], 1);
    is_u64(histogram.total, 7, "seven numbers");
    is_u64(histogram_top(&histogram)->count, 4, "8 came four times");
    ok(histogram_top(&histogram)->number == 8, "and is the most frequent one");
    is_real(histogram_share(&histogram), 4.0 / 7, 1e-15, "with a share of 4/7");
    histogram_sort(&histogram);
    ok(histogram.entries[1].number == -64 && histogram.entries[2].number == 0, "the others follow by their counts");
    histogram_free(&histogram);
}

static void test_tie(void)
{
    struct histogram histogram = {0};
    histogram_add(&histogram, 16, 3);
    histogram_add(&histogram, -8, 3);
    ok(histogram_top(&histogram)->number == -8, "of equally frequent numbers the smallest comes first");
    histogram_free(&histogram);
    ok(!histogram_top(&histogram) && histogram_share(&histogram) == 0, "an empty one has none");
}

/* Whether the promises hold against exact counts: whatever is more than one of 33 is there, and no count is too high,
 * nor too low by more than `before`. */
static void check_bounds(const struct histogram *histogram, const uint64_t *exact, const char *what)
{
    bool kept = true, bounded = true;
    uint64_t total = 0;
    for (int64_t number = 0; number < NUMBERS; number++)
        total += exact[number];
    for (int64_t number = 0; number < NUMBERS; number++) {
        const struct histogram_entry *entry = entry_of(histogram, number);
        kept &= entry || exact[number] * (HISTOGRAM_MAX + 1) <= total;
        bounded &= !entry || (entry->count <= exact[number] && exact[number] <= entry->count + entry->before);
    }
    is_u64(histogram->total, total, what);
    ok(kept, "%s: what is frequent is kept", what);
    ok(bounded, "%s: counts are within their bounds", what);
}

/* Half of the numbers are `often`, the others random; it begins with random ones alone. */
static void fill(struct histogram *histogram, uint64_t *exact, int64_t often, uint64_t seed)
{
    for (unsigned i = 0; i < 20000; i++) {
        int64_t number = i > 1000 && next_random(&seed) % 2 ? often : (int64_t)(next_random(&seed) % NUMBERS);
        histogram_add(histogram, number, 1);
        exact[number]++;
    }
}

static void test_many(void)
{
    struct histogram first = {0}, second = {0};
    uint64_t exact[NUMBERS] = {0}, other[NUMBERS] = {0};
    fill(&first, exact, 7, 1);
    fill(&second, other, 500, 2);
    check_bounds(&first, exact, "a stream");
    check_bounds(&second, other, "another one");
    ok(histogram_top(&first)->number == 7, "half of the first are 7");
    for (unsigned i = 0; i < NUMBERS; i++)
        exact[i] += other[i];
    histogram_class.join(&first, &second);
    check_bounds(&first, exact, "both together");
    histogram_free(&first);
    histogram_free(&second);
}

static void test_save(void)
{
    struct histogram histogram = {0}, loaded = {0}, bad = {0};
    uint64_t exact[NUMBERS] = {0};
    fill(&histogram, exact, 3, 3);
    json_t *saved = histogram_class.save(&histogram), *wrong = json_pack("[i,i]", 1, 2);
    ok(histogram_class.load(&loaded, saved) == 0, "a saved one loads");
    check_bounds(&loaded, exact, "loaded");
    ok(histogram_class.load(&bad, wrong) != 0, "anything else does not");
    json_decref(saved);
    json_decref(wrong);
    histogram_free(&histogram);
    histogram_free(&loaded);
    histogram_free(&bad);
}

int main(void)
{
    test_few();
    test_tie();
    test_many();
    test_save();
    return done_testing();
}
