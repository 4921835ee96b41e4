#include <gmp.h>
#include <math.h>

#include <quadmath.h>

#include "stats/estimates/interval.h"
#include "stats/estimates/order.h"
#include "stats/exact/wide.h"
#include "stats/fits/fit_model.h"

/* The row's values are rounded to 2^-X_BITS of their columns' units: integers of a unit 2^X_BITS times as small. */
enum { X_BITS = 128 };

static void fit_set_fixed_point(mpz_ptr out, __float128 value)
{
    int exponent;
    bool negative;
    wide_u128 magnitude = wide_mantissa(value, &exponent, &negative);
    exponent += X_BITS;
    if (exponent <= -X_BITS)
        magnitude = 0;
    else if (exponent < 0)
        magnitude >>= -exponent;
    mpz_import(out, 1, -1, sizeof magnitude, 0, 0, &magnitude);
    if (exponent > 0)
        mpz_mul_2exp(out, out, (mp_bitcnt_t)exponent);
    if (negative)
        mpz_neg(out, out);
}

/* The fitted value and its leverage in units of y. */
static enum stats_status fit_reduce_row(const struct fit_model *model, const double *x,
                                        struct elimination_result *result)
{
    struct elimination_row row;
    unsigned degree = model->options.degree;
    enum stats_status status = elimination_row_open(&row, &model->sums);
    if (status)
        return status;
    if (degree == 1) {
        /* (1, x, y …)·2^X_BITS */
        mpz_t *entry = row.entry;
        if (!model->options.no_intercept)
            fit_set_fixed_point(*entry++, 1);
        for (size_t i = 0; i < model->columns; i++)
            fit_set_fixed_point(*entry++, x[i] / model->x_unit[i]);
    } else {
        /* (1, x, x² …)·2^(X_BITS·degree), with a whole number for x·2^X_BITS. */
        double value = x[0];
        size_t terms = model->sums.terms;
        mpz_t fixed;
        mpz_init(fixed);
        fit_set_fixed_point(fixed, value / model->x_unit[0]);
        mpz_set_ui(row.entry[0], 1);
        if (model->options.no_intercept)
            mpz_set(row.entry[0], fixed);
        for (size_t j = 1; j < terms; j++)
            mpz_mul(row.entry[j], row.entry[j - 1], fixed);
        for (size_t j = 0; j < terms; j++)
            mpz_mul_2exp(row.entry[j], row.entry[j], (terms - 1 - j) * X_BITS);
        mpz_clear(fixed);
    }
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
    if (!order_all_finite(x, model->columns))
        return STATS_DOMAIN;
    struct elimination_result result;
    enum stats_status status = interval_quantile(INTERVAL_T, model->dof, confidence, &q);
    if (!status)
        status = fit_reduce_row(model, x, &result);
    if (status)
        return status;
    __float128 y = result.value * model->y_unit, se = sqrtq(model->variance * result.leverage) * model->y_unit;
    struct fit_prediction at = {.lo = (double)(y - q * se), .hi = (double)(y + q * se)};
    if (!fit_round(y, &at.y) || !fit_round(se, &at.se) || !isfinite(at.lo) || !isfinite(at.hi))
        return STATS_OVERFLOW;
    *out = at;
    return STATS_OK;
}
