#include "stats/inference/rank.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/stats/groups.h"
#include "tests/tap.h"

#define GROUP(array)                                                                                                   \
    {                                                                                                                  \
        array, COUNT_OF(array)                                                                                         \
    }

static void test_invalid(void)
{
    const double values[] = {1, 2, 3}, bad[] = {1, NAN}, infinite[] = {INFINITY}, equal[] = {2, 2, 2};
    const struct rank_group good = GROUP(values), empty = {values, 0}, broken = GROUP(bad), far = GROUP(infinite);
    const struct rank_group with_empty[] = {good, empty}, with_bad[] = {good, broken}, with_far[] = {far, good};
    const struct rank_group ties[] = {GROUP(equal), {equal, 2}};
    struct kruskal_wallis kruskal = {.h = 42};
    struct mann_whitney mann = {.u = 42};
    double low = 42, high = 42;
    ok(rank_kruskal_wallis(&good, 1, &kruskal) == STATS_TOO_FEW, "one group is refused");
    ok(rank_kruskal_wallis(&good, 0, &kruskal) == STATS_TOO_FEW, "no group is refused");
    ok(rank_kruskal_wallis(with_empty, 2, &kruskal) == STATS_TOO_FEW, "an empty group is refused");
    ok(rank_kruskal_wallis(with_bad, 2, &kruskal) == STATS_DOMAIN, "NaN is refused");
    ok(rank_kruskal_wallis(with_far, 2, &kruskal) == STATS_DOMAIN, "an infinite value is refused");
    ok(rank_kruskal_wallis(ties, 2, &kruskal) == STATS_CONSTANT, "equal values are refused");
    ok(kruskal.h == 42, "  and no error writes a result");
    ok(rank_mann_whitney(&good, &empty, &mann) == STATS_TOO_FEW, "Mann-Whitney: an empty group is refused");
    ok(rank_mann_whitney(&broken, &good, &mann) == STATS_DOMAIN, "Mann-Whitney: NaN is refused");
    ok(mann.u == 42, "  and no error writes a result");
    ok(rank_mann_whitney(&ties[0], &ties[1], &mann) == STATS_OK && mann.p == 1 && mann.log10_p == 0,
       "Mann-Whitney: equal values have one arrangement, and p is 1");
    ok(rank_ratio_interval(&empty, &good, 0.95, &low, &high) == STATS_TOO_FEW, "ratio: an empty group is refused");
    ok(rank_ratio_interval(&good, &broken, 0.95, &low, &high) == STATS_DOMAIN, "ratio: NaN is refused");
    ok(low == 42 && high == 42, "  and no error writes a result");
}

static void test_too_large(void)
{
    const double low[] = {-1.7e308}, high[] = {1.7e308};
    const struct rank_group x = GROUP(low), y = GROUP(high), endless = {low, (size_t)RANK_N_MAX + 1};
    struct mann_whitney mann;
    const double tiny[] = {1e-10};
    double least = 42, greatest = 42;
    ok(rank_ratio_interval(&y, &(struct rank_group){tiny, 1}, 0.95, &least, &greatest) == STATS_OVERFLOW && least == 42,
       "a ratio beyond a double is an overflow");
    ok(rank_mann_whitney(&x, &endless, &mann) == STATS_OVERFLOW, "too many values are an overflow");
    ok(rank_mann_whitney(&x, &y, &mann) == STATS_OK && mann.u == 0, "  but their ranks are known");
}

/* R: split(InsectSprays$count, InsectSprays$spray), of which many are equal */
static const double spray_a[] = {10, 7, 20, 14, 14, 12, 10, 23, 17, 20, 14, 13};
static const double spray_b[] = {11, 17, 21, 11, 16, 14, 17, 17, 19, 21, 7, 13};
static const double spray_c[] = {0, 1, 7, 2, 3, 1, 2, 1, 3, 0, 1, 4};
static const double spray_d[] = {3, 5, 12, 6, 4, 3, 5, 5, 5, 5, 2, 4};
static const double spray_e[] = {3, 5, 3, 5, 3, 6, 1, 1, 3, 2, 6, 4};
static const double spray_f[] = {11, 9, 15, 22, 15, 16, 13, 10, 26, 26, 24, 13};

