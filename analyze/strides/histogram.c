#include "analyze/strides/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4 };

static struct histogram_entry *histogram_find(const struct histogram *histogram, int64_t number)
{
    for (uint32_t i = 0; i < histogram->used; i++)
        if (histogram->entries[i].number == number)
            return &histogram->entries[i];
    return NULL;
}

/* What comes often stands near the front, where it is found first. */
static void histogram_advance(struct histogram *histogram, struct histogram_entry *entry)
{
    if (entry > histogram->entries && entry[-1].count < entry->count) {
        struct histogram_entry other = entry[-1];
        entry[-1] = *entry;
        *entry = other;
    }
}

static int histogram_reserve(struct histogram *histogram)
{
    uint32_t capacity = histogram->capacity ? 2 * histogram->capacity : FIRST_CAPACITY;
    struct histogram_entry *entries = reallocarray(histogram->entries, capacity, sizeof *entries);
    if (!entries)
        return ENOMEM;
    histogram->entries = entries;
    histogram->capacity = capacity;
    return 0;
}

static int histogram_insert(struct histogram *histogram, struct histogram_entry entry)
{
    /* A full histogram takes as many lives from all as the poorest has, or the new one. */
    while (histogram->used == HISTOGRAM_MAX && entry.lives > 0) {
        uint64_t lives = entry.lives;
        uint32_t left = 0;
        for (uint32_t i = 0; i < histogram->used; i++)
            if (histogram->entries[i].lives < lives)
                lives = histogram->entries[i].lives;
        for (uint32_t i = 0; i < histogram->used; i++) {
            histogram->entries[i].lives -= lives;
            if (histogram->entries[i].lives > 0)
                histogram->entries[left++] = histogram->entries[i];
        }
        histogram->used = left;
        histogram->lost += lives;
        entry.lives -= lives;
    }
    if (entry.lives == 0)
        return 0;
    if (histogram->used == histogram->capacity && histogram_reserve(histogram) != 0)
        return ENOMEM;
    histogram->entries[histogram->used++] = entry;
    histogram_advance(histogram, &histogram->entries[histogram->used - 1]);
    return 0;
}

int histogram_add(struct histogram *histogram, int64_t number, uint64_t times)
{
    struct histogram_entry *entry = histogram_find(histogram, number);
    histogram->total += times;
    if (!entry)
        return histogram_insert(histogram, (struct histogram_entry){number, times, times, histogram->lost});
    entry->count += times;
    entry->lives += times;
    histogram_advance(histogram, entry);
    return 0;
}

static int histogram_join(void *into, const void *from_other)
{
    struct histogram *histogram = into;
    const struct histogram *other = from_other;
    uint64_t lost = histogram->lost;
    int error = 0;
    histogram->total += other->total;
    for (uint32_t i = 0; !error && i < other->used; i++) {
        const struct histogram_entry *from = &other->entries[i];
        struct histogram_entry *entry = histogram_find(histogram, from->number);
        if (entry) {
            entry->count += from->count;
            entry->lives += from->lives;
            entry->before += from->before;
        } else
            error = histogram_insert(
                histogram, (struct histogram_entry){from->number, from->count, from->lives, lost + from->before});
    }
    histogram->lost += other->lost;
    return error;
}

void histogram_free(void *object)
{
    struct histogram *histogram = object;
    free(histogram->entries);
    *histogram = (struct histogram){0};
}

static int histogram_compare_counts(const void *a, const void *b)
{
    const struct histogram_entry *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void histogram_sort(struct histogram *histogram)
{
    if (histogram->used > 1)
        qsort(histogram->entries, histogram->used, sizeof *histogram->entries, histogram_compare_counts);
}

const struct histogram_entry *histogram_top(const struct histogram *histogram)
{
    const struct histogram_entry *top = NULL;
    for (uint32_t i = 0; i < histogram->used; i++)
        if (!top || histogram_compare_counts(&histogram->entries[i], top) < 0)
            top = &histogram->entries[i];
    return top;
}

const struct histogram_entry *histogram_top_but(const struct histogram *histogram, int64_t number, uint64_t *others)
{
    const struct histogram_entry *top = NULL;
    *others = histogram->total;
    for (uint32_t i = 0; i < histogram->used; i++)
        if (histogram->entries[i].number == number)
            *others -= histogram->entries[i].count;
        else if (!top || histogram_compare_counts(&histogram->entries[i], top) < 0)
            top = &histogram->entries[i];
    return top;
}

double histogram_share(const struct histogram *histogram)
{
    const struct histogram_entry *top = histogram_top(histogram);
    return top ? (double)top->count / (double)histogram->total : 0;
}

/* ------------------------------------------------------------------------------------------- partial states -- */

static json_t *histogram_save(const void *object)
{
    const struct histogram *histogram = object;
    json_t *entries = json_array();
    for (uint32_t i = 0; i < histogram->used; i++) {
        const struct histogram_entry *entry = &histogram->entries[i];
        json_array_append_new(entries, json_pack("[I,I,I,I]", (json_int_t)entry->number, (json_int_t)entry->count,
                                                 (json_int_t)entry->lives, (json_int_t)entry->before));
    }
    if (json_array_size(entries) < histogram->used) {
        json_decref(entries);
        return NULL;
    }
    return json_pack("[I,I,o]", (json_int_t)histogram->total, (json_int_t)histogram->lost, entries);
}

static int histogram_load(void *object, const json_t *saved)
{
    struct histogram *histogram = object;
    json_int_t total, lost;
    json_t *entries;
    if (json_unpack((json_t *)saved, "[I,I,o!]", &total, &lost, &entries) != 0 || total < 0 || lost < 0 ||
        json_array_size(entries) > HISTOGRAM_MAX)
        return EINVAL;
    histogram->total = (uint64_t)total;
    histogram->lost = (uint64_t)lost;
    for (size_t i = 0; i < json_array_size(entries); i++) {
        json_int_t number, count, lives, before;
        if (json_unpack(json_array_get(entries, i), "[I,I,I,I!]", &number, &count, &lives, &before) != 0 || count < 1 ||
            lives < 1 || before < 0)
            return EINVAL;
        if (histogram->used == histogram->capacity && histogram_reserve(histogram) != 0)
            return ENOMEM;
        histogram->entries[histogram->used++] =
            (struct histogram_entry){number, (uint64_t)count, (uint64_t)lives, (uint64_t)before};
    }
    return 0;
}

const struct field_class histogram_class = {.bytes = sizeof(struct histogram),
                                            .join = histogram_join,
                                            .save = histogram_save,
                                            .load = histogram_load,
                                            .free = histogram_free};
