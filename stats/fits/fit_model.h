/*
 * fit_model.h - solved normal equations and the units of their integers: what fit.c keeps for fit_predict.c.
 */
#ifndef ASSAY_STATS_FITS_FIT_MODEL_H
#define ASSAY_STATS_FITS_FIT_MODEL_H

#include "stats/exact/elimination.h"
#include "stats/fits/fit.h"

struct fit_model {
    struct elimination sums;
    struct fit_options options;
    size_t columns;
    __float128 x_unit[FIT_COLUMNS_MAX], y_unit;
    double dof;
    __float128 variance; /* s² in units of y */
};

/* false unless *out is a normal double or exactly 0. */
bool fit_round(__float128 value, double *out);

#endif
