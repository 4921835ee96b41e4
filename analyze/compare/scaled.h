/*
 * scaled.h - a measured value for readers, in the unit of its kind that gives a number from 1 to 999: "10.7 ms".
 */
#ifndef ASSAY_COMPARE_SCALED_H
#define ASSAY_COMPARE_SCALED_H

enum { SCALED_MAX = 64 };

/* How values are printed: in a unit, or with a suffix in front of it ("12.3M ops/s"). */
struct scale {
    double factor; /* multiplies the value */
    char unit[24]; /* "", or a blank or suffix and the unit: " ms", "k allocs/op" */
};

/*
 * The scale for values of a unit (NULL or "": none) of which `largest` is the largest, ≥ 0 or NaN. Times are in ns, µs,
 * ms and s, bytes in powers of 1000 (of 1024 if the unit is one of them), bits, frequencies likewise, each also per
 * operation or second. Other values from a million on get k, M, G or T. Minutes and hours stay.
 */
struct scale scaled_choose(const char *unit, double largest);

/* Two values in one scale with the same digits after the point: as many as give the larger one `digits` significant
 * ones, all of them before the point, and none if both are whole numbers below a million. A value of less than a tenth
 * of the other has digits of its own. "" for NaN. */
void scaled_pair(const double values[2], const struct scale *scale, int digits, char texts[2][SCALED_MAX]);

#endif
