/*
 * slope.h - the slope of a line when both of its variables were measured with error.
 *
 * Quantity: the slope β of y = α + β·x, in unit of y / unit of x. x and y were both measured: a run that was slow by
 * chance moves both. Then least squares of y on x pulls the slope towards 0, and, if the errors of x and y are
 * correlated, towards their own ratio. An instrument z, a number that moves x and is free of its errors (the amount of
 * work that was injected), gives a slope without this. With z = x it is least squares. S_uv = Σ(u − ū)(v − v̄):
 *   β        S_zy/S_zx
 *   se       s·√S_zz/|S_zx|, s² = Σ(y − ȳ − β(x − x̄))²/(n − 2)
 *   bounds   for least squares only: if the errors of x and y are uncorrelated, the slope lies between β and β/r²
 * Source: Wald 1940, DOI 10.1214/aoms/1177731868; Greene, "Econometric Analysis", 7th ed., chapter 8 (instrument);
 * Frisch 1934, in Klepper and Leamer 1984, DOI 10.2307/1911466 (bounds).
 */
#ifndef ASSAY_STATS_FITS_SLOPE_H
#define ASSAY_STATS_FITS_SLOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/estimates/interval.h"

struct slope_sums {
    size_t n;
    double x, y; /* means */
    double zz, xx, yy, zx, zy, xy;
};

/* For z[n], x[n], y[n], all finite (STATS_DOMAIN), n ≥ 2 (STATS_TOO_FEW); z may be x. Two passes of extended precision;
 * the sums of a constant variable are exactly 0. STATS_OVERFLOW: a sum is not a finite double. O(n). */
enum stats_status slope_sums(const double *z, const double *x, const double *y, size_t n, struct slope_sums *sums);

/* STATS_CONSTANT: z does not move x at all (S_zx is 0). STATS_OVERFLOW: no finite double. */
enum stats_status slope_of(const struct slope_sums *sums, double *slope);

/* The slope with its interval by Student's t with n − 2 degrees of freedom. n ≥ 3 (STATS_TOO_FEW). If z = x it is that
 * of least squares; otherwise it is valid for many points or errors far below the range of x. As slope_of(). */
enum stats_status slope_interval(const struct slope_sums *sums, double confidence, struct interval *out);

/*
 * How well z moves x. For one series F = S_zx²/(S_zz·s²), s² the variance of x around its line on z; for several, the
 * square of the t of the mean of their S_zx, which grows with their number. Below 10 an instrument is called weak:
 * slopes and their intervals can't be trusted. Source: Staiger and Stock 1997, DOI 10.2307/2171753. Infinite if x
 * follows z exactly. STATS_TOO_FEW: one series of two points. O(count).
 */
enum stats_status slope_strength(const struct slope_sums *sums, size_t count, double *f);

/*
 * The slope of several series together, β = Σ S_zy/Σ S_zx, and its interval over series: those β for which the values
 * S_zy − β·S_zx of the series have a mean that Student's t (or, use_z, the normal distribution) at `confidence` does
 * not distinguish from 0. Unlike the mean of the series' own slopes, it is not pulled by a series in which x hardly
 * moved, and a weak instrument widens it instead of making it wrong. Not symmetric: out->half is half its width.
 * Source: Fieller 1954, DOI 10.1111/j.2517-6161.1954.tb00159.x; Anderson and Rubin 1949, DOI 10.1214/aoms/1177730090.
 * count ≥ 2 (STATS_TOO_FEW). STATS_CONSTANT: the mean of S_zx itself can't be distinguished from 0, and the interval is
 * unbounded. STATS_OVERFLOW: no finite double. O(count).
 */
enum stats_status slope_together(const struct slope_sums *sums, size_t count, bool use_z, double confidence,
                                 struct interval *out);

#endif
