/*
 * waste_traffic.h - all bytes that runs loaded and stored: the denominator that all kinds of waste have in common.
 *
 * A fraction of the papers is relative to loads for some kinds, and to stores for others, so fractions of different
 * kinds are in no order. The traffic share is: wasted bytes over all bytes that the run loaded and stored, mean over
 * the runs that recorded the kind. Rows are ranked by it.
 *
 * A run that recorded only loads or only stores (a mode of one kind) is taken to have made as many bytes of the other
 * accesses as, on average, the runs of the group that recorded those. If no run did, they are left out, and the shares
 * of a group that has only one kind of access are relative to it. A process without totals, because its accesses were
 * sampled, has the bytes of its pairs; dead and silent stores are the same stores, so only the kind with more bytes
 * counts, and so for loads. The share of a sampled run is of samples: it is compared with an exact one only in kind.
 */
#ifndef ASSAY_WASTE_WASTE_TRAFFIC_H
#define ASSAY_WASTE_WASTE_TRAFFIC_H

#include "analyze/waste/sums/waste_rows.h"

/* Adds counts by kind: stores may be of two kinds, and so may loads. */
uint64_t waste_sum_of_kinds(const uint64_t counts[WASTE_COUNT]);
/* The same for what was wasted: no load is both silent and adjacent. */
uint64_t waste_sum_wasted(const uint64_t counts[WASTE_COUNT]);

/* Fills traffic->bytes for the runs of a group. 0 or ENOMEM; to be freed in either case. O(pairs + totals + runs). */
int waste_traffic(const struct waste *waste, const struct waste_group *group, struct waste_traffic *traffic);
void waste_traffic_free(struct waste_traffic *traffic);

/* The share of what was wasted in each run, wasted[run * stride] bytes: the mean over the runs that recorded one of
 * these kinds (bit w: enum trace_waste w), 0-1; NaN if no such run accessed anything. */
double waste_traffic_share(const struct waste_traffic *traffic, uint32_t kinds, const uint64_t *wasted, size_t stride);

/* Notes what the runs of a group, called so ("": all), did not record, and what stands for it. */
void waste_traffic_note(const struct waste_traffic *traffic, const char *label, struct report *report);

#endif
