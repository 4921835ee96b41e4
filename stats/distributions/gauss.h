/*
 * gauss.h - Gauss–Legendre quadrature of smooth functions.
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_GAUSS_H
#define ASSAY_STATS_DISTRIBUTIONS_GAUSS_H

typedef long double gauss_function(long double x, const void *parameters);

/*
 * ∫ f(x, parameters) dx from low to high (low > high: with the sign turned), in `panels` ≥ 1 equal panels of 16 nodes.
 * Exact except for rounding for polynomials of degree 31 per panel; relative error below 1e-18 where f changes no
 * faster than e^±12 over a panel and is correspondingly smooth. 16 calls of f per panel. Source: DLMF 3.5(v); nodes and
 * weights from the roots of the Legendre polynomial P16, with 60 digits.
 */
long double gauss_integrate(gauss_function *f, const void *parameters, long double low, long double high,
                            unsigned panels);

#endif
