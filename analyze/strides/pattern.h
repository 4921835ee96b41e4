/*
 * pattern.h - what recurs in a load: its stride from one iteration to the next, or its distance from another load.
 *
 * Source: Inagaki et al., §3.2 (majority); Wu, PLDI 2002, §4 (classes).
 */
#ifndef ASSAY_STRIDES_PATTERN_H
#define ASSAY_STRIDES_PATTERN_H

#include "analyze/strides/strides.h"

/* Fewer strides, or dependences, show nothing. */
enum { PATTERN_LEAST = 4 };

enum pattern_class { PATTERN_STRONG_SINGLE, PATTERN_PHASED_MULTIPLE, PATTERN_WEAK_SINGLE, PATTERN_NO_CLASS };

/* Whether it loads from the same address again and again. */
bool pattern_invariant(const struct strides_options *options, const struct loads_row *row);
/* Whether a stride other than 0 recurs from iteration to iteration, and which: of all steps, or with options->moves as
 * in pattern_moves(). */
bool pattern_inter(const struct strides_options *options, const struct loads_row *row, int64_t *stride);
/* The same of the steps that change the address alone. What is not invariant may stay where it is in some iterations,
 * as each of two lists that are merged does. */
bool pattern_moves(const struct strides_options *options, const struct loads_row *row, int64_t *stride);
/* The most frequent of the steps that pattern_inter() looks at, or NULL, and its share of them. */
const struct histogram_entry *pattern_inter_top(const struct strides_options *options, const struct loads_row *row,
                                                double *share);
/* Whether the load depends on this partner: at a recurring offset (base), or by a recurring scale (index). */
bool pattern_depends(const struct strides_options *options, const struct loads_row *row,
                     const struct loads_partner *partner, int64_t *offset);
/* Whether the distance from such a partner recurs within iterations, of which the address changes, and which. */
bool pattern_intra(const struct strides_options *options, const struct loads_row *row,
                   const struct loads_partner *partner, int64_t *stride);
/* The share of the most frequent distance. */
double pattern_intra_share(const struct loads_row *row, const struct loads_partner *partner);

/* Wu's classes: strong single, one stride makes up more than 70 %; phased multiple, four make up more than 60 %, and
 * more than 40 % equal the one before; weak single, one makes up more than 25 %, and more than 10 % equal the one
 * before. */
enum pattern_class pattern_class_of(const struct loads_row *row);
const char *pattern_class_name(enum pattern_class class_of_row);

#endif
