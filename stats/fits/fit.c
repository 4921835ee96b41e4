#include "stats/fits/fit_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <quadmath.h>

#include "stats/distributions/tail.h"
#include "stats/estimates/interval.h"
#include "stats/exact/cross.h"

/* terms³·limbs² of the elimination: some 5 s. */
#define FIT_WORK_MAX 3e10

static bool fit_has_intercept(const struct fit_model *model)
{
    return !model->options.no_intercept;
}

static __float128 fit_term_unit(const struct fit_model *model, size_t term)
{
    bool intercept = fit_has_intercept(model) && term == 0, line = model->options.degree == 1;
    __float128 unit = 1;
    size_t column = line ? term - fit_has_intercept(model) : 0;
    for (size_t power = intercept ? 0 : line ? 1 : term + model->options.no_intercept; power > 0; power--)
        unit *= model->x_unit[column];
    return unit;
}

bool fit_round(__float128 value, double *out)
{
    *out = (double)value;
    return isfinite(*out) && (value == 0 || fabs(*out) >= DBL_MIN);
}

static enum stats_status fit_check_arguments(const struct series *y, const struct series *const *x, size_t columns,
                                             const struct fit_options *options)
{
    if (columns < 1 || columns > FIT_COLUMNS_MAX || options->degree < 1 || options->degree > FIT_DEGREE_MAX ||
        (options->degree > 1 && columns > 1) || !(options->confidence > 0 && options->confidence < 1))
        return STATS_DOMAIN;
    for (size_t i = 0; i < columns; i++)
        if (x[i]->n != y->n)
            return STATS_DOMAIN;
    return STATS_OK;
}

static size_t fit_count_terms(size_t columns, const struct fit_options *options)
{
    return (options->degree > 1 ? options->degree : columns) + !options->no_intercept;
}

static __float128 fit_column_unit(const struct column *column)
{
    return decimal_to_quad((struct decimal){1, column->exponent});
}

/* Columns as integers: of ones if there is an intercept, x, y. They must be closed, whatever the status. */
static enum stats_status fit_open_columns(struct fit_model *model, const struct series *y,
                                          const struct series *const *x, struct column *columns)
{
    enum stats_status status = STATS_OK;
    if (fit_has_intercept(model))
        status = column_open(columns++, NULL);
    for (size_t i = 0; i < model->columns && !status; i++) {
        status = column_open(columns, x[i]);
        model->x_unit[i] = fit_column_unit(columns++);
    }
    if (!status)
        status = column_open(columns, y);
    model->y_unit = fit_column_unit(columns);
    return status;
}

/* The normal equations, solved as far as needed below. */
static enum stats_status fit_solve_equations(struct fit_model *model, const struct column *columns, size_t n,
                                             size_t *dependent)
{
    unsigned degree = model->options.degree;
    struct elimination *sums = &model->sums;
    size_t terms = fit_count_terms(model->columns, &model->options),
           count = model->columns + 1 + fit_has_intercept(model);
    /* A bound of log2 of the product of the sums of squares: no minor is longer. */
    const struct column *x = &columns[count - 2], *y = &columns[count - 1];
    size_t bits = cross_bits(x, 0, y, 2, n);
    if (degree == 1)
        for (size_t i = 0; i + 1 < count; i++)
            bits += cross_bits(&columns[i], 2, y, 0, n);
    else
        for (size_t power = 0; power <= degree; power++)
            bits += cross_bits(x, 2 * power, y, 0, n);
    double limbs = (double)bits / 64;
    if (limbs * limbs * (double)(terms * terms * terms) > FIT_WORK_MAX)
        return STATS_OVERFLOW;
    enum stats_status status = elimination_open(sums, terms);
    if (status)
        return status;
    if (degree == 1)
        status = cross_columns(columns, count, n, sums->entry);
    else
        status =
            cross_powers(&columns[count - 2], &columns[count - 1], model->options.no_intercept, degree, n, sums->entry);
    return status ? status : elimination_run(sums, dependent);
}

