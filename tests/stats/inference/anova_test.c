#include "stats/inference/anova.h"

#include "tests/stats/rng.h"
#include "tests/stats/groups.h"
#include "tests/tap.h"

static void test_invalid_groups(void)
{
    struct group group = {.n = 42};
    struct real_moments none = {0};
    double value = 42;
    ok(group_of_moments(&none, &group) == STATS_TOO_FEW, "no values are not a group");
    ok(group.n == 42, "  and no error writes a result");
    ok(group_to_double((__float128)1e308 * 100, &value) == STATS_OVERFLOW,
       "a value above the largest double is an overflow");
    ok(group_to_double((__float128)-1e-308 / 100, &value) == STATS_OVERFLOW && value == 42,
       "  and so is one below the smallest normal one");
    struct group one = summary(1, 5, 0), tiny = summary(3, 1, 1e-307);
    tiny.deviations *= 1e-4; /* sd 1e-309 */
    value = 42;
    ok(group_sd(&one, &value) == STATS_TOO_FEW, "one value has no sd");
    ok(group_sd(&tiny, &value) == STATS_OVERFLOW && value == 42, "an sd that is not a normal double is an overflow");
    ok(group_to_double(0, &value) == STATS_OK && value == 0, "  but 0 is not");
}

/* The sd of a and 3a is √2·a. */
static void test_sd(void)
{
    const double large[] = {1e300, 3e300}, small[] = {1e-170, 3e-170}, equal[] = {7, 7};
    struct group far = group_of_values(large, 2), near = group_of_values(small, 2), same = group_of_values(equal, 2);
    double sd;
    group_sd(&far, &sd);
    is_real(sd, 1.4142135623730950488e300, 2e-16, "an sd whose square is above the doubles is right");
    group_sd(&near, &sd);
    is_real(sd, 1.4142135623730950488e-170, 2e-16, "  and one whose square is below them");
    ok(group_sd(&same, &sd) == STATS_OK && sd == 0, "the sd of equal values is exactly 0");
}

static void test_invalid(void)
{
    struct anova anova = {.f = 42};
    struct anova_welch welch = {.f = 42};
    struct group few[] = {summary(5, 1, 1), summary(5, 2, 1)};
    struct group empty[] = {summary(5, 1, 1), {0}, summary(5, 2, 1)};
    struct group single[] = {summary(1, 1, 0), summary(1, 2, 0), summary(1, 3, 0)};
    struct group equal[] = {summary(3, 0.1, 0), summary(7, 0.1, 0)};
    struct group half[] = {summary(3, 0.1, 0), summary(7, 0.2, 1)};
    struct group huge[] = {summary(3, 1e200, 1), summary(3, 2e200, 1)};
    struct group tiny[] = {summary(3, 1e-200, 1e-200), summary(3, 2e-200, 1e-200)};
    ok(anova_one_way(few, 1, &anova) == STATS_TOO_FEW, "one group is refused");
    ok(anova_one_way(few, 0, &anova) == STATS_TOO_FEW, "no group is refused");
    ok(anova_one_way(empty, 3, &anova) == STATS_TOO_FEW, "an empty group is refused");
    ok(anova_one_way(single, 3, &anova) == STATS_TOO_FEW, "one value in each group is refused");
    ok(anova_one_way(equal, 2, &anova) == STATS_CONSTANT, "equal values have no ANOVA");
    ok(anova_one_way(huge, 2, &anova) == STATS_OVERFLOW, "sums of squares above the largest double are an overflow");
    ok(anova_one_way(tiny, 2, &anova) == STATS_OVERFLOW, "  and so are those below the smallest, which don't become 0");
    ok(anova.f == 42, "  and no error writes a result");
    ok(anova_welch(few, 1, &welch) == STATS_TOO_FEW, "Welch: one group is refused");
    ok(anova_welch(empty, 3, &welch) == STATS_TOO_FEW, "Welch: an empty group is refused");
    ok(anova_welch(single, 3, &welch) == STATS_TOO_FEW, "Welch: a group of one value is refused");
    ok(anova_welch(half, 2, &welch) == STATS_CONSTANT, "Welch: a constant group has an infinite weight");
    ok(anova_welch(equal, 2, &welch) == STATS_CONSTANT && welch.f == 42, "Welch: equal values are refused");
}

