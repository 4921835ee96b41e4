/*
 * by_label.h - an analyzer that keeps the traces of each label apart: --by LABEL of programs that have no such option
 * of their own.
 *
 * Each label has a state of the analyzer and a report. The reports become one: tables with a first column that has the
 * label, and warnings and notes that say which label they are about, unless they are about all.
 */
#ifndef ASSAY_ANALYZE_DRIVER_BY_LABEL_H
#define ASSAY_ANALYZE_DRIVER_BY_LABEL_H

#include "analyze/driver/run_label.h"

/* The same analyzer, which keeps the traces of each label apart. A program has one of these at most. */
const struct analyzer *by_label_analyzer(const struct analyzer *analyzer, enum run_label label);

/* What --columns adds to the tables of such an analyzer. */
extern const struct columns by_label_columns;

#endif
