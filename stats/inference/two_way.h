/*
 * two_way.h - do two factors have an effect, and does the effect of one depend on the other? Analysis of variance, two
 * ways, with interaction.
 *
 * Model: a value of row level i and column level j is μ + α_i + β_j + γ_ij + error, with n_ij ≥ 1 values in each cell,
 * equally many or not; n values together, with mean ȳ; errors normal with one variance.
 *   ss_within = ΣΣΣ (y_ijk − ȳ_ij)², dof_within = n − rows·columns, ss_total = ΣΣΣ (y_ijk − ȳ)²
 * The interaction is what the additive model α_i + β_j, by least squares, leaves of the cells' means. What belongs to a
 * factor depends on what it is adjusted for, if the numbers n_ij are not proportional:
 *   TWO_WAY_I    rows for nothing, columns for rows (sequential; R's anova())
 *   TWO_WAY_II   each for the other, not for the interaction (R: car's Anova(type = 2)); the test of main effects that
 * is the most powerful one without interaction TWO_WAY_III  each for the other and the interaction: equality of the
 * unweighted means of cells (Yates' weighted squares of means; R: car's Anova(type = 3) with contr.sum) With equal n_ij
 * all are the same, and add up to ss_total. The interaction is the same in all. f = ms / ms_within, eta2_partial =
 * ss/(ss + ss_within) omega2         = (ss − dof·ms_within) / (ss_total + ms_within) omega2_partial = (ss −
 * dof·ms_within) / (ss + (n − dof)·ms_within) estimate the shares of variance in the population where n_ij are equal
 * (Hays 1963; Olejnik and Algina 2003, DOI 10.1037/1082-989X.8.4.434). Otherwise the same formulas are approximations.
 * Below 0 where f < 1, and reported so. Source: Yates 1934, DOI 10.1080/01621459.1934.10502686; Searle, Linear Models
 * for Unbalanced Data, 1987, ch. 4.
 */
#ifndef ASSAY_STATS_INFERENCE_TWO_WAY_H
#define ASSAY_STATS_INFERENCE_TWO_WAY_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/estimates/group.h"

enum two_way_type { TWO_WAY_I = 1, TWO_WAY_II, TWO_WAY_III };
enum { TWO_WAY_ROWS, TWO_WAY_COLUMNS, TWO_WAY_INTERACTION, TWO_WAY_EFFECTS };

struct two_way_effect {
    double ss, dof, ms;
    double f, p, log10_p; /* log10_p is always finite */
    double eta2_partial, omega2, omega2_partial;
};

struct two_way {
    struct two_way_effect effects[TWO_WAY_EFFECTS];
    double ss_within, dof_within, ms_within, ss_total;
    bool balanced; /* all cells have equally many values */
    uint64_t n;
};

/*
 * From cells[rows · columns], row by row. STATS_TOO_FEW: less than two rows or columns, a cell without values, or one
 * value in each cell, so the spread within is unknown. STATS_CONSTANT: the values of each cell are equal.
 * STATS_OVERFLOW: a result that is neither 0 nor a normal double. STATS_NO_MEMORY. In 113 bits, rounded once.
 * O(rows·columns + min(rows, columns)³), with TWO_WAY_II + max(rows, columns)³.
 */
enum stats_status two_way_anova(const struct group *cells, size_t rows, size_t columns, enum two_way_type type,
                                struct two_way *out);

#endif
