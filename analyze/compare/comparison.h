/*
 * comparison.h - two groups of values: the ratio of their means or medians with its interval, a test, and a verdict.
 */
#ifndef ASSAY_COMPARE_COMPARISON_H
#define ASSAY_COMPARE_COMPARISON_H

#include <stdbool.h>

#include "analyze/driver/tables/direction.h"
#include "stats/distributions/tail.h"
#include "stats/estimates/group.h"
#include "stats/estimates/ratio.h"
#include "stats/exact/series.h"
#include "stats/inference/effect.h"

/* A group, as the methods need it. comparison_side_free() may be called after a failure too. */
struct comparison_side {
    struct group group;
    const struct series *series;
    double *x;
    size_t n;
    double mean, median;
    double sd; /* NaN for n = 1 */
};

/* The series must outlive the side. */
enum stats_status comparison_side_init(struct comparison_side *side, const struct series *series);
void comparison_side_free(struct comparison_side *side);

/* The last three are of pairs: value i of one side and value i of the other belong together. */
enum comparison_method {
    COMPARISON_WELCH,
    COMPARISON_BOOTSTRAP,
    COMPARISON_MANN_WHITNEY,
    COMPARISON_PAIRED_T,
    COMPARISON_WILCOXON,
    COMPARISON_SIGN
};
bool comparison_is_of_pairs(enum comparison_method method);

/* Whether it compares medians; otherwise it compares means. */
bool comparison_has_medians(enum comparison_method method);

/* The question of the test: do they differ; is a below b, or above; do they differ by no more than the margin? */
enum comparison_question { COMPARISON_DIFFERS, COMPARISON_LESS, COMPARISON_GREATER, COMPARISON_EQUIVALENT };

/* Which effect size. */
enum comparison_effect {
    COMPARISON_NO_EFFECT,
    COMPARISON_G,
    COMPARISON_CLIFF,
    COMPARISON_A12,
    COMPARISON_GAV, /* from here on, of pairs */
    COMPARISON_GZ,
    COMPARISON_RANK,
    COMPARISON_EFFECTS /* their number */
};

struct comparison_request {
    enum comparison_method method;
    enum comparison_question question;
    bool exact; /* values do not vary from run to run: constant ones need neither interval nor test */
    enum comparison_effect effect;
    double margin; /* of COMPARISON_EQUIVALENT: ratios from 1/(1 + margin) to 1 + margin */
    double confidence;
};

struct comparison {
    double center, center_baseline;         /* means, or, by Mann and Whitney, medians */
    struct ratio ratio;                     /* of these; low and high are NaN if there is no interval */
    struct effect effect;                   /* that was asked for; all NaN if there is none: no_interval says why */
    double p, log10_p;                      /* NaN if there is no test */
    struct tail family;                     /* this p, adjusted for a family of tests; NaN if there is none */
    enum stats_status no_interval, no_test; /* why */
    bool exact;                             /* p of Mann and Whitney, or of Wilcoxon */
    size_t zeros;                           /* pairs of equal values, which rank and sign tests leave out */
    bool constant;                          /* the request's exact, and all are equal on either side, or in each pair */
    bool same;  /* all values of both sides are the same one; of pairs: both values of each are */
    bool above; /* a tends to be greater than b, by the test; of COMPARISON_EQUIVALENT: it rather lies above the margin
                   than below it */
    struct tail outside_p; /* of COMPARISON_EQUIVALENT: the two-sided p of the tests that show it to be outside, twice
                              the smaller one, at most 1; in a family of tests, adjusted */
};

/* Neither center, ratio nor test: where one side has no values. */
struct comparison comparison_none(void);

/*
 * a compared with the baseline b. Ratios of means are rounded once from 113 bits. Each interval inverts the test beside
 * it: Welch's t and Fieller's interval, or the bootstrap's own (stats/estimates/ratio.h); Mann and Whitney's test and
 * its interval of the ratio of medians (stats/inference/rank.h). Pairs: stats/inference/paired.h, both sides having as
 * many values. The ratio of Wilcoxon's and the sign test is that of the pairs, which is not the ratio of the medians;
 * it is NaN unless all values are above 0. A baseline of 0 has no ratio (NaN) but a test. One-sided: p of the
 * hypothesis that a is not less (greater). Equivalence: the larger p of two one-sided tests, of a against b times each
 * bound (Schuirmann 1987, DOI 10.1007/BF01068419; for ratios: Sasabuchi 1988); `outside_p` is that of the same tests
 * in the other direction. Effect sizes (stats/inference/effect.h, of pairs
 * stats/inference/paired_effect.h) are positive where a is greater than b.
 * STATS_DOMAIN: a center below 0; STATS_OVERFLOW, STATS_NO_MEMORY.
 */
enum stats_status comparison_make(const struct comparison_side *a, const struct comparison_side *b,
                                  const struct comparison_request *request, struct comparison *out);

/* What a comparison shows of the ratio. */
enum comparison_result {
    COMPARISON_NO_RESULT, /* no test, hence nothing */
    COMPARISON_SAME,      /* all values on both sides are the same one, or both of each pair */
    COMPARISON_UNDECIDED, /* no difference is shown; with a margin: neither equivalence nor a difference beyond it */
    COMPARISON_WITHIN,    /* the margin */
    COMPARISON_BELOW,     /* the baseline; with a margin: below its lower bound */
    COMPARISON_ABOVE      /* likewise */
};

/*
 * The result by p and outside_p alone, as they are adjusted in a family of tests. A difference is shown if p is below
 * 1 − confidence, and one beyond a margin if outside_p is: then the two-sided interval lies beyond it. Constant values
 * are compared as they are; the margin includes its bounds. O(1).
 */
enum comparison_result comparison_decide(const struct comparison *found, const struct comparison_request *request);

/* The result of a comparison of values of a kind, for readers: "faster", "smaller" …, "no difference shown",
 * "no difference", "equivalent", "undecided"; NULL without a result. Static storage. */
const char *comparison_verdict(enum comparison_result result, const struct comparison_request *request,
                               enum direction_kind kind);

/* The names of test and interval, for readers: "Mann-Whitney (exact), ratio of medians". Static storage. */
const char *comparison_label(const struct comparison *found, const struct comparison_request *request);

/* What the effect size is, with its interval, for readers; NULL for COMPARISON_NO_EFFECT. The interval of an effect of
 * ranks or signs at the end of its range is Wilson's. Static storage. */
const char *comparison_effect_label(enum comparison_effect effect, double value);

#endif
