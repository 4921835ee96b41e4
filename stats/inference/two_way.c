#include "stats/inference/two_way.h"

#include <math.h>
#include <quadmath.h>
#include <stdlib.h>

#include "stats/distributions/tail.h"

/* The cells' means as offsets from the first one, so that the common part cancels before squaring. */
struct cells {
    const struct group *groups;
    size_t rows, columns;
    bool transposed;     /* rows and columns change places */
    __float128 n, scale; /* Σ n_ij·offset²: what is far below it is 0 */
};

static const struct group *two_way_cell(const struct cells *cells, size_t i, size_t j)
{
    return &cells->groups[cells->transposed ? j * cells->rows + i : i * cells->columns + j];
}

static __float128 two_way_n(const struct cells *cells, size_t i, size_t j)
{
    return (__float128)two_way_cell(cells, i, j)->n;
}

static __float128 two_way_offset(const struct cells *cells, size_t i, size_t j)
{
    return group_difference(&cells->groups[0], two_way_cell(cells, i, j));
}

static struct cells two_way_transpose(const struct cells *cells)
{
    struct cells other = *cells;
    other.rows = cells->columns;
    other.columns = cells->rows;
    other.transposed = !cells->transposed;
    return other;
}

static __float128 two_way_row_n(const struct cells *cells, size_t i)
{
    __float128 n = 0;
    for (size_t j = 0; j < cells->columns; j++)
        n += two_way_n(cells, i, j);
    return n;
}

static __float128 two_way_row_mean(const struct cells *cells, size_t i)
{
    __float128 sum = 0;
    for (size_t j = 0; j < cells->columns; j++)
        sum += two_way_n(cells, i, j) * two_way_offset(cells, i, j);
    return sum / two_way_row_n(cells, i);
}

/* A sum of squares that is only rounding is 0. */
static __float128 two_way_clean(const struct cells *cells, __float128 ss)
{
    return ss > cells->scale * 0x1p-190Q ? ss : 0;
}

/* Σ w_i (x_i − x̄)², x̄ weighted, of the rows: by their numbers of values, or as Yates weights unweighted means. */
static __float128 two_way_rows_alone(const struct cells *cells, bool unweighted)
{
    __float128 total = 0, center = 0, ss = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < cells->rows; i++) {
            __float128 weight = two_way_row_n(cells, i), mean = two_way_row_mean(cells, i);
            if (unweighted) {
                __float128 inverse = 0, columns = (__float128)cells->columns;
                mean = 0;
                for (size_t j = 0; j < cells->columns; j++) {
                    inverse += 1 / two_way_n(cells, i, j);
                    mean += two_way_offset(cells, i, j) / columns;
                }
                weight = columns * columns / inverse;
            }
            if (pass == 0) {
                total += weight;
                center += weight * mean;
            } else {
                ss += weight * (mean - center) * (mean - center);
            }
        }
        center /= pass == 0 ? total : 1;
    }
    return two_way_clean(cells, ss);
}

