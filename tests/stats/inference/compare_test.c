#include "stats/inference/compare.h"

#include <stdlib.h>

#include "tests/stats/groups.h"
#include "tests/tap.h"

static void test_invalid_welch(void)
{
    struct group a = summary(5, 1, 1), b = summary(5, 2, 1), one = summary(1, 2, 0), flat = summary(5, 2, 0);
    struct group far = summary(5, 1.7e308, 1), other = summary(5, -1.7e308, 1);
    struct welch_t welch = {.t = 42};
    ok(compare_welch(&a, &one, 0.95, &welch) == STATS_TOO_FEW, "Welch: one value in a group is refused");
    ok(compare_welch(&one, &a, 0.95, &welch) == STATS_TOO_FEW, "Welch: and so is one value in the other group");
    ok(compare_welch(&flat, &flat, 0.95, &welch) == STATS_CONSTANT, "Welch: two constant groups have no spread");
    ok(compare_welch(&a, &b, 1, &welch) == STATS_DOMAIN, "Welch: confidence 1 is refused");
    ok(compare_welch(&a, &b, NAN, &welch) == STATS_DOMAIN, "Welch: confidence NaN is refused");
    ok(compare_welch(&far, &other, 0.95, &welch) == STATS_OVERFLOW,
       "Welch: a difference beyond a double is an overflow");
    ok(welch.t == 42, "  and no error writes a result");
}

static void test_invalid_pairs(void)
{
    struct group few[] = {summary(5, 1, 1), summary(5, 2, 1)}, empty[] = {few[0], {0}};
    struct group single[] = {summary(1, 1, 0), summary(1, 2, 0)}, flat[] = {summary(4, 1, 0), summary(4, 2, 0)};
    struct compare_pair *pairs = NULL;
    ok(compare_tukey(few, 1, 0.95, &pairs) == STATS_TOO_FEW, "Tukey: one group is refused");
    ok(compare_tukey(few, 0, 0.95, &pairs) == STATS_TOO_FEW, "Tukey: no group is refused");
    ok(compare_tukey(empty, 2, 0.95, &pairs) == STATS_TOO_FEW, "Tukey: an empty group is refused");
    ok(compare_tukey(single, 2, 0.95, &pairs) == STATS_TOO_FEW, "Tukey: one value in each group is refused");
    ok(compare_tukey(flat, 2, 0.95, &pairs) == STATS_CONSTANT, "Tukey: nothing varies within the groups");
    ok(compare_tukey(few, 2, 1, &pairs) == STATS_DOMAIN, "Tukey: confidence 1 is refused");
    ok(compare_games_howell(few, 1, 0.95, &pairs) == STATS_TOO_FEW, "Games-Howell: one group is refused");
    ok(compare_games_howell(empty, 2, 0.95, &pairs) == STATS_TOO_FEW, "Games-Howell: an empty group is refused");
    ok(compare_games_howell(single, 2, 0.95, &pairs) == STATS_TOO_FEW, "Games-Howell: groups of one value are refused");
    ok(compare_games_howell(few, 2, 0, &pairs) == STATS_DOMAIN, "Games-Howell: confidence 0 is refused");
    ok(pairs == NULL, "  and no error writes a result");
    is_u64(compare_pair_count(1), 0, "one group has no pair");
    is_u64(compare_pair_count(2), 1, "two groups have one");
    is_u64(compare_pair_count(7), 21, "seven groups have 21");
}

static void test_welch(void)
{
    struct group groups[3];
    struct welch_t welch;
    uneven_groups(groups);
    /* R: t.test(a, b), t.test(a, c), t.test(a, c, conf.level = 0.99); 18 digits by fractions and mpmath 1.3 */
    ok(compare_welch(&groups[0], &groups[1], 0.95, &welch) == STATS_OK, "Welch's test compares a with b");
    is_real(welch.difference, -2.575, 1e-15, "  difference");
    is_real(welch.t, -1.49531028417601038, 1e-15, "  t");
    is_real(welch.dof, 6.79284421822558655, 1e-15, "  degrees of freedom");
    is_real(welch.p, 0.179769454994236476, 1e-13, "  p");
    is_real(welch.log10_p, -0.745284098222232731, 1e-13, "  log10 p");
    is_real(welch.half, 4.09731203834192616, 1e-13, "  half width");
    is_real(welch.low, -6.67231203834192616, 1e-13, "  lower bound");
    is_real(welch.high, 1.52231203834192616, 1e-13, "  upper bound");
    compare_welch(&groups[2], &groups[0], 0.95, &welch);
    is_real(welch.t, 1.88226969236253354, 1e-15, "Welch's test compares a with c: t");
    is_real(welch.dof, 14.3650739196519377, 1e-15, "  degrees of freedom");
    is_real(welch.p, 0.0802153420166327875, 1e-13, "  p");
    compare_welch(&groups[0], &groups[2], 0.99, &welch);
    is_real(welch.low, -10.1985135127962208, 1e-13, "  lower bound at 99 %");
    is_real(welch.high, 2.27851351279622079, 1e-13, "  upper bound at 99 %");
}