/* Tenths: 3 values of 0.1 and 7 of 0.2. Their sums are exact, their means are not. */
static void test_constant_groups(void)
{
    double x[7], y[7], z[7];
    struct anova anova;
    for (size_t i = 0; i < 7; i++) {
        x[i] = 0.1;
        y[i] = 0.2;
        z[i] = 0.1;
    }
    struct group groups[] = {group_of_values(x, 3), group_of_values(y, 7), group_of_values(z, 7)};
    ok(anova_one_way(groups, 3, &anova) == STATS_OK, "constant groups whose means differ have an ANOVA");
    ok(anova.f == INFINITY && anova.p == 0 && anova.log10_p == -INFINITY, "  F is infinite, p = 0");
    ok(anova.ss_within == 0 && anova.ms_within == 0 && anova.residual_sd == 0, "  nothing varies within");
    ok(anova.eta2 == 1 && anova.omega2 == 1, "  all of the variance is explained");
    is_real(anova.ss_between, 7. * 10 / 17 * 0.01, 1e-15, "  the sum of squares of 10 times 0.1 and 7 times 0.2");
    groups[1] = group_of_values(z, 5);
    ok(anova_one_way(groups, 3, &anova) == STATS_CONSTANT, "constant and equal groups of 3, 5 and 7 values have none");
}

static void test_equal_means(void)
{
    const double x[] = {0.1, 0.2, 0.3}, y[] = {0.05, 0.35}, z[] = {0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.2};
    struct group groups[] = {group_of_values(x, 3), group_of_values(y, 2), group_of_values(z, 7)};
    struct anova anova;
    ok(anova_one_way(groups, 3, &anova) == STATS_OK, "groups with equal means and different values have an ANOVA");
    ok(anova.f == 0 && anova.p == 1 && anova.ss_between == 0 && anova.eta2 == 0, "  F is exactly 0, p = 1");
    /* ss_within = 0.02 + 0.045 + 0.04 = 0.105, dof 9 and 2: (0 − 2·0.105/9)/(0.105 + 0.105/9) = −1/5 */
    is_real(anova.omega2, -0.2, 1e-15, "  omega2 is negative");
    /* 7/3·10^-1 and 70000/3·10^-5 are rounded to 113 bits differently; the difference is not in the data. */
    const double tenths[] = {0.7, 0, 0}, finer[] = {0.70001, -0.00001, 0};
    struct group same[] = {group_of_values(tenths, 3), group_of_values(finer, 3)};
    ok(anova_one_way(same, 2, &anova) == STATS_OK && anova.f == 0, "rounding makes no difference of means");
}

static void test_one_value_groups(void)
{
    const double x[] = {1, 3}, y[] = {5}, z[] = {4};
    struct group groups[] = {group_of_values(x, 2), group_of_values(y, 1), group_of_values(z, 1)};
    struct anova anova;
    ok(anova_one_way(groups, 3, &anova) == STATS_OK, "groups of one value and one of two have an ANOVA");
    /* By hand: grand mean 13/4, between 2·(5/4)² + (7/4)² + (3/4)² = 6.75, within 2, dof 2 and 1. */
    is_real(anova.ss_between, 6.75, 0, "  between");
    is_real(anova.ss_within, 2, 0, "  within");
    is_real(anova.f, 1.6875, 0, "  F");
    /* With 2 dof above, p = (1 + 2F/d)^(−d/2) for d below; d = 1: */
    is_real(anova.p, 1 / sqrt(1 + 2 * 1.6875), 1e-14, "  p in closed form");
    is_u64(anova.n, 4, "  n");
    is_u64(anova.groups, 3, "  groups");
}

/* Values without a common power of ten: 3e-30 counts as 0 next to 1e30. Means 1 and 3, within 2 + 14, between 6. */
static void test_wide(void)
{
    const double x[] = {1e30, 2e30, 3e-30}, y[] = {4e30, 5e30, 6e-30};
    struct group groups[] = {group_of_values(x, 3), group_of_values(y, 3)};
    struct anova anova;
    ok(anova_one_way(groups, 2, &anova) == STATS_OK, "values from 3e-30 to 5e30 have an ANOVA");
    is_real(anova.f, 1.5, 1e-15, "  F");
    is_real(anova.ss_between, 6e60, 1e-15, "  between");
    is_real(anova.ss_within, 16e60, 1e-15, "  within");
}

static void test_known(void)
{
    struct group groups[3];
    struct anova anova;
    plant_groups(groups);
    anova_one_way(groups, 3, &anova);
    /* R: summary(aov(weight ~ group, PlantGrowth)); 18 digits by fractions and mpmath 1.3 */
    is_real(anova.f, 4.84608786238013589, 1e-15, "  F");
    is_real(anova.p, 0.0159099583256229142, 1e-13, "  p");
    is_real(anova.log10_p, -1.79833095793831535, 1e-14, "  log10 p");
    is_real(anova.ss_between, 3.76634, 1e-15, "  between");
    is_real(anova.ss_within, 10.49209, 1e-15, "  within");
    is_real(anova.eta2, 0.264148296832119665, 1e-15, "  eta2");
    is_real(anova.omega2, 0.204078845989970913, 1e-15, "  omega2");
    is_real(anova.residual_sd, 0.623374627271535592, 1e-15, "  residual sd");
    ok(anova.dof_between == 2 && anova.dof_within == 27 && anova.n == 30 && anova.groups == 3, "  counts");
    uneven_groups(groups);
    anova_one_way(groups, 3, &anova);
    is_real(anova.f, 1.98619550246410207, 1e-15, "groups of different sizes: F");
    is_real(anova.p, 0.162170280851823881, 1e-13, "  p");
    is_real(anova.ss_between, 79.5880833333333333, 1e-15, "  between");
    is_real(anova.ss_within, 420.7415, 1e-15, "  within");
    is_real(anova.omega2, 0.0759418339479775764, 1e-15, "  omega2");
}