static void check_kruskal(const struct rank_group *groups, size_t count, double h, double p, bool ties)
{
    struct kruskal_wallis result;
    ok(rank_kruskal_wallis(groups, count, &result) == STATS_OK, "Kruskal-Wallis test with H = %g", h);
    is_real(result.h, h, 1e-14, "  H");
    is_real(result.dof, (double)count - 1, 0, "  degrees of freedom");
    is_real(result.p, p, 1e-12, "  p");
    is_real(result.log10_p, log10(p), 1e-13, "  log10 p");
    ok(result.ties == ties, "  whether there were ties");
}

static void test_kruskal(void)
{
    const struct rank_group spray[] = {GROUP(spray_a), GROUP(spray_b), GROUP(spray_c),
                                       GROUP(spray_d), GROUP(spray_e), GROUP(spray_f)};
    const struct rank_group plant[] = {GROUP(plant_control), GROUP(plant_one), GROUP(plant_two)};
    const struct rank_group uneven[] = {GROUP(uneven_a), GROUP(uneven_b), GROUP(uneven_c)};
    /* R: kruskal.test(count ~ spray, InsectSprays) and so on; 18 digits by fractions and mpmath 1.3 */
    check_kruskal(spray, 6, 54.6913446223714513, 1.51084443941850673e-10, true);
    check_kruskal(plant, 3, 7.98822874944370271, 0.0184237557314720866, true);
    check_kruskal(uneven, 3, 4.65607313887679582, 0.0974869681961339016, true);
}

/* H depends only on the order of the values: neither on that of the groups nor on an increasing function of the values.
 */
static void test_kruskal_invariant(void)
{
    double x[60], y[60];
    for (size_t i = 0; i < 60; i++) {
        x[i] = floor(rng_uniform() * 40) + (i < 20 ? 5 : 0);
        y[i] = exp(x[i] / 10);
    }
    const struct rank_group plain[] = {{x, 20}, {x + 20, 15}, {x + 35, 25}};
    const struct rank_group turned[] = {plain[2], plain[0], plain[1]};
    const struct rank_group curved[] = {{y, 20}, {y + 20, 15}, {y + 35, 25}};
    struct kruskal_wallis a, b, c;
    rank_kruskal_wallis(plain, 3, &a);
    rank_kruskal_wallis(turned, 3, &b);
    rank_kruskal_wallis(curved, 3, &c);
    ok(a.h > 0 && a.h == b.h && a.p == b.p, "the order of groups does not change H");
    ok(a.h == c.h && a.ties && c.ties, "  nor does an increasing function of the values");
}

/* Each group has n values, all above those of the group before: H = 8n²/(3n+1), and with 2 dof p = e^(−H/2). */
static void test_kruskal_far(void)
{
    enum { N = 2000 };
    static double x[3 * N];
    for (size_t i = 0; i < 3 * N; i++)
        x[i] = 1e12 + (double)(i * 7919 % N + i - i % N) / 1024;
    const struct rank_group groups[] = {{x, N}, {x + N, N}, {x + 2 * N, N}};
    struct kruskal_wallis result;
    double h = 8. * N * N / (3 * N + 1);
    ok(rank_kruskal_wallis(groups, 3, &result) == STATS_OK, "three groups without overlap have a Kruskal-Wallis test");
    is_real(result.h, h, 1e-15, "  H in closed form");
    is_real(result.log10_p, -h / 2 * 0.43429448190325182765, 1e-14, "log10 p in closed form, below any double's p");
    ok(result.p == 0 && result.n == 3 * N && result.groups == 3 && !result.ties, "  p itself is 0");
}

/* U of the arrangement in which the bits of mask are x's ranks: a count of pairs. */
static unsigned count_u(unsigned mask, unsigned n)
{
    unsigned u = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < i; j++)
            u += (mask >> i & 1) && !(mask >> j & 1);
    return u;
}