/* A constant group contributes nothing to se or dof: a one-sample t test against its mean. */
static void test_one_constant(void)
{
    const double x[] = {1, 2, 3, 4}, y[] = {0.5, 0.5, 0.5};
    struct group a = group_of_values(x, 4), b = group_of_values(y, 3);
    struct welch_t welch;
    ok(compare_welch(&a, &b, 0.95, &welch) == STATS_OK, "one group may be constant");
    is_real(welch.dof, 3, 0, "  dof is that of the other group");
    is_real(welch.t, 2 / sqrt(5. / 12), 1e-15, "  t");
    is_real(welch.half, 3.1824463052837095927 * sqrt(5. / 12), 1e-12, "  half width, by Student's quantile");
}

/* Digits that no double has: 1e16 + 0.4, 0.6, 0.2 and 1e16 + 0.1, 0.3, 0.2 compare like 4, 6, 2 and 1, 3, 2. */
static void test_far_from_zero(void)
{
    static const int64_t tenths[2][3] = {{4, 6, 2}, {1, 3, 2}};
    struct group near[2], far[2];
    struct welch_t welch, shifted;
    for (size_t g = 0; g < 2; g++) {
        struct real_moments small = {0}, large = {0};
        for (size_t i = 0; i < 3; i++) {
            const struct decimal digits[] = {{tenths[g][i], -1}, {tenths[g][i] + 100000000000000000, -1}};
            if (real_moments_add(&small, &digits[0], 1) || real_moments_add(&large, &digits[1], 1))
                abort();
        }
        if (group_of_moments(&small, &near[g]) || group_of_moments(&large, &far[g]))
            abort();
    }
    compare_welch(&near[0], &near[1], 0.95, &welch);
    compare_welch(&far[0], &far[1], 0.95, &shifted);
    is_real(shifted.t, welch.t, 1e-15, "a shift by 1e16 leaves t unchanged");
    is_real(shifted.dof, welch.dof, 1e-15, "  and dof");
    is_real(shifted.high, welch.high, 1e-15, "  and the interval");
}

struct known_pair {
    double difference, low, high, q, dof, p;
};

static void check_pairs(const char *what, const struct compare_pair *pairs, const struct known_pair *known)
{
    static const size_t first[] = {0, 0, 1}, second[] = {1, 2, 2};
    for (size_t i = 0; i < 3; i++) {
        const struct compare_pair *pair = &pairs[i];
        ok(pair->first == first[i] && pair->second == second[i] && !pair->status, "%s: pair %zu is compared", what, i);
        is_real(pair->difference, known[i].difference, 1e-13, "  difference");
        is_real(pair->q, known[i].q, 1e-13, "  q");
        is_real(pair->dof, known[i].dof, 1e-14, "  degrees of freedom");
        is_real(pair->p, known[i].p, 1e-12, "  p");
        is_real(pair->log10_p, log10(known[i].p), 1e-11, "  log10 p");
        is_real(pair->low, known[i].low, 1e-11, "  lower bound");
        is_real(pair->high, known[i].high, 1e-11, "  upper bound");
    }
}

/*
 * R: TukeyHSD(aov(...)), and for Games and Howell Welch's formulas with ptukey() and qtukey(), which agree to 2e-10
 * (ptukey) and 1e-7 (qtukey). All digits: differences, q and dof by fractions and mpmath 1.3; p and bounds by the
 * double integral (Lund & Lund 1983) in trapezoidal sums of long doubles, which mpmath with 25 digits confirmed for two
 * of the p.
 */
