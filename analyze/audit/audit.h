/*
 * audit.h - sampled waste against the exact one.
 *
 * Quantity: for each program and kind that both engine exact and a sampled run recorded, the fraction of previously
 * accessed bytes that were wasted (JXPerf eq. 1, pair_fraction), and how its worst pairs compare. The exact value is
 * the mean over the exact runs; the sampled one pools the traps of all sampled runs, each weighted by the bytes that it
 * represents. Its interval is Wilson's, for the effective number of traps (proportion.h): the sampling error alone,
 * without the bias of the clock.
 *
 * That bias differs from program to program, in either direction: its variance is the excess of the mean squared error
 * over the mean sampling variance (moments, as DerSimonian and Laird 1986, unweighted; 0 if less). The wide interval of
 * a program includes the bias of all others, so the number of them that cover shows how good such an interval is for a
 * new program.
 *
 * Of bursts, the value and its interval are those of windows.h over the bursts of all runs: the share of all bytes
 * loaded or stored that were wasted; and so is the exact value that it is compared with. Each way has its own bias.
 *
 * Pairs are the same if their calling contexts are: the accesses' own frames by line, or by address where no line is
 * known; callers' addresses may be anywhere in the call instruction, so they match within 7 bytes.
 */
#ifndef ASSAY_AUDIT_AUDIT_H
#define ASSAY_AUDIT_AUDIT_H

#include "analyze/waste/waste_rows.h"

enum { AUDIT_TOP = 10, AUDIT_CALL_BYTES = 7 };

/* What is compared with the full runs of engine exact. Bursts are of engine exact, too. */
enum audit_way { AUDIT_SAMPLES, AUDIT_BURSTS, AUDIT_WAYS };

/* One kind of one program, in one way. */
struct audit_row {
    enum audit_way way;
    const char *program; /* borrowed from the state */
    uint32_t waste;
    double exact, sampled;      /* NaN: no bytes */
    double low, high;           /* NaN: no interval */
    bool covered;               /* low ≤ exact ≤ high */
    double variance;            /* of sampled, by the effective number of traps: the sampling error alone */
    double wide_low, wide_high; /* with the bias that the other programs show; NaN: there are no others */
    bool wide_covered;
    uint64_t traps, bursts;
    double unseen;        /* of bursts: the share of their bytes that they can't judge; else NaN */
    size_t top, found;    /* the number of the exact runs' worst pairs, at most AUDIT_TOP; how many of these the sampled
                             runs have */
    size_t edit_distance; /* between the two lists of worst pairs: insertions, deletions, replacements */
    double tau;           /* Kendall's, of the bytes of the exact runs' worst pairs; NaN: not defined */
};

struct audit {
    struct audit_row *rows; /* by program and kind */
    size_t count;
    size_t unmatched; /* programs that were only recorded in full, or never */
    double
        bias; /* the part of the errors that sampling does not explain: standard deviation, as a share; NaN: no rows */
};

/* 0 or ENOMEM; to be freed in either case. */
int audit_rows(const struct waste *waste, const struct analysis_options *options, struct audit *audit);
void audit_free(struct audit *audit);

/* --- audit_pairs.c --- */

/* Matches contexts of the sampled runs to those of the exact ones; sources as below, of all programs. NULL without
 * memory. O(contexts log contexts). */
struct audit_tree;
struct audit_tree *audit_tree_new(const struct waste *waste, const uint8_t *sources);
void audit_tree_free(struct audit_tree *tree);

/* Compares the worst pairs of one kind: sources[i] says whether source i is exact (1), to be compared (2) or neither
 * (0). Fills top, found, edit_distance and tau. 0 or ENOMEM. */
int audit_compare_pairs(const struct audit_tree *tree, const uint8_t *sources, struct audit_row *row);

#endif
