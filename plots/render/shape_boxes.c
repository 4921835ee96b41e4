#include "plots/render/shape.h"

#include <math.h>
#include <stdlib.h>

#include "stats/estimates/box.h"

/* Values closer to each other than this fraction of the axis are one point; boxes smaller than that are too small. */
enum { POINT_PART = 2000, BOX_PART = 25 };

/* The values of a key in a group, in ascending order. */
struct pile {
    double *values;
    size_t count, blank;
    struct box box; /* n = 0 without values; of one value the sd's box has no edges (NaN) */
};

struct piles {
    struct pile *pile; /* [group · key_count + key] */
    size_t count;
    double *values;             /* of all piles */
    double axis_low, axis_high; /* NaN without values */
};

static size_t piles_row_index(const struct shape *shape, size_t row)
{
    if (shape->row_group[row] == CSV_NONE || shape->row_key[row] == CSV_NONE)
        return CSV_NONE;
    return shape->row_group[row] * shape->key_count + shape->row_key[row];
}

static int piles_compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Counts first, so that each pile's values can be contiguous; then distributes them. */
static enum stats_status piles_distribute_values(struct piles *piles, const struct shape *shape)
{
    size_t column = csv_column(shape->csv, shape->recipe->needs.word[0]);
    *piles = (struct piles){.count = shape->group_count * shape->key_count};
    piles->pile = calloc(piles->count + 1, sizeof *piles->pile);
    piles->values = calloc(shape->csv->row_count + 1, sizeof *piles->values);
    if (!piles->pile || !piles->values)
        return STATS_NO_MEMORY;
    for (size_t row = 0; row < shape->csv->row_count; row++) {
        size_t i = piles_row_index(shape, row);
        if (i == CSV_NONE)
            continue;
        if (isnan(shape_value(shape, row, column)))
            piles->pile[i].blank++;
        else
            piles->pile[i].count++;
    }
    double *next = piles->values;
    for (size_t i = 0; i < piles->count; i++) {
        piles->pile[i].values = next;
        next += piles->pile[i].count;
        piles->pile[i].count = 0;
    }
    for (size_t row = 0; row < shape->csv->row_count; row++) {
        size_t i = piles_row_index(shape, row);
        double value = i == CSV_NONE ? NAN : shape_value(shape, row, column);
        if (!isnan(value))
            piles->pile[i].values[piles->pile[i].count++] = value;
    }
    return STATS_OK;
}

/* Computes the boxes, and the axis: all values, unless the boxes with their whiskers are less than a BOX_PART of that:
 * then five times their range. */
static enum stats_status piles_compute_boxes(struct piles *piles, enum recipe_boxes kind,
                                             const struct shape_choices *choices)
{
    double least = NAN, most = NAN, low = NAN, high = NAN;
    for (size_t i = 0; i < piles->count; i++) {
        struct pile *pile = &piles->pile[i];
        qsort(pile->values, pile->count, sizeof *pile->values, piles_compare_values);
        enum stats_status status = kind == RECIPE_BOXES_TUKEY ? box_tukey(pile->values, pile->count, &pile->box)
                                                              : box_sd(pile->values, pile->count, &pile->box);
        if (status == STATS_TOO_FEW) /* a single value has a middle, but no sd */
            pile->box = (struct box){.n = pile->count,
                                     .middle = pile->count ? pile->values[0] : NAN,
                                     .low = NAN,
                                     .high = NAN,
                                     .whisker_low = NAN,
                                     .whisker_high = NAN};
        else if (status)
            return status;
        if (!pile->count)
            continue;
        least = fmin(least, pile->values[0]);
        most = fmax(most, pile->values[pile->count - 1]);
        low = fmin(low, fmin(pile->box.middle, pile->box.whisker_low));
        high = fmax(high, fmax(pile->box.middle, pile->box.whisker_high));
    }
    if (choices->positive) {
        double positive = NAN;
        for (size_t i = 0; i < piles->count; i++)
            for (size_t k = 0; k < piles->pile[i].count; k++)
                if (piles->pile[i].values[k] > 0)
                    positive = fmin(positive, piles->pile[i].values[k]);
        piles->axis_low = positive;
        piles->axis_high = most;
    }
    double reach = 2 * (high - low);
    bool cut = high > low && most - least > (double)BOX_PART * (high - low);
    if (!choices->positive) {
        piles->axis_low = fmin(low, cut ? fmax(least, low - reach) : least);
        piles->axis_high = fmax(high, cut ? fmin(most, high + reach) : most);
    }
    if (!isnan(choices->low))
        piles->axis_low = choices->low;
    if (!isnan(choices->high))
        piles->axis_high = choices->high;
    return STATS_OK;
}

