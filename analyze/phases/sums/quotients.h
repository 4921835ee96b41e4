/*
 * quotients.h - mean and spread of quotients, such as cycles per instruction of each call.
 *
 * Quotients are doubles; Σx and Σx² are taken in pairs of doubles (106 bits), so that Σx² − (Σx)²/n keeps all the
 * digits of a double unless sd/mean is below 1e-8, and no visible digit depends on the order. Source: Dekker 1971,
 * DOI 10.1007/BF01397083; Knuth, TAOCP 2, §4.2.2.
 */
#ifndef ASSAY_PHASES_QUOTIENTS_H
#define ASSAY_PHASES_QUOTIENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/driver/relations.h"
#include "stats/estimates/group.h"

/* Start with {0}. */
struct quotients {
    uint64_t n;
    double sum[2], squares[2]; /* a value and the remainder below its last bit */
    double min, max;
};

/* x finite, ≥ 0 and so small that n·x² is a double. */
void quotients_add(struct quotients *all, double x);
void quotients_merge(struct quotients *all, const struct quotients *other);

/* n ≥ 1, else STATS_TOO_FEW. */
enum stats_status quotients_group(const struct quotients *all, struct group *out);

extern const struct field_class quotients_class;

#endif
