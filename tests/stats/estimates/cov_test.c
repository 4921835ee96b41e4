#include "stats/estimates/cov.h"

#include "tests/stats/groups.h"
#include "tests/tap.h"

static void test_invalid(void)
{
    struct group one = summary(1, 5, 0), zero = summary(4, 0, 1), negative = summary(4, -1, 1);
    struct group groups[] = {summary(4, 10, 1), negative}, none[] = {one, zero};
    double cov = 42, bad[] = {1, NAN}, below[] = {1, -1}, naught[] = {0, 0};
    struct cov_overall overall = {.cov = 42};
    ok(cov_of(&one, &cov) == STATS_TOO_FEW, "one value has no CoV");
    ok(cov_of(&zero, &cov) == STATS_DOMAIN, "  nor has mean 0");
    ok(cov_of(&negative, &cov) == STATS_DOMAIN && cov == 42, "  nor has a negative mean, and no error writes a result");
    ok(cov_overall(groups, 2, NULL, &overall) == STATS_DOMAIN, "a negative mean among groups is refused");
    ok(cov_overall(none, 2, NULL, &overall) == STATS_TOO_FEW, "groups without a CoV are too few");
    ok(cov_overall(none, 0, NULL, &overall) == STATS_TOO_FEW, "no group is too few");
    groups[1] = summary(4, 20, 1);
    ok(cov_overall(groups, 2, bad, &overall) == STATS_DOMAIN, "a weight of NaN is refused");
    ok(cov_overall(groups, 2, below, &overall) == STATS_DOMAIN, "a negative weight is refused");
    ok(cov_overall(groups, 2, naught, &overall) == STATS_TOO_FEW, "weights that are all 0 are refused");
    ok(overall.cov == 42, "  and no error writes a result");
}

static void test_plain(void)
{
    const double x[] = {1, 2, 3, 4}, same[] = {0.1, 0.1, 0.1};
    struct group group = group_of_values(x, 4), constant = group_of_values(same, 3);
    double cov;
    cov_of(&group, &cov);
    is_real(cov, sqrt(5. / 3) / 2.5, 1e-15, "CoV of 1, 2, 3, 4 is √(5/3)/2.5");
    ok(cov_of(&constant, &cov) == STATS_OK && cov == 0, "CoV of equal values is exactly 0");
}

/* By hand: CoV 0.1, 0.5, 0.02. */
static void test_overall(void)
{
    struct group groups[] = {summary(10, 4, 0.4), summary(5, 2, 1), summary(100, 0.5, 0.01), summary(1, 40, 0)};
    const double times[] = {6, 1, 3, 10};
    struct cov_overall overall;
    cov_overall(groups, 3, times, &overall);
    is_real(overall.cov, 0.6 * 0.1 + 0.1 * 0.5 + 0.3 * 0.02, 1e-15, "groups are weighted by execution time");
    ok(overall.left_out == 0 && overall.share_left_out == 0, "  all of them count");
    cov_overall(groups, 3, NULL, &overall);
    is_real(overall.cov, 0.4 * 0.1 + 0.1 * 0.5 + 0.5 * 0.02, 1e-15, "groups are weighted by their totals 40, 10, 50");
    cov_overall(groups, 4, times, &overall);
    is_real(overall.cov, 0.6 * 0.1 + 0.1 * 0.5 + 0.3 * 0.02, 1e-15, "a group of one value is left out");
    is_u64(overall.left_out, 1, "  which is reported");
    is_real(overall.share_left_out, 0.5, 1e-15, "  with its share");
    cov_overall(groups, 4, NULL, &overall);
    is_real(overall.share_left_out, 40. / 140, 1e-15, "  and with its share by total");
    groups[3] = summary(7, 0, 0);
    cov_overall(groups, 4, NULL, &overall);
    ok(overall.left_out == 1 && overall.share_left_out == 0, "a group of zeros is left out, with share 0 by its total");
}

int main(void)
{
    test_invalid();
    test_plain();
    test_overall();
    return done_testing();
}
