#include "stats/exact/series.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 256 };

/* Common exponent of values that are all 0: larger than any. */
static const int32_t any_exponent = INT32_MAX;

void series_free(struct series *series)
{
    free(series->fixed);
    free(series->wide);
    *series = (struct series){0};
}

/* An array for n more values of that size, `array` if it has capacity. NULL, and array as before, if there is no
 * memory. */
static void *series_grow_array(void *array, size_t value_size, const struct series *series, size_t n, size_t *capacity)
{
    size_t most = PTRDIFF_MAX / value_size;
    *capacity = series->capacity;
    if (series->n > most || n > most - series->n)
        return NULL;
    if (array && series->n + n <= series->capacity)
        return array;
    size_t wanted = series->n + n, doubled = series->capacity < most / 2 ? 2 * series->capacity : most;
    *capacity = wanted > doubled ? wanted : doubled;
    *capacity = *capacity < CAPACITY_MIN ? CAPACITY_MIN : *capacity;
    return realloc(array, *capacity * value_size);
}

static enum stats_status series_reserve_fixed(struct series *series, size_t n)
{
    size_t capacity;
    int64_t *fixed = series_grow_array(series->fixed, sizeof *fixed, series, n, &capacity);
    if (!fixed)
        return STATS_NO_MEMORY;
    series->fixed = fixed;
    series->capacity = capacity;
    return STATS_OK;
}

/* Makes capacity for n more values in 113 bits; existing ones move. */
static enum stats_status series_reserve_wide(struct series *series, size_t n)
{
    size_t capacity;
    __float128 *wide = series_grow_array(series->wide, sizeof *wide, series, n, &capacity);
    if (!wide)
        return STATS_NO_MEMORY;
    if (!series->wide)
        for (size_t i = 0; i < series->n; i++)
            wide[i] = decimal_to_quad((struct decimal){series->fixed[i], series->exponent});
    free(series->fixed);
    series->fixed = NULL;
    series->wide = wide;
    series->capacity = capacity;
    return STATS_OK;
}

/* Multiplies the existing values so that their exponent becomes `exponent`. False, with nothing changed, if it can't.
 */
static bool series_rescale(struct series *series, int32_t exponent)
{
    int64_t magnitude, power;
    if (!decimal_align((struct decimal){series->magnitude, series->exponent}, exponent, &magnitude))
        return false;
    if (exponent != series->exponent && magnitude > 0) {
        decimal_align((struct decimal){1, series->exponent}, exponent, &power);
        for (size_t i = 0; i < series->n; i++)
            series->fixed[i] *= power;
    }
    series->magnitude = magnitude;
    series->exponent = exponent;
    return true;
}

static int32_t series_exponent(const struct series *series)
{
    return series->magnitude > 0 ? series->exponent : any_exponent;
}

static int64_t series_larger_magnitude(int64_t magnitude, int64_t value)
{
    value = value < 0 ? -value : value;
    return value > magnitude ? value : magnitude;
}

/* Values written beyond n do not belong to the series until all of them fit. */
static bool series_append_fixed(struct series *series, const struct decimal *values, size_t n)
{
    assert(series->n + n <= series->capacity);
    /* The smallest exponent of the new and the existing values. */
    int32_t common = series_exponent(series);
    for (size_t i = 0; i < n; i++)
        if (values[i].exponent < common && values[i].digits != 0) {
            int32_t reduced = decimal_reduce(values[i]).exponent;
            common = reduced < common ? reduced : common;
        }
    int32_t exponent = common == any_exponent ? 0 : common;
    int64_t *end = series->fixed + series->n, magnitude = 0;
    for (size_t i = 0; i < n; i++) {
        if (values[i].exponent == exponent)
            end[i] = values[i].digits;
        else if (!decimal_align(values[i], exponent, &end[i]))
            return false;
        magnitude = series_larger_magnitude(magnitude, end[i]);
    }
    if (!series_rescale(series, exponent))
        return false;
    series->magnitude = series_larger_magnitude(series->magnitude, magnitude);
    series->n += n;
    return true;
}