/* All arrangements of m and n values: p by counting those that are at least as far from the middle on the same side. */
static bool all_arrangements(unsigned m, unsigned n)
{
    unsigned total = 0, counts[64] = {0};
    for (unsigned mask = 0; mask < 1u << (m + n); mask++)
        if ((unsigned)__builtin_popcount(mask) == m) {
            total++;
            counts[count_u(mask, m + n)]++;
        }
    for (unsigned mask = 0; mask < 1u << (m + n); mask++) {
        double x[16], y[16];
        struct rank_group a = {x, 0}, b = {y, 0};
        for (unsigned i = 0; i < m + n; i++)
            *(mask >> i & 1 ? &x[a.n++] : &y[b.n++]) = i;
        if (a.n != m)
            continue;
        unsigned u = count_u(mask, m + n), below = 0, above = 0;
        for (unsigned i = 0; i <= m * n; i++) {
            below += i <= u ? counts[i] : 0;
            above += i >= u ? counts[i] : 0;
        }
        double p = fmin(1, 2. * (below < above ? below : above) / total);
        struct mann_whitney result;
        if (rank_mann_whitney(&a, &b, &result) || result.method != RANK_EXACT || result.u != u ||
            fabs(result.p - p) > 1e-15 * p || fabs(result.log10_p - log10(p)) > 1e-14 ||
            fabs(result.less.p * total - below) > 1e-9 || fabs(result.greater.p * total - above) > 1e-9)
            return false;
    }
    return true;
}

static void test_exact(void)
{
    for (unsigned m = 1; m <= 5; m++)
        for (unsigned n = 1; n <= 5; n++)
            ok(all_arrangements(m, n), "every arrangement of %u and %u values has its exact p", m, n);
}

/*
 * A separate enumeration for ties: all ways to choose m of the pooled values, each with its U counted pair by pair.
 * Small integers as values give ties of every pattern.
 */
static unsigned doubled_u(const double *pooled, unsigned count, unsigned mask)
{
    unsigned u = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; (mask >> i & 1) && j < count; j++)
            if (!(mask >> j & 1))
                u += pooled[i] > pooled[j] ? 2 : pooled[i] == pooled[j];
    return u;
}

static bool agrees(unsigned m, unsigned n, unsigned levels)
{
    double pooled[16];
    unsigned below = 0, above = 0, total = 0, own = (1u << m) - 1;
    struct mann_whitney result;
    for (unsigned i = 0; i < m + n; i++)
        pooled[i] = floor(rng_uniform() * levels) + (i < m ? floor(rng_uniform() * 2) : 0);
    unsigned u = doubled_u(pooled, m + n, own);
    for (unsigned mask = 0; mask < 1u << (m + n); mask++) {
        if ((unsigned)__builtin_popcount(mask) != m)
            continue;
        unsigned other = doubled_u(pooled, m + n, mask);
        total++;
        below += other <= u;
        above += other >= u;
    }
    if (rank_mann_whitney(&(struct rank_group){pooled, m}, &(struct rank_group){pooled + m, n}, &result) != STATS_OK)
        return false;
    double p = fmin(1, 2. * (below < above ? below : above) / total);
    return result.method == RANK_EXACT && result.u == u / 2. && fabs(result.p - p) < 1e-15 &&
           fabs(result.less.p * total - below) < 1e-9 && fabs(result.greater.p * total - above) < 1e-9;
}

static void test_enumerated(void)
{
    unsigned cases = 0, right = 0;
    for (unsigned m = 1; m <= 8; m++)
        for (unsigned n = 1; n <= 8; n++)
            for (unsigned i = 0; i < (m + n < 14 ? 60u : 12u); i++, cases++)
                right += agrees(m, n, 1 + i % 12);
    ok(right == cases, "%u of %u draws of up to 8 and 8 values with ties have the p of full enumeration", right, cases);
}

