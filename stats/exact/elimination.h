/*
 * elimination.h - least squares on exact sums of products, by elimination without fractions. Internal to stats.
 *
 * G is the symmetric matrix of the sums Σ column_i·column_j, integers, of the terms and then y. Step k = 0, 1, … does
 *     g_ij ← (g_kk·g_ij − g_ik·g_kj) / d_k        for i, j > k, where d_0 = 1 and d_k+1 = g_kk,
 * and every division leaves no rest: each g_ij is a minor of G, so that Hadamard's inequality bounds its length. d_k
 * are the leading minors, > 0 until a term is a linear combination of those before it: then d_k+1 is exactly 0.
 *
 * A row w of values of the terms, with 0 for y, that is written below G and reduced the same way leaves, exactly,
 *     the fitted value   w·b       = −(its last entry) / d_terms
 *     and the leverage   w·G⁻¹·wᵀ  = Σ_k w_k²/(d_k·d_k+1), w_k its entry k as step k finds it.
 * Unit rows give the coefficients and the factors of their variances. Sums of squares are sums of such positive terms
 * too. So nothing cancels after the last exact step, however ill-conditioned G is.
 *
 * In doubles, GSL's gsl_multifit_linear() keeps 7 digits of the coefficients that NIST certifies for its set Filip, 11
 * for Longley; this keeps the 14 or 15 that are certified. Integers are GMP's, which ends the process where it gets no
 * memory for them; the caller bounds their length.
 *
 * Source: Bareiss 1968, "Sylvester's identity and multistep integer-preserving Gaussian elimination",
 * DOI 10.1090/S0025-5718-1968-0226829-0. Cost O(terms³·limbs²), independent of n: 5 µs for a line, 1 ms for a
 * polynomial of degree 10.
 */
#ifndef ASSAY_STATS_EXACT_ELIMINATION_H
#define ASSAY_STATS_EXACT_ELIMINATION_H

#include <gmp.h>
#include <stddef.h>

#include "stats/status.h"

struct elimination {
    size_t terms;
    mpz_t *entry; /* [terms + 1][terms + 1], for i ≤ j */
};

/* Entries are 0 now; fill them in, for i ≤ j. STATS_NO_MEMORY. */
enum stats_status elimination_open(struct elimination *e, size_t terms);
void elimination_close(struct elimination *e);

/* Reduces G. STATS_DEPENDENT with *dependent = k if term k is a linear combination of those before it. */
enum stats_status elimination_run(struct elimination *e, size_t *dependent);

/* Σ over the terms from `first` of (projection of y on what the term adds)²: their part of Σy². Relative error 2^-105.
 */
__float128 elimination_explained(const struct elimination *e, size_t first);

/* What is left of Σy², 0 only if it is exactly that. Relative error 2^-108. */
__float128 elimination_residual(const struct elimination *e);

/* A row to reduce. */
struct elimination_row {
    size_t terms;
    mpz_t *entry; /* [terms + 1]: the caller sets those of the terms */
};

struct elimination_result {
    __float128 value, leverage; /* relative error 2^-108, 2^-105 */
};

/* A row of zeros. STATS_NO_MEMORY. Reusable. */
enum stats_status elimination_row_open(struct elimination_row *row, const struct elimination *e);
void elimination_row_close(struct elimination_row *row);

struct elimination_result elimination_reduce(const struct elimination *e, struct elimination_row *row);

/* Coefficient `term` and the factor of its variance: of the row with 1 there and 0 elsewhere. */
struct elimination_result elimination_coefficient(const struct elimination *e, struct elimination_row *row,
                                                  size_t term);

#endif
