/*
 * audit_variance.h - chosen calls against all calls of the same programs: `assay audit variance`.
 *
 * Quantity: for each program, function and metric that traces with every call (of mode methods, or of mode calls by
 * engine exact) and traces with chosen calls (of mode calls) have, mean and coefficient of variation within threads of
 * both, as estimate.h defines them. A sampled CoV is good if it is within AUDIT_POINTS of the exact one or within
 * AUDIT_SHARE of it, whichever is larger. The unweighted one counts chosen calls alike: its error is that of a clock in
 * time.
 */
#ifndef ASSAY_AUDIT_AUDIT_VARIANCE_H
#define ASSAY_AUDIT_AUDIT_VARIANCE_H

#include "analyze/driver/analyzer.h"

#define AUDIT_POINTS 0.02
#define AUDIT_SHARE 0.1

extern const struct analyzer audit_variance_analyzer;

#endif