/* Separated groups: p is 2/(N choose m), with ties within the groups or without. */
static void test_apart(void)
{
    const double ones[] = {1, 1, 1}, twos[] = {2, 2, 2}, low[] = {1, 2, 2, 3, 3}, high[] = {4, 4, 5, 6, 6};
    const struct rank_group a = GROUP(ones), b = GROUP(twos), c = GROUP(low), d = GROUP(high);
    struct mann_whitney result;
    ok(rank_mann_whitney(&a, &b, &result) == STATS_OK && result.ties, "three 1s and three 2s have a Mann-Whitney test");
    is_real(result.p, 0.1, 1e-15, "  p is 2/(6 choose 3)");
    is_real(result.less.p, 0.05, 1e-15, "  half of it on one side");
    is_real(result.greater.p, 1, 0, "  and 1 on the other");
    ok(rank_mann_whitney(&c, &d, &result) == STATS_OK && result.ties, "five values below five have one");
    is_real(result.p, 2. / 252, 1e-15, "  p is 2/(10 choose 5)");
}

/* The normal approximation. R 4.2.2: wilcox.test(x, y, exact = FALSE, alternative = …) of x <- 0:50 * 7 %% 53, y <- 3
 * + 1.5 * 0:49. */
static void test_one_sided(void)
{
    double x[51], y[50];
    for (unsigned i = 0; i < 51; i++)
        x[i] = i * 7 % 53;
    for (unsigned i = 0; i < 50; i++)
        y[i] = 3 + 1.5 * i;
    const struct rank_group a = GROUP(x), b = GROUP(y);
    struct mann_whitney result;
    ok(rank_mann_whitney(&a, &b, &result) == STATS_OK && result.method == RANK_NORMAL,
       "51 and 50 values are tested by the normal approximation");
    is_real(result.u, 788, 0, "  U");
    is_real(result.less.p, 0.00047550043614009058, 1e-12, "  p of less");
    is_real(result.greater.p, 0.99953589421374489, 1e-12, "  p of greater");
    is_real(result.p, 0.00095100087228018116, 1e-12, "  p of both sides");
}

/* R 4.2.2: exp(wilcox.test(log(x), log(y), conf.int = TRUE)$conf.int), exact. The bounds are
 * ratios of two values each. */
