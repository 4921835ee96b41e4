/*
 * guidance.h - whether the variance of a function deserves work. Source: Su 2020, Table 5.1 and §5.4.6.
 */
#ifndef ASSAY_VARIANCE_GUIDANCE_H
#define ASSAY_VARIANCE_GUIDANCE_H

#include "analyze/variance/estimate.h"

struct variance_thresholds {
    double share;   /* of the program's time: above it is high */
    double within;  /* coefficient of variation within threads: above it is high */
    double between; /* and between threads */
};

/* The verdicts of the table. Unclear: an interval holds its threshold, and the verdict depends on the side. */
enum variance_guidance {
    GUIDANCE_REDUCE,    /* high time, high variance */
    GUIDANCE_UNRELATED, /* high time, low variance */
    GUIDANCE_LITTLE,    /* low time, high variance */
    GUIDANCE_NOTHING,   /* low time, low variance */
    GUIDANCE_UNCLEAR,
    GUIDANCE_COUNT
};

enum variance_guidance guidance_of(const struct variance_estimate *estimate,
                                   const struct variance_thresholds *thresholds);

/* "reduce variance"; and the table's own sentence for it. */
const char *guidance_name(enum variance_guidance guidance);
const char *guidance_sentence(enum variance_guidance guidance);

#endif
