#include <math.h>

#include <quadmath.h>

#include "stats/estimates/interval.h"
#include "stats/fits/fit_model.h"

/* The row's values are rounded to 2^-X_BITS of their columns' units: integers of a unit 2^X_BITS times as small. */
enum { X_BITS = 128 };

static void set_fixed_point(struct big *out, __float128 value)
{
    int exponent;
    bool negative;
    wide_u128 magnitude = wide_mantissa(value, &exponent, &negative);
    exponent += X_BITS;
    if (exponent <= -X_BITS)
        magnitude = 0;
    else if (exponent < 0)
        magnitude >>= -exponent;
    big_set_shifted(out, magnitude, exponent > 0 ? (size_t)exponent : 0, negative);
}

/* Bits of the longest value in fixed point. */
static size_t bits_of(const struct fit_model *model, const double *x)
{
    int most = 0;
    for (size_t i = 0; i < model->columns; i++) {
        int exponent;
        frexpq(x[i] / model->x_unit[i], &exponent);
        most = exponent > most ? exponent : most;
    }
    return (size_t)most + X_BITS + 1;
}

/* (1, x, y …)·2^X_BITS */
static void set_columns(const struct fit_model *model, const double *x, struct elimination_row *row)
{
    struct big *entry = row->entry;
    if (!model->options.no_intercept)
        big_set_shifted(entry++, 1, X_BITS, false);
    for (size_t i = 0; i < model->columns; i++)
        set_fixed_point(entry++, x[i] / model->x_unit[i]);
}

/* (1, x, x² …)·2^(X_BITS·degree), with a whole number for x·2^X_BITS. */
static void set_powers(const struct fit_model *model, double x, struct elimination_row *row)
{
    size_t terms = model->sums.terms;
    set_fixed_point(&row->left, x / model->x_unit[0]);
    if (model->options.no_intercept)
        set_fixed_point(&row->entry[0], x / model->x_unit[0]);
    else
        big_set_shifted(&row->entry[0], 1, 0, false);
    for (size_t j = 1; j < terms; j++)
        big_multiply(&row->entry[j], &row->entry[j - 1], &row->left);
    for (size_t j = 0; j < terms; j++)
        big_shift_limbs(&row->entry[j], (terms - 1 - j) * (X_BITS / 64));
}

/* The fitted value and its leverage in units of y. */
static enum stats_status reduce(const struct fit_model *model, const double *x, struct elimination_result *result)
{
    struct elimination_row row;
    unsigned degree = model->options.degree;
    enum stats_status status = elimination_row_open(&row, &model->sums, degree * bits_of(model, x));
    if (status)
        return status;
    if (degree == 1)
        set_columns(model, x, &row);
    else
        set_powers(model, x[0], &row);
    *result = elimination_reduce(&model->sums, &row);
    elimination_row_close(&row);
    result->value = scalbnq(result->value, -X_BITS * (int)degree);
    result->leverage = scalbnq(result->leverage, -2 * X_BITS * (int)degree);
    return STATS_OK;
}

enum stats_status fit_predict(const struct fit *fit, const double *x, double confidence, struct fit_prediction *out)
{
    double q;
    const struct fit_model *model = fit->model;
    for (size_t i = 0; i < model->columns; i++)
        if (!isfinite(x[i]))
            return STATS_DOMAIN;
    struct elimination_result result;
    enum stats_status status = interval_quantile(INTERVAL_T, model->dof, confidence, &q);
    if (!status)
        status = reduce(model, x, &result);
    if (status)
        return status;
    __float128 y = result.value * model->y_unit, se = sqrtq(model->variance * result.leverage) * model->y_unit;
    struct fit_prediction at = {.lo = (double)(y - q * se), .hi = (double)(y + q * se)};
    if (!fit_round(y, &at.y) || !fit_round(se, &at.se) || !isfinite(at.lo) || !isfinite(at.hi))
        return STATS_OVERFLOW;
    *out = at;
    return STATS_OK;
}