static void test_welch(void)
{
    struct group groups[3];
    struct anova_welch welch;
    plant_groups(groups);
    /* R: oneway.test(weight ~ group, PlantGrowth); 18 digits by fractions and mpmath 1.3 */
    ok(anova_welch(groups, 3, &welch) == STATS_OK, "R's PlantGrowth has a Welch test");
    is_real(welch.f, 5.18097240811318844, 1e-15, "  F");
    is_real(welch.dof_between, 2, 0, "  dof between");
    is_real(welch.dof_within, 17.1284186166441323, 1e-15, "  dof within");
    is_real(welch.p, 0.0173928214901699962, 1e-13, "  p");
    is_real(welch.log10_p, -1.7596299603655162, 1e-14, "  log10 p");
    uneven_groups(groups);
    anova_welch(groups, 3, &welch);
    is_real(welch.f, 2.1039233723134332, 1e-15, "groups of different sizes: F");
    is_real(welch.dof_within, 10.1885714902142436, 1e-15, "  dof within");
    is_real(welch.p, 0.171845450794980048, 1e-13, "  p");
    /* Of two groups it is Welch's t²: R: t.test(a, c) */
    anova_welch((struct group[]){groups[0], groups[2]}, 2, &welch);
    is_real(welch.f, 1.88226969236253354 * 1.88226969236253354, 1e-15, "with two groups F is t²");
    is_real(welch.dof_within, 14.3650739196519377, 1e-15, "  and dof is that of t");
    is_real(welch.p, 0.0802153420166327875, 1e-13, "  and p is that of t");
}

/* Three rows of a table in print: n, mean, sd of each group. By fractions. */
static void test_summary(void)
{
    struct group groups[] = {summary(10, 20.75, 3.21), summary(4, 23.325, 2.727), summary(3, 6, 1)};
    struct anova anova;
    struct anova_welch welch;
    anova_one_way(groups, 3, &anova);
    is_real(anova.f, 36.56554827303989, 1e-14, "F from a printed table");
    is_real(anova.ss_within, 117.046487, 1e-14, "  within");
    anova_welch(groups, 3, &welch);
    is_real(welch.f, 113.4858715581143, 1e-14, "Welch's F from a printed table");
}

/* The F of 12 groups doesn't depend on their order, a shift or a scale; integers are exact. */
static void test_properties(void)
{
    struct group plain[12], turned[12], moved[12];
    double x[20], y[20];
    for (size_t g = 0; g < 12; g++) {
        size_t n = 3 + g;
        for (size_t i = 0; i < n; i++) {
            x[i] = floor(rng_uniform() * 1e6) + (double)(g % 3) * 250000;
            y[i] = x[i] * -4 + 1e12;
        }
        plain[g] = turned[11 - g] = group_of_values(x, n);
        moved[g] = group_of_values(y, n);
    }
    struct anova a, b, c;
    struct anova_welch u, v, w;
    anova_one_way(plain, 12, &a);
    anova_one_way(turned, 12, &b);
    anova_one_way(moved, 12, &c);
    ok(a.f == b.f && a.ss_between == b.ss_between && a.ss_within == b.ss_within,
       "the order of groups does not change F");
    ok(a.f == c.f && a.log10_p == c.log10_p, "  nor do shift and scale");
    ok(c.ss_between == 16 * a.ss_between && c.residual_sd == 4 * a.residual_sd,
       "  sums of squares change with the square of the scale");
    anova_welch(plain, 12, &u);
    anova_welch(turned, 12, &v);
    anova_welch(moved, 12, &w);
    ok(u.f == v.f && u.dof_within == v.dof_within, "Welch: the order of groups does not change F");
    ok(u.f == w.f && u.dof_within == w.dof_within, "  nor do shift and scale");
}

int main(void)
{
    test_invalid_groups();
    test_sd();
    test_invalid();
    test_constant_groups();
    test_equal_means();
    test_one_value_groups();
    test_wide();
    test_known();
    test_welch();
    test_summary();
    test_properties();
    return done_testing();
}
