/*
 * fit.h - linear least squares without rounding: simple, multiple, polynomial.
 *
 * Quantity: the coefficients b that minimise Σ(y − b·x)², with standard errors, t intervals and tests, under the usual
 * model y = X·b + e, e independent, normal, of one variance. Units: b_j in unit of y / unit of x_j.
 *   dof           n − terms
 *   residual_sd   s = √(Σ(y − b·x)²/dof)
 *   se_j          s·√((XᵀX)⁻¹_jj)
 *   lo, hi        b_j ∓ q·se_j, q the (1 + confidence)/2 quantile of Student's t with dof degrees of freedom
 *   t, p          b_j/se_j and P(|T| ≥ |t|)
 *   r2            explained/(explained + residual sum of squares). Around the mean of y with an intercept; without one
 *                 around 0 (uncentred), which does not measure the same thing: don't compare the two
 *   f, p          (explained/dof_model)/s² against F(dof_model, dof): all terms except the intercept against none of
 * them Source: Draper and Smith, "Applied Regression Analysis", 3rd ed., chapters 1 to 6; elimination.h for the method.
 *
 * Precision: nothing is rounded before the end. Values are integers times a power of ten (series.h, column.h), sums of
 * their products and powers are exact integers (cross.h), and the normal equations are solved in integers
 * (elimination.h), so that their squared condition number costs words, not digits. Estimates, standard errors, r2,
 * residual_sd and f are correctly rounded (to within 2^-50 of an ulp) for any data; lo and hi have the error
 * of interval.h's quantile (1e-15) times se, p that of tail.h. No condition is estimated and no algorithm chosen: the
 * precision that data need is the length of their integers, and its cost depends on that alone, value by value.
 *
 * Cost: linear in n: about 1.5 ns per row for each pair of columns, a column of ones among them (5 ns for a line; 15
 * times that if a series is wide); for powers see cross.h. Memory, apart from the series, does not depend on n. Then,
 * once, O(terms³·limbs²): 15 µs for a line, 1 ms for a polynomial of degree 10, seconds at the limits below. The order
 * of the rows does not change a bit of any result.
 */
#ifndef ASSAY_STATS_FITS_FIT_H
#define ASSAY_STATS_FITS_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/exact/series.h"

enum { FIT_COLUMNS_MAX = 32, FIT_DEGREE_MAX = 20 };

struct fit_options {
    unsigned degree;   /* 1: a term for each column; 2 … FIT_DEGREE_MAX: the powers 1 … degree of the only column */
    bool no_intercept; /* leaves out the term 1 */
    double confidence; /* of the intervals, 0 < confidence < 1 */
};

struct fit_term {
    double estimate, se, lo, hi;
    double t, p, log10_p; /* ±∞, 0, −∞ if se is 0; but 0, 1, 0 if the estimate is 0 too */
};

struct fit {
    uint64_t n, dof, dof_model;
    size_t terms;
    struct fit_term *term; /* [terms]: the intercept first if there is one, then columns, or powers upwards */
    bool intercept;        /* whether there is one; else r2 is uncentred */
    bool exact;            /* every residual is 0: residual_sd and se are exactly 0, r2 is 1, f ∞, log10_p −∞ */
    double r2, residual_sd;
    double f, p, log10_p;
    struct fit_model *model; /* of fit_predict() */
};

/*
 * y on x[columns], all of the same length n. The columns stay the caller's; *out must be passed to fit_free().
 * STATS_DOMAIN: no column or more than FIT_COLUMNS_MAX, a degree out of range or > 1 with several columns, different
 * lengths, confidence out of range. STATS_TOO_FEW: n ≤ terms. STATS_DEPENDENT: term *dependent is a linear combination
 * of those before it (a constant column, of the intercept; a column twice), so its coefficient does not exist;
 * *dependent is written only then. STATS_CONSTANT: y is constant (without intercept: 0), so r2 and f don't exist.
 * STATS_OVERFLOW: a result that is not a normal double; or integers so long that solving would take more than some 5 s
 * (a polynomial of degree 20 in values from 1e-300 to 1e300). STATS_NO_MEMORY.
 *
 * Whether a fit is exact and a term dependent is decided by integers that are 0 or not: there is no tolerance. Values
 * that were rounded when they were written (0.333, 0.667) satisfy neither.
 */
enum stats_status fit_least_squares(const struct series *y, const struct series *const *x, size_t columns,
                                    struct fit_options options, struct fit *out, size_t *dependent);
void fit_free(struct fit *fit);

struct fit_prediction {
    double y, se;  /* the mean of y there, and its standard error; of one new y: √(se² + residual_sd²) */
    double lo, hi; /* the band of the mean, point by point: y ∓ q·se */
};

/*
 * At x[columns] (x[1] of a polynomial), taken to 2^-128 of the unit of the column's integers. STATS_DOMAIN: x not
 * finite, confidence out of range. STATS_OVERFLOW: no normal double. STATS_NO_MEMORY. Exact as the fit is; cost
 * O(terms²·limbs²): 12 µs for a line, most of it the quantile's, 0.3 ms for degree 10.
 */
enum stats_status fit_predict(const struct fit *fit, const double *x, double confidence, struct fit_prediction *out);

#endif
