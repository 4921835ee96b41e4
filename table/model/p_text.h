/*
 * p_text.h - p-values for readers.
 */
#ifndef ASSAY_TABLE_MODEL_P_TEXT_H
#define ASSAY_TABLE_MODEL_P_TEXT_H

#include "table/model/table.h"

enum { P_TEXT_MAX = 32 };

/* "0.0341", "2.1e-07", and from log10 p if p is too small for a double: "4.3e-2477"; "0" for log10 p of −∞, "-" for
 * NaN.
 */
void p_text(double p, double log10_p, char text[P_TEXT_MAX]);

/* Fills a cell of texts with it. */
void table_p(struct table *table, double p, double log10_p);

#endif