enum stats_status series_append(struct series *series, const struct decimal *values, size_t n)
{
    if (n == 0)
        return STATS_OK;
    if (!series->wide) {
        enum stats_status status = series_reserve_fixed(series, n);
        if (status)
            return status;
        if (series_append_fixed(series, values, n))
            return STATS_OK;
    }
    enum stats_status status = series_reserve_wide(series, n);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        series->wide[series->n++] = decimal_to_quad(values[i]);
    return STATS_OK;
}

static bool series_join_fixed(struct series *series, const struct series *later)
{
    int32_t mine = series_exponent(series), other = series_exponent(later), exponent = mine < other ? mine : other;
    int64_t power = 1, magnitude;
    if (exponent == any_exponent)
        exponent = 0;
    if (!decimal_align((struct decimal){later->magnitude, later->exponent}, exponent, &magnitude) ||
        !series_rescale(series, exponent))
        return false;
    if (magnitude > 0)
        decimal_align((struct decimal){1, later->exponent}, exponent, &power);
    for (size_t i = 0; i < later->n; i++)
        series->fixed[series->n++] = later->fixed[i] * power;
    series->magnitude = series_larger_magnitude(series->magnitude, magnitude);
    return true;
}

enum stats_status series_join(struct series *series, const struct series *later)
{
    if (later->n == 0)
        return STATS_OK;
    if (!series->wide && !later->wide) {
        enum stats_status status = series_reserve_fixed(series, later->n);
        if (status)
            return status;
        if (series_join_fixed(series, later))
            return STATS_OK;
    }
    enum stats_status status = series_reserve_wide(series, later->n);
    if (status)
        return status;
    for (size_t i = 0; i < later->n; i++)
        series->wide[series->n++] = series_quad(later, i);
    return STATS_OK;
}

double series_double(const struct series *series, size_t i)
{
    if (series->wide)
        return (double)series->wide[i];
    return decimal_to_double((struct decimal){series->fixed[i], series->exponent});
}

__float128 series_quad(const struct series *series, size_t i)
{
    if (series->wide)
        return series->wide[i];
    return decimal_to_quad((struct decimal){series->fixed[i], series->exponent});
}

void series_to_doubles(const struct series *series, double *x)
{
    for (size_t i = 0; i < series->n; i++)
        x[i] = series_double(series, i);
}

static int series_compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Rounding keeps the order, so the doubles can be sorted. */
void series_to_sorted(const struct series *series, double *x)
{
    series_to_doubles(series, x);
    qsort(x, series->n, sizeof *x, series_compare_doubles);
}

/* What precedes the values. */
struct header {
    size_t n;
    int32_t exponent;
    int64_t magnitude;
    bool is_wide;
};

enum stats_status series_write(const struct series *series, FILE *to)
{
    const struct header header = {series->n, series->exponent, series->magnitude, series->wide != NULL};
    bool good = fwrite(&header, sizeof header, 1, to) == 1;
    if (series->wide)
        good = good && fwrite(series->wide, sizeof *series->wide, series->n, to) == series->n;
    else if (series->fixed)
        good = good && fwrite(series->fixed, sizeof *series->fixed, series->n, to) == series->n;
    return good ? STATS_OK : STATS_NO_MEMORY;
}

enum stats_status series_read(struct series *series, FILE *from)
{
    struct header header;
    *series = (struct series){0};
    if (fread(&header, sizeof header, 1, from) != 1)
        return STATS_NO_MEMORY;
    size_t size = header.is_wide ? sizeof *series->wide : sizeof *series->fixed;
    void *values = header.n > 0 ? calloc(header.n, size) : NULL;
    if (header.n > 0 && (!values || fread(values, size, header.n, from) != header.n)) {
        free(values);
        return STATS_NO_MEMORY;
    }
    *series = (struct series){.n = header.n,
                              .capacity = header.n,
                              .exponent = header.exponent,
                              .magnitude = header.magnitude,
                              .fixed = header.is_wide ? NULL : values,
                              .wide = header.is_wide ? values : NULL};
    return STATS_OK;
}

void series_drop_first(struct series *series, size_t count)
{
    if (count > series->n)
        count = series->n;
    series->n -= count;
    if (series->fixed)
        memmove(series->fixed, series->fixed + count, series->n * sizeof *series->fixed);
    if (series->wide)
        memmove(series->wide, series->wide + count, series->n * sizeof *series->wide);
}
