/*
 * cov.h - coefficients of variation, of groups and over groups.
 *
 * Quantity: the CoV of a group is its sd (divisor n−1) / its mean, a ratio without unit, for quantities that are not
 * negative. Overall CoV = Σ share_i·CoV_i: how much values vary within groups, weighted by how much each group matters.
 * Source: method-level-phases §4 (groups are phases, a share is a phase's share of the execution time).
 */
#ifndef ASSAY_STATS_ESTIMATES_COV_H
#define ASSAY_STATS_ESTIMATES_COV_H

#include <stddef.h>

#include "stats/estimates/group.h"

/* sd/mean ≥ 0. n ≥ 2 (STATS_TOO_FEW); mean > 0 (STATS_DOMAIN). STATS_OVERFLOW: it is not a normal double. */
enum stats_status cov_of(const struct group *group, double *cov);

struct cov_overall {
    double cov;            /* over the other groups, whose shares are scaled to a sum of 1 */
    size_t left_out;       /* groups without CoV: with one value, or with mean 0 */
    double share_left_out; /* 0 … 1: their share of all weight */
};

/*
 * From groups[count] and the weight of each, ≥ 0 and finite (STATS_DOMAIN), as its execution time; shares are weights
 * over their sum. weights NULL: a group's weight is the sum of its values, n·mean, which is right if the values are
 * execution times themselves. No mean may be negative (STATS_DOMAIN). STATS_TOO_FEW if no group with a weight has a
 * CoV. O(count).
 */
enum stats_status cov_overall(const struct group *groups, size_t count, const double *weights, struct cov_overall *out);

#endif