enum { BOX_COLUMNS = 9 };
static const char *const column_names[BOX_COLUMNS] = {"n",     "low",   "middle", "high", "whisker_low", "whisker_high",
                                                      "below", "above", "blank"};

static void piles_fill_columns(const struct piles *piles, size_t i, double values[BOX_COLUMNS])
{
    const struct pile *pile = &piles->pile[i];
    const struct box *box = &pile->box;
    size_t below = 0, above = 0;
    while (below < pile->count && pile->values[below] < piles->axis_low)
        below++;
    while (above < pile->count && pile->values[pile->count - 1 - above] > piles->axis_high)
        above++;
    const double all[BOX_COLUMNS] = {(double)box->n, box->low,         box->middle,
                                     box->high,      box->whisker_low, box->whisker_high,
                                     (double)below,  (double)above,    (double)pile->blank};
    for (size_t k = 0; k < BOX_COLUMNS; k++)
        values[k] = all[k];
}

/* The ranges of the columns, the axis, and the rows. */
static void piles_write_boxes(const struct piles *piles, const struct shape *shape, FILE *out)
{
    double values[BOX_COLUMNS], least[BOX_COLUMNS], most[BOX_COLUMNS];
    for (size_t k = 0; k < BOX_COLUMNS; k++)
        least[k] = most[k] = NAN;
    for (size_t i = 0; i < piles->count; i++) {
        piles_fill_columns(piles, i, values);
        for (size_t k = 0; k < BOX_COLUMNS; k++) {
            least[k] = fmin(least[k], values[k]);
            most[k] = fmax(most[k], values[k]);
        }
    }
    for (size_t k = 0; k < BOX_COLUMNS; k++)
        shape_write_range(out, column_names[k], k + 3, least[k], most[k]);
    fputs("axis_low = ", out);
    shape_write_number(out, piles->axis_low);
    fputs("\naxis_high = ", out);
    shape_write_number(out, piles->axis_high);

    fputs("\n$rows << end_of_rows\n", out);
    for (size_t i = 0; i < piles->count; i++) {
        fputs(i && i % shape->key_count == 0 ? "\n\n" : "", out);
        fprintf(out, "%zu\t%zu", i / shape->key_count, i % shape->key_count);
        piles_fill_columns(piles, i, values);
        for (size_t k = 0; k < BOX_COLUMNS; k++) {
            fputc('\t', out);
            shape_write_number(out, values[k]);
        }
        fputc('\n', out);
    }
    fputs("end_of_rows\n", out);
}

int shape_write_boxes(const struct shape *shape, FILE *out, struct error_text *message)
{
    struct piles piles;
    enum stats_status status = piles_distribute_values(&piles, shape);
    if (!status)
        status = piles_compute_boxes(&piles, shape->recipe->boxes, &shape->choices);
    if (!status) {
        piles_write_boxes(&piles, shape, out);
        fputs("$points << end_of_points\nNaN\tNaN\tNaN\n", out);
        for (size_t i = 0; i < piles.count; i++) {
            /* The pile is sorted, so overlapping points are adjacent. */
            const struct pile *pile = &piles.pile[i];
            double part = (piles.axis_high - piles.axis_low) / (double)POINT_PART, last = NAN;
            for (size_t k = 0; k < pile->count; k++) {
                double value = pile->values[k];
                bool beyond = value < pile->box.whisker_low || value > pile->box.whisker_high;
                bool on_axis = value >= piles.axis_low && value <= piles.axis_high;
                if (!beyond || !on_axis || value - last < part || value == last)
                    continue;
                fprintf(out, "%zu\t%zu\t", i / shape->key_count, i % shape->key_count);
                shape_write_number(out, last = value);
                fputc('\n', out);
            }
        }
        fputs("end_of_points\n", out);
    }
    free(piles.pile);
    free(piles.values);
    return status ? error_set(message, STATUS_BAD, "%s", stats_status_text(status)) : STATUS_GOOD;
}
