/*
 * windows.h - the share of marked units in a long series of which only some windows were seen, each without what came
 * before it.
 *
 * Quantity: F = marked / all units, 0-1; a unit has a weight (here: bytes of a memory access). Whether a unit is marked
 * depends on an earlier one: in a window it is unseen if that one lies, or may lie, before the window, and may mark it.
 * Each window is a cluster with five sums: T all units of its counted part, W marked ones, U unseen ones, C those whose
 * earlier unit is in the window but before the counted part ("crossing"), and S marked ones of these. Sums over the
 * windows:
 *
 *     F = (W + q U) / T   with q = S / C
 *
 * since a crossing unit would be unseen if the window had begun where its counted part begins; with C = 0, q is that of
 * all units that were seen, W / (T − U). The interval does not depend on q: it extends from the lower bound of W / T,
 * in which no unseen unit is marked, to the upper bound of (W + U) / T, in which all are. Both bounds are those of a
 * ratio of totals over clusters, with Student's t for m − 1 degrees of freedom, m = T² / ΣTᵢ² (n for windows of one
 * size), and then moved as one more window would move it in which no unit is marked, or every unit: what happens rarely
 * may be in no window. So it contains F however the unseen units differ from others, if windows lie at random and are
 * not few. Source: Wood, Hill and Kessler 1991, DOI 10.1145/107971.107981 (unknown references at the beginning of a
 * sampled window); Cochran, Sampling Techniques, 1977, §9A (clusters of unequal size), §6.4 (variance of a ratio);
 * Manski 2003, ch. 1 (bounds without assumptions).
 */
#ifndef ASSAY_STATS_ESTIMATES_WINDOWS_H
#define ASSAY_STATS_ESTIMATES_WINDOWS_H

#include "stats/status.h"

enum { WINDOWS_ALL, WINDOWS_MARKED, WINDOWS_UNSEEN, WINDOWS_CROSSING, WINDOWS_CROSSING_MARKED, WINDOWS_SUMS };

/* The sums over n windows, and those of the products that the variances need. All zeros: none. */
enum { WINDOWS_ALL_ALL, WINDOWS_ALL_LEAST, WINDOWS_LEAST_LEAST, WINDOWS_ALL_MOST, WINDOWS_MOST_MOST, WINDOWS_PRODUCTS };
struct windows {
    double n;
    double sums[WINDOWS_SUMS];
    double products[WINDOWS_PRODUCTS]; /* least: W; most: W + U */
};

void windows_add(struct windows *windows, const double one[WINDOWS_SUMS]);
void windows_join(struct windows *into, const struct windows *from);

struct windows_share {
    double share;     /* F; NaN: all is unseen */
    double unseen;    /* U / T */
    double q;         /* 0-1; NaN likewise */
    double low, high; /* 0-1; NaN for one window, or one that outweighs all others */
};

/* STATS_TOO_FEW: T is 0. STATS_DOMAIN: not 0 < confidence < 1, or sums that can't be: below 0, C > T − U, or S > C. W
 * may exceed T − U: what marks a unit need not be one (the kernel's store that makes a store dead). O(1). */
enum stats_status windows_share(const struct windows *windows, double confidence, struct windows_share *out);

#endif