static void test_pairs(void)
{
    static const struct known_pair tukey_plant[] = {
        {-0.371, -1.0622160514028625, 0.32021605140286252, 1.88202239968845037, 27, 0.39087114420210656},
        {0.494, -0.19721605140286252, 1.1852160514028625, 2.50598130848003904, 27, 0.19799599129957229},
        {0.865, 0.17378394859713748, 1.5562160514028625, 4.38800370816848941, 27, 0.012006423979493625},
    };
    static const struct known_pair tukey_uneven[] = {
        {2.575, -4.0996865651645573, 9.2496865651645573, 1.37518200562145866, 21, 0.60183874190910535},
        {3.96, -1.0855887802083818, 9.0055887802083818, 2.79767432884050748, 21, 0.14235002885614541},
        {1.385, -5.2896865651645573, 8.0596865651645573, 0.739661001081833107, 21, 0.8610090272972049},
    };
    static const struct known_pair howell_plant[] = {
        {-0.371, -1.1720875145224287, 0.43008751452242872, 1.68469658832818698, 16.5235850568593015,
         0.47455492219394862},
        {0.494, -0.10055444384751666, 1.0885544438475167, 3.01796066718962685, 16.7857644826057197,
         0.11288917685382739},
        {0.865, 0.11351298870165705, 1.6164870112983429, 4.25692218235175219, 14.1035691227603385,
         0.023703454738941439},
    };
    static const struct known_pair howell_uneven[] = {
        {2.575, -2.534404692721198, 7.684404692721198, 2.11468808383768074, 6.79284421822558655, 0.35071456454119896},
        {3.96, -1.530400211061206, 9.450400211061206, 2.66193132698292825, 14.3650739196519377, 0.17943629131063506},
        {1.385, -4.7465196191878011, 7.5165196191878011, 0.859606392923739917, 11.2808441633485422,
         0.81878837342386436},
    };
    struct group plant[3], uneven[3];
    struct compare_pair *pairs = NULL;
    plant_groups(plant);
    uneven_groups(uneven);
    if (ok(compare_tukey(plant, 3, 0.95, &pairs) == STATS_OK, "Tukey's test takes groups of equal sizes"))
        check_pairs("Tukey", pairs, tukey_plant);
    free(pairs);
    if (ok(compare_tukey(uneven, 3, 0.95, &pairs) == STATS_OK, "Tukey's test takes groups of different sizes"))
        check_pairs("Tukey-Kramer", pairs, tukey_uneven);
    free(pairs);
    if (ok(compare_games_howell(plant, 3, 0.95, &pairs) == STATS_OK,
           "Games and Howell's test takes groups of equal sizes"))
        check_pairs("Games-Howell", pairs, howell_plant);
    free(pairs);
    if (ok(compare_games_howell(uneven, 3, 0.95, &pairs) == STATS_OK,
           "Games and Howell's test takes groups of different sizes"))
        check_pairs("Games-Howell", pairs, howell_uneven);
    free(pairs);
}

/* The range of two groups is √2·|t|: Games and Howell's test is Welch's in every digit, also where p is 1e-1000. */
static void test_two_groups(void)
{
    struct group groups[2];
    struct group far[] = {summary(4000, 1, 0.1), summary(3000, 2, 0.3)};
    struct compare_pair *pair = NULL;
    struct welch_t welch;
    groups[0] = group_of_values(uneven_a, COUNT_OF(uneven_a));
    groups[1] = group_of_values(uneven_c, COUNT_OF(uneven_c));
    if (!ok(compare_games_howell(groups, 2, 0.95, &pair) == STATS_OK, "Games and Howell's test takes two groups"))
        return;
    is_real(pair->p, 0.0802153420166327875, 1e-12, "  p is that of R's t.test()");
    is_real(pair->low, -0.541559807774768016, 1e-11, "  lower bound");
    is_real(pair->high, 8.46155980777476802, 1e-12, "  upper bound");
    free(pair);
    if (!ok(compare_games_howell(far, 2, 0.99, &pair) == STATS_OK,
            "Games and Howell's test takes two groups that are far apart"))
        return;
    compare_welch(&far[1], &far[0], 0.99, &welch);
    is_real(pair->log10_p, welch.log10_p, 1e-12, "  log10 p is that of t");
    ok(pair->p == 0 && pair->log10_p < -1000, "  p is below any double: log10 p = %.1f", pair->log10_p);
    is_real(pair->half, welch.half, 1e-12, "  half width is that of t");
    free(pair);
}

/* Two constant groups among others: their pair has that status, and other pairs are unaffected. */
static void test_constant_pair(void)
{
    struct group groups[] = {summary(4, 1, 0), summary(5, 3, 1), summary(6, 2, 0)};
    struct compare_pair *pairs = NULL;
    if (!ok(compare_games_howell(groups, 3, 0.95, &pairs) == STATS_OK, "two of three groups may be constant"))
        return;
    ok(pairs[1].status == STATS_CONSTANT && pairs[1].difference == 1, "  their pair has no spread, but a difference");
    ok(pairs[1].p == 0 && pairs[1].q == 0 && pairs[1].half == 0, "  and no other figures");
    ok(!pairs[0].status && !pairs[2].status && pairs[0].dof == 4, "  other pairs have all figures");
    free(pairs);
}

int main(void)
{
    test_invalid_welch();
    test_invalid_pairs();
    test_welch();
    test_one_constant();
    test_far_from_zero();
    test_pairs();
    test_two_groups();
    test_constant_pair();
    return done_testing();
}
