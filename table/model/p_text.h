/*
 * p_text.h - p-values for readers.
 */
#ifndef ASSAY_TABLE_MODEL_P_TEXT_H
#define ASSAY_TABLE_MODEL_P_TEXT_H

#include "table/model/table.h"

enum { P_TEXT_MAX = 48 };

/* The significant digits of all p-values from now on, as --digits says, 1 to 17; 0: four decimal places, or two digits
 * below 0.0001, as at first. Call it before threads run. */
void p_text_use_digits(int digits);

/* "0.0341", "2.1e-07", and from log10 p if p is too small for a double: "4.3e-2477"; "0" for log10 p of −∞, "-" for
 * NaN.
 */
void p_text(double p, double log10_p, char text[P_TEXT_MAX]);

/* Fills a cell of texts with it. */
void table_p(struct table *table, double p, double log10_p);

#endif
