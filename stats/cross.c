#include "stats/cross.h"

#include <stdlib.h>

#include "stats/dot.h"

enum { FIXED_ROWS_LOG2 = 9, FIXED_ROWS = 1 << FIXED_ROWS_LOG2, WIDE_ROWS = 128 };

/* Σ a·b, in 128 bits for as many rows (step) as those can take. */
static struct wide dot_fixed(const int64_t *a, const int64_t *b, size_t n, size_t step)
{
    struct wide sum = {0, 0};
    for (size_t i = 0; i < n; i += step) {
        wide_i128 part = (wide_i128)dot_wide(a + i, b + i, n - i < step ? n - i : step);
        sum = wide_add(sum, (struct wide){(wide_u128)part, part < 0 ? ~(wide_u128)0 : 0});
    }
    return sum;
}

static size_t step_of(const struct column *a, const struct column *b)
{
    unsigned spare = 127 - a->bits - b->bits; /* at least 3 */
    return (size_t)1 << (spare < FIXED_ROWS_LOG2 ? spare : FIXED_ROWS_LOG2);
}

static void add_fixed(const struct column *columns, size_t count, size_t n, struct wide *sums)
{
    int64_t ones[FIXED_ROWS];
    const int64_t *rows[CROSS_COLUMNS_MAX];
    for (size_t i = 0; i < FIXED_ROWS; i++)
        ones[i] = 1;
    for (size_t first = 0; first < n; first += FIXED_ROWS) {
        size_t block = n - first < FIXED_ROWS ? n - first : FIXED_ROWS;
        for (size_t i = 0; i < count; i++)
            rows[i] = columns[i].series ? columns[i].series->fixed + first : ones;
        for (size_t i = 0; i < count; i++)
            for (size_t j = i; j < count; j++) {
                struct wide part = dot_fixed(rows[i], rows[j], block, step_of(&columns[i], &columns[j]));
                sums[i * count + j] = wide_add(sums[i * count + j], part);
            }
    }
}

static struct wide dot_long(const wide_i128 *a, const wide_i128 *b, size_t n)
{
    struct wide sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        sum = wide_add(sum, wide_multiply(a[i], b[i]));
    return sum;
}

static enum stats_status add_wide(const struct column *columns, size_t count, size_t n, struct wide *sums)
{
    wide_i128 *rows = malloc(count * WIDE_ROWS * sizeof *rows);
    if (!rows)
        return STATS_NO_MEMORY;
    for (size_t first = 0; first < n; first += WIDE_ROWS) {
        size_t block = n - first < WIDE_ROWS ? n - first : WIDE_ROWS;
        for (size_t i = 0; i < count; i++)
            column_read(&columns[i], first, block, rows + i * WIDE_ROWS);
        for (size_t i = 0; i < count; i++)
            for (size_t j = i; j < count; j++) {
                struct wide part = dot_long(rows + i * WIDE_ROWS, rows + j * WIDE_ROWS, block);
                sums[i * count + j] = wide_add(sums[i * count + j], part);
            }
    }
    free(rows);
    return STATS_OK;
}

enum stats_status cross_columns(const struct column *columns, size_t count, size_t n, struct big *entry)
{
    struct wide *sums = calloc(count * count, sizeof *sums);
    if (!sums)
        return STATS_NO_MEMORY;
    bool fixed = true;
    for (size_t i = 0; i < count; i++)
        fixed &= column_is_exact(&columns[i]);
    enum stats_status status = STATS_OK;
    if (fixed)
        add_fixed(columns, count, n, sums);
    else
        status = add_wide(columns, count, n, sums);
    for (size_t i = 0; i < count && !status; i++)
        for (size_t j = i; j < count; j++)
            big_set_wide(&entry[i * count + j], sums[i * count + j]);
    free(sums);
    return status;
}
