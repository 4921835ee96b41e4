/*
 * family.h - p-values of a family of tests, adjusted for their number.
 *
 * Of 100 tests whose hypotheses are all true, five have a p below 0.05 on average. An adjusted p is the smallest level
 * at which the procedure rejects the hypothesis, so it is compared with the level like any p.
 *
 * FAMILY_HOLM: the probability that any true hypothesis is rejected is at most the level, however the tests depend on
 * each other. With p_(1) ≤ … ≤ p_(m): adjusted p_(i) = max over j ≤ i of min(1, (m − j + 1)·p_(j)).
 * Source: Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
 * 65–70; R: p.adjust(p, "holm").
 *
 * FAMILY_BENJAMINI_HOCHBERG: the expected share of true hypotheses among those that are rejected is at most the level,
 * if tests are independent or positively dependent. Adjusted p_(i) = min over j ≥ i of min(1, m/j·p_(j)).
 * Source: Benjamini and Hochberg 1995, DOI 10.1111/j.2517-6161.1995.tb02031.x; R: p.adjust(p, "BH").
 */
#ifndef ASSAY_STATS_INFERENCE_FAMILY_H
#define ASSAY_STATS_INFERENCE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/distributions/tail.h"

enum family_method { FAMILY_HOLM, FAMILY_BENJAMINI_HOCHBERG };

/* The method "holm" or "bh"; false if it is neither. And its name for readers, static. */
bool family_parse(const char *text, enum family_method *method);
const char *family_name(enum family_method method);

/*
 * The adjusted p of tests[count], in the same order, into adjusted[count], which may be the same array. A p of 0 is
 * ordered and adjusted by its log10 p. STATS_TOO_FEW: no tests. STATS_DOMAIN: a p that is not in 0 … 1, or a
 * positive log10 p. STATS_NO_MEMORY. Relative error of p below 1e-15 beyond that of the tests'. O(count log count).
 */
enum stats_status family_adjust(enum family_method method, const struct tail *tests, size_t count,
                                struct tail *adjusted);

#endif