static enum stats_status fit_summarize(struct fit *fit)
{
    struct fit_model *model = fit->model;
    __float128 explained = elimination_explained(&model->sums, fit->intercept);
    __float128 residual = elimination_residual(&model->sums);
    if (explained == 0 && residual == 0)
        return STATS_CONSTANT;
    fit->exact = residual == 0;
    model->variance = residual / (__float128)fit->dof;
    fit->r2 = (double)(explained / (explained + residual));
    fit->f = fit->exact ? HUGE_VAL : (double)(explained / (__float128)fit->dof_model / model->variance);
    if (!fit_round(sqrtq(model->variance) * model->y_unit, &fit->residual_sd) || isinf(fit->f) != fit->exact)
        return STATS_OVERFLOW;
    struct tail tail;
    enum stats_status status = tail_f(fit->f, (double)fit->dof_model, (double)fit->dof, &tail);
    if (status)
        return status;
    fit->p = tail.p;
    fit->log10_p = tail.log10_p;
    return STATS_OK;
}

static enum stats_status fit_estimate_term(const struct fit_model *model, size_t j,
                                           const struct elimination_result *result, double q, struct fit_term *term)
{
    __float128 unit = model->y_unit / fit_term_unit(model, j), value = result->value * unit;
    __float128 se = sqrtq(model->variance * result->leverage) * unit;
    term->lo = (double)(value - q * se);
    term->hi = (double)(value + q * se);
    if (!fit_round(value, &term->estimate) || !fit_round(se, &term->se) || !isfinite(term->lo) || !isfinite(term->hi))
        return STATS_OVERFLOW;
    if (se == 0)
        term->t = value == 0 ? 0 : copysign(HUGE_VAL, term->estimate);
    else
        term->t = (double)(value / se);
    struct tail tail;
    enum stats_status status = tail_t_two_sided(term->t, model->dof, &tail);
    if (status)
        return status;
    term->p = tail.p;
    term->log10_p = tail.log10_p;
    return STATS_OK;
}

static enum stats_status fit_solve_coefficients(const struct elimination *sums, struct elimination_result *results)
{
    struct elimination_row row;
    enum stats_status status = elimination_row_open(&row, sums);
    if (status)
        return status;
    for (size_t j = 0; j < sums->terms; j++)
        results[j] = elimination_coefficient(sums, &row, j);
    elimination_row_close(&row);
    return STATS_OK;
}

enum stats_status fit_least_squares(const struct series *y, const struct series *const *x, size_t columns,
                                    struct fit_options options, struct fit *out, size_t *dependent)
{
    enum stats_status status = fit_check_arguments(y, x, columns, &options);
    if (status)
        return status;
    struct fit fit = {.n = y->n, .terms = fit_count_terms(columns, &options), .intercept = !options.no_intercept};
    if (fit.n <= fit.terms)
        return STATS_TOO_FEW;
    fit.dof = fit.n - fit.terms;
    fit.dof_model = fit.terms - fit.intercept;
    fit.term = calloc(fit.terms, sizeof *fit.term);
    fit.model = calloc(1, sizeof *fit.model);
    status = STATS_NO_MEMORY;
    if (fit.term && fit.model) {
        fit.model->options = options;
        fit.model->columns = columns;
        fit.model->dof = (double)fit.dof;
        struct column opened[CROSS_COLUMNS_MAX] = {0};
        status = fit_open_columns(fit.model, y, x, opened);
        if (!status)
            status = fit_solve_equations(fit.model, opened, y->n, dependent);
        for (size_t i = 0; i < CROSS_COLUMNS_MAX; i++)
            column_close(&opened[i]);
    }
    if (!status) {
        /* All of the results, from the solved equations. */
        double q;
        struct fit_model *model = fit.model;
        struct elimination_result results[FIT_COLUMNS_MAX + 1];
        status = fit_solve_coefficients(&model->sums, results);
        if (!status)
            status = interval_quantile(INTERVAL_T, model->dof, model->options.confidence, &q);
        if (!status)
            status = fit_summarize(&fit);
        for (size_t j = 0; j < fit.terms && !status; j++)
            status = fit_estimate_term(model, j, &results[j], q, &fit.term[j]);
    }
    if (status)
        fit_free(&fit);
    else
        *out = fit;
    return status;
}

void fit_free(struct fit *fit)
{
    if (fit->model)
        elimination_close(&fit->model->sums);
    free(fit->model);
    free(fit->term);
    *fit = (struct fit){0};
}