/* Solves a·x = b, a[n][n] symmetric and positive definite, by Cholesky; both are overwritten, b by x. */
static void two_way_solve(__float128 *a, __float128 *b, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            for (size_t k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? sqrtq(a[j * n + j]) : a[i * n + j] / a[j * n + j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

/* What columns add to rows, and, unless it is NULL, what the additive model leaves of the cells' means. The normal
 * equations of the columns after elimination of the rows; the last column is the reference. */
static enum stats_status two_way_columns_after_rows(const struct cells *cells, __float128 *added,
                                                    __float128 *interaction)
{
    size_t rows = cells->rows, free_columns = cells->columns - 1;
    __float128 *matrix = calloc(free_columns * free_columns, sizeof *matrix);
    __float128 *effects = calloc(cells->columns, sizeof *effects), *right = calloc(free_columns, sizeof *right);
    enum stats_status status = matrix && effects && right ? STATS_OK : STATS_NO_MEMORY;
    for (size_t i = 0; i < rows && !status; i++) {
        __float128 n = two_way_row_n(cells, i), mean = two_way_row_mean(cells, i);
        for (size_t j = 0; j < free_columns; j++) {
            __float128 own = two_way_n(cells, i, j);
            right[j] += own * (two_way_offset(cells, i, j) - mean);
            matrix[j * free_columns + j] += own;
            for (size_t k = 0; k < free_columns; k++)
                matrix[j * free_columns + k] -= own * two_way_n(cells, i, k) / n;
        }
    }
    __float128 ss = 0, left = 0;
    for (size_t j = 0; j < free_columns && !status; j++)
        effects[j] = right[j];
    if (!status)
        two_way_solve(matrix, effects, free_columns);
    for (size_t j = 0; j < free_columns && !status; j++)
        ss += right[j] * effects[j];
    for (size_t i = 0; i < rows && !status; i++) {
        __float128 base = two_way_row_mean(cells, i), n = two_way_row_n(cells, i);
        for (size_t j = 0; j < free_columns; j++)
            base -= two_way_n(cells, i, j) * effects[j] / n;
        for (size_t j = 0; j < cells->columns; j++) {
            __float128 rest = two_way_offset(cells, i, j) - base - effects[j];
            left += two_way_n(cells, i, j) * rest * rest;
        }
    }
    free(matrix);
    free(effects);
    free(right);
    if (status)
        return status;
    *added = two_way_clean(cells, ss);
    if (interaction)
        *interaction = two_way_clean(cells, left);
    return STATS_OK;
}

static enum stats_status two_way_round(__float128 ss, __float128 dof, const __float128 *ms_within, __float128 n,
                                       __float128 total, __float128 dof_within, struct two_way_effect *out)
{
    struct two_way_effect effect;
    struct tail tail;
    __float128 excess = ss - dof * *ms_within;
    const struct {
        __float128 value;
        double *to;
    } figures[] = {{ss, &effect.ss},
                   {dof, &effect.dof},
                   {ss / dof, &effect.ms},
                   {ss / dof / *ms_within, &effect.f},
                   {ss / (ss + dof_within * *ms_within), &effect.eta2_partial},
                   {excess / (total + *ms_within), &effect.omega2},
                   {excess / (ss + (n - dof) * *ms_within), &effect.omega2_partial}};
    enum stats_status status = STATS_OK;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !status; i++)
        status = group_to_double(figures[i].value, figures[i].to);
    if (!status)
        status = tail_f(effect.f, effect.dof, (double)dof_within, &tail);
    if (status)
        return status;
    effect.p = tail.p;
    effect.log10_p = tail.log10_p;
    *out = effect;
    return STATS_OK;
}

/* n, and whether each cell has as many values as the first. */
static enum stats_status two_way_count(const struct group *groups, size_t count, struct two_way *found)
{
    found->balanced = true;
    for (size_t i = 0; i < count; i++) {
        if (groups[i].n < 1)
            return STATS_TOO_FEW;
        if (groups[i].n > MOMENTS_N_MAX - found->n)
            return STATS_OVERFLOW;
        found->n += groups[i].n;
        found->balanced &= groups[i].n == groups[0].n;
    }
    return found->n > count ? STATS_OK : STATS_TOO_FEW;
}

/* The sums of squares of the three effects. */
static enum stats_status two_way_sums(const struct cells *cells, enum two_way_type type, __float128 ss[TWO_WAY_EFFECTS])
{
    struct cells other = two_way_transpose(cells);
    enum stats_status status = two_way_columns_after_rows(cells, &ss[TWO_WAY_COLUMNS], &ss[TWO_WAY_INTERACTION]);
    if (!status && type == TWO_WAY_II)
        return two_way_columns_after_rows(&other, &ss[TWO_WAY_ROWS], NULL);
    ss[TWO_WAY_ROWS] = two_way_rows_alone(cells, type == TWO_WAY_III);
    if (type == TWO_WAY_III)
        ss[TWO_WAY_COLUMNS] = two_way_rows_alone(&other, true);
    return status;
}

enum stats_status two_way_anova(const struct group *groups, size_t rows, size_t columns, enum two_way_type type,
                                struct two_way *out)
{
    struct two_way found = {.n = 0};
    struct cells cells = {.groups = groups, .rows = rows, .columns = columns};
    __float128 within = 0, center = 0, ss[TWO_WAY_EFFECTS];
    if (rows < 2 || columns < 2)
        return STATS_TOO_FEW;
    enum stats_status status = two_way_count(groups, rows * columns, &found);
    if (status)
        return status;
    __float128 n = (__float128)found.n, total = 0;
    for (size_t i = 0; i < rows * columns; i++) {
        within += groups[i].deviations;
        center += (__float128)groups[i].n * group_difference(&groups[0], &groups[i]) / n;
    }
    if (within == 0)
        return STATS_CONSTANT;
    for (size_t i = 0; i < rows * columns; i++) {
        __float128 offset = group_difference(&groups[0], &groups[i]);
        cells.scale += (__float128)groups[i].n * offset * offset;
        total += (__float128)groups[i].n * (offset - center) * (offset - center);
    }
    total += within;
    status = two_way_sums(&cells, type, ss);
    __float128 dof_within = n - (__float128)(rows * columns), ms_within = within / dof_within;
    const __float128 dof[] = {(__float128)(rows - 1), (__float128)(columns - 1),
                              (__float128)((rows - 1) * (columns - 1))};
    for (size_t i = 0; i < TWO_WAY_EFFECTS && !status; i++)
        status = two_way_round(ss[i], dof[i], &ms_within, n, total, dof_within, &found.effects[i]);
    found.dof_within = (double)dof_within;
    if (!status)
        status = group_to_double(within, &found.ss_within);
    if (!status)
        status = group_to_double(ms_within, &found.ms_within);
    if (!status)
        status = group_to_double(total, &found.ss_total);
    if (!status)
        *out = found;
    return status;
}