static void test_ratio_interval(void)
{
    const double first[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double second[] = {1.15, 0.88, 0.90, 0.74, 1.21}, zero[] = {0, 1, 2, 3, 4, 5};
    const struct rank_group x = GROUP(first), y = GROUP(second), few = {first, 3}, none = GROUP(zero);
    double low = 42, high = 42;
    ok(rank_ratio_interval(&few, &(struct rank_group){second, 3}, 0.95, &low, &high) == STATS_TOO_FEW,
       "three and three values have no 95 %% interval");
    ok(rank_ratio_interval(&none, &y, 0.95, &low, &high) == STATS_DOMAIN, "a value of 0 has no logarithm");
    ok(rank_ratio_interval(&x, &y, 1, &low, &high) == STATS_DOMAIN && low == 42 && high == 42,
       "confidence 1 is refused, and no error writes a result");
    ok(rank_ratio_interval(&x, &y, 0.95, &low, &high) == STATS_OK, "ten and five values have one");
    is_real(low, 0.85950413223140498, 1e-13, "  low");
    is_real(high, 1.95945945945945943, 1e-13, "  high");
}

static void check_mann(const struct rank_group *x, const struct rank_group *y, enum rank_method method, double u,
                       double p)
{
    struct mann_whitney result, swapped;
    ok(rank_mann_whitney(x, y, &result) == STATS_OK && result.method == method,
       "Mann-Whitney test of %zu and %zu values: %s", x->n, y->n, method == RANK_EXACT ? "exact" : "normal");
    is_real(result.u, u, 0, "  U");
    is_real(result.p, p, 1e-12, "  p");
    is_real(result.log10_p, log10(p), 1e-12, "  log10 p");
    is_real(result.superiority, u / (double)(x->n * y->n), 1e-15, "  superiority");
    rank_mann_whitney(y, x, &swapped);
    ok(swapped.p == result.p && swapped.u + u == (double)(x->n * y->n), "  swapped groups have the same p");
}

static void test_mann_whitney(void)
{
    /* R: v <- 1:100 * 37 %% 101 has no ties; near <- v - 12.5, far <- v - 60.5 */
    double v[100], near[50], far[50];
    for (unsigned i = 0; i < 100; i++)
        v[i] = (i + 1) * 37 % 101;
    for (unsigned i = 0; i < 50; i++) {
        near[i] = v[i] - 12.5;
        far[i] = v[i] - 60.5;
    }
    const struct rank_group v49 = {v + 49, 49}, v50 = {v + 50, 50}, near49 = {near, 49}, near50 = {near, 50};
    const struct rank_group far49 = {far, 49};
    const double first[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double second[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    const struct rank_group hollander[] = {GROUP(first), GROUP(second)};
    const struct rank_group uneven[] = {GROUP(uneven_a), GROUP(uneven_b), GROUP(uneven_c)};
    const struct rank_group spray[] = {GROUP(spray_a), GROUP(spray_d)};
    /* R: wilcox.test(near[1:49], v[50:98]), wilcox.test(near[1:50], v[51:100], exact = TRUE) and so on; 18 digits by
     * fractions and mpmath 1.3. With ties: sums of doubled midranks over all subsets, counted in Python's integers */
    check_mann(&near49, &v49, RANK_EXACT, 930, 0.0548003808196808136);
    check_mann(&near50, &v50, RANK_EXACT, 954, 0.041277002117630052);
    check_mann(&far49, &v49, RANK_EXACT, 199, 2.79465275637035506e-15);
    check_mann(&hollander[0], &hollander[1], RANK_EXACT, 35, 0.254412254412254412);
    check_mann(&uneven[0], &uneven[2], RANK_EXACT, 22.5, 0.037324904197969216);
    check_mann(&uneven[0], &uneven[1], RANK_EXACT, 11, 0.23976023976023976);
    check_mann(&spray[0], &spray[1], RANK_EXACT, 140.5, 5.1772161073547529e-06);
}

/* 1000 values, all below the 1000 others: z = (500000 − 1/2)/√(1000²·2001/12), its two tails by mpmath 1.3. */
static void test_mann_far(void)
{
    enum { N = 1000 };
    static double x[2 * N];
    for (size_t i = 0; i < 2 * N; i++)
        x[i] = (double)(i * 7919 % N + i - i % N) + 0.5;
    const struct rank_group low = {x, N}, high = {x + N, N};
    struct mann_whitney result;
    ok(rank_mann_whitney(&high, &low, &result) == STATS_OK, "two groups without overlap have a Mann-Whitney test");
    is_real(result.u, N * N, 0, "  U counts all pairs");
    is_real(result.log10_p, -327.243717051215292, 1e-13, "  log10 p, below any double's p");
    ok(result.p == 0 && result.superiority == 1 && !result.ties, "  p itself is 0");
}

static void test_dunn(void)
{
    static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6},
                        b[] = {27.1, 22.0, 20.8, 23.4},
                        c[] = {23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 40.5}, flat[] = {1, 1, 1};
    const struct rank_group groups[] = {{a, 10}, {b, 4}, {c, 10}}, same[] = {{flat, 3}, {flat, 2}};
    struct rank_dunn_pair *pairs = NULL;
    ok(rank_dunn(groups, 1, &pairs) == STATS_TOO_FEW && !pairs, "Dunn: one group is refused");
    ok(rank_dunn(same, 2, &pairs) == STATS_CONSTANT && !pairs, "Dunn: equal values are refused");
    ok(rank_dunn(groups, 3, &pairs) == STATS_OK, "Dunn: three groups with ties");
    /* R: dunn.test 1.3.7: dunn.test(x, g, altp = TRUE), where z is of first - second */
    static const double z[] = {1.2916895792054393, 2.0884657430213256, 0.28704212871231966},
                        p[] = {0.19646466771705032, 0.036755842460460666, 0.77408006282950315};
    for (size_t i = 0; i < 3; i++) {
        is_real(pairs[i].z, z[i], 1e-14, "  z");
        is_real(pairs[i].p.p, p[i], 1e-13, "  p");
    }
    free(pairs);
}

int main(void)
{
    test_invalid();
    test_too_large();
    test_kruskal();
    test_kruskal_far();
    test_kruskal_invariant();
    test_exact();
    test_enumerated();
    test_apart();
    test_one_sided();
    test_ratio_interval();
    test_mann_whitney();
    test_mann_far();
    test_dunn();
    return done_testing();
}
