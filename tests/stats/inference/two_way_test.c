#include "stats/inference/two_way.h"

#include "tests/stats/groups.h"
#include "tests/stats/rng.h"
#include "tests/tap.h"

struct cell {
    double x[12];
    size_t n;
};

static void make_cells(const struct cell *cells, size_t count, struct group *groups)
{
    for (size_t i = 0; i < count; i++)
        groups[i] = group_of_values(cells[i].x, cells[i].n);
}

/* R: warpbreaks, wool A and B by tension L, M and H */
static const struct cell warp[6] = {
    {{26, 30, 54, 25, 70, 52, 51, 26, 67}, 9}, {{18, 21, 29, 17, 12, 18, 35, 30, 36}, 9},
    {{36, 21, 24, 18, 10, 43, 28, 15, 26}, 9}, {{27, 14, 29, 19, 29, 31, 41, 20, 44}, 9},
    {{42, 26, 19, 16, 39, 28, 21, 39, 29}, 9}, {{20, 21, 24, 17, 13, 15, 15, 16, 28}, 9}};

/* R: carData's Moore (Moore and Krupat 1971): fcategory high, low and medium by
 * partner.status high and low */
static const struct cell moore[6] = {{{19, 9, 7, 11, 14, 13, 10}, 7},
                                     {{4, 8, 13, 9, 24, 7, 23, 13}, 8},
                                     {{21, 23, 15, 12, 16}, 5},
                                     {{8, 7, 10, 6, 13, 12, 7, 6, 8, 12}, 10},
                                     {{12, 17, 14, 16, 20, 8, 14, 17, 7, 17, 15}, 11},
                                     {{12, 4, 4, 9}, 4}};

static void is_effect(const struct two_way_effect *got, double ss, double dof, double f, double p, const char *what)
{
    is_real(got->ss, ss, 1e-13, what);
    is_real(got->dof, dof, 0, "  degrees of freedom");
    is_real(got->ms, ss / dof, 1e-13, "  mean square");
    is_real(got->f, f, 1e-13, "  F");
    is_real(got->p, p, 1e-12, "  p");
    is_real(got->log10_p, log10(p), 1e-12, "  log10 p");
}

static void test_invalid(void)
{
    struct group good[] = {summary(3, 1, 1), summary(3, 2, 1), summary(3, 2, 1), summary(3, 4, 1)};
    struct group empty[] = {good[0], good[1], good[2], {0}};
    struct group single[] = {summary(1, 1, 0), summary(1, 2, 0), summary(1, 2, 0), summary(1, 4, 0)};
    struct group flat[] = {summary(2, 1, 0), summary(2, 2, 0), summary(2, 2, 0), summary(2, 4, 0)};
    struct two_way found = {.n = 42};
    ok(two_way_anova(good, 1, 4, TWO_WAY_II, &found) == STATS_TOO_FEW, "one row is refused");
    ok(two_way_anova(good, 4, 1, TWO_WAY_II, &found) == STATS_TOO_FEW, "one column is refused");
    ok(two_way_anova(empty, 2, 2, TWO_WAY_II, &found) == STATS_TOO_FEW, "an empty cell is refused");
    ok(two_way_anova(single, 2, 2, TWO_WAY_II, &found) == STATS_TOO_FEW, "one value in each cell is refused");
    ok(two_way_anova(flat, 2, 2, TWO_WAY_II, &found) == STATS_CONSTANT, "constant cells are refused");
    ok(found.n == 42, "  and no error writes a result");
}

static void test_balanced(void)
{
    struct group cells[6];
    struct two_way found;
    make_cells(warp, 6, cells);
    for (enum two_way_type type = TWO_WAY_I; type <= TWO_WAY_III; type++) {
        ok(two_way_anova(cells, 2, 3, type, &found) == STATS_OK && found.balanced && found.n == 54,
           "warpbreaks, type %d", (int)type);
        /* R: summary(aov(breaks ~ wool*tension, warpbreaks)) */
        is_effect(&found.effects[TWO_WAY_ROWS], 4056.0 / 9, 1, 3.7652883611186456, 0.058212975959559377, "  wool");
        is_effect(&found.effects[TWO_WAY_COLUMNS], 2034.2592592592592593, 2, 8.4980466483580397, 0.00069262093671343579,
                  "  tension");
        is_effect(&found.effects[TWO_WAY_INTERACTION], 1002.7777777777777778, 2, 4.1890689668510444, 0.021044190727863,
                  "  wool:tension");
        is_real(found.ss_within, 5745.1111111111111111, 1e-15, "  within");
    }
    /* R: effectsize 0.8.3, omega_squared(aov(…), partial = TRUE and FALSE) */
    static const double partial[] = {0.048714424623846765, 0.21734699140465435, 0.10563654580910681},
                        total[] = {0.035389113928186285, 0.19191432677224046, 0.081624995482988599};
    for (size_t i = 0; i < TWO_WAY_EFFECTS; i++) {
        is_real(found.effects[i].omega2_partial, partial[i], 1e-13, "omega2_partial of warpbreaks");
        is_real(found.effects[i].omega2, total[i], 1e-13, "omega2 of warpbreaks");
    }
    is_real(found.ss_total, found.ss_within + 4056.0 / 9 + 2034.2592592592592593 + 1002.7777777777777778, 1e-14,
            "balanced: the sums of squares add up to the total");
}

static void test_unbalanced(void)
{
    struct group cells[6];
    struct two_way found;
    make_cells(moore, 6, cells);
    /* R: options(contrasts = c("contr.sum", "contr.poly")); m <- lm(conformity ~ fcategory*partner.status, Moore);
     * anova(m), and car 3.1-1: Anova(m, type = 2), Anova(m, type = 3) */
    static const double rows[][3] = {[TWO_WAY_I] = {3.7333333333333333, 0.089023243219850029, 0.91500966500159642},
                                     [TWO_WAY_II] = {11.614700043917423, 0.27695846435766225, 0.75956447354540158},
                                     [TWO_WAY_III] = {36.018705627705685, 0.85888446202485302, 0.4314916102264249}};
    static const double columns[][3] = {
        [TWO_WAY_I] = {212.21377777777786, 10.120692189489903, 0.0028742299107564853},
        [TWO_WAY_II] = {212.21377777777786, 10.120692189489903, 0.0028742299107564853},
        [TWO_WAY_III] = {239.56236979347898, 11.424974524526096, 0.0016571126800988282}};
    for (enum two_way_type type = TWO_WAY_I; type <= TWO_WAY_III; type++) {
        ok(two_way_anova(cells, 3, 2, type, &found) == STATS_OK && !found.balanced && found.n == 45, "Moore, type %d",
           (int)type);
        is_effect(&found.effects[TWO_WAY_ROWS], rows[type][0], 2, rows[type][1], rows[type][2], "  fcategory");
        is_effect(&found.effects[TWO_WAY_COLUMNS], columns[type][0], 1, columns[type][1], columns[type][2],
                  "  partner.status");
        is_effect(&found.effects[TWO_WAY_INTERACTION], 175.4889278499279, 2, 4.1846232606361546, 0.022572441791678634,
                  "  fcategory:partner.status");
        is_real(found.ss_within, 817.76396103896104, 1e-14, "  within");
        is_real(found.ss_total, 1209.2, 1e-15, "  total");
    }
    /* effectsize: omega_squared(Anova(m, type = 3), partial = TRUE); what is below 0 is 0 there */
    is_real(found.effects[TWO_WAY_COLUMNS].omega2_partial, 0.188091643053673, 1e-13, "omega2_partial of Moore, type 3");
    is_real(found.effects[TWO_WAY_INTERACTION].omega2_partial, 0.123989486951785, 1e-13, "  interaction");
    ok(found.effects[TWO_WAY_ROWS].omega2_partial < 0, "  below 0 where F < 1");
    two_way_anova(cells, 3, 2, TWO_WAY_II, &found);
    is_real(found.effects[TWO_WAY_ROWS].eta2_partial, 0.0140040979939762, 1e-13, "eta2_partial of Moore, type 2");
    is_real(found.effects[TWO_WAY_COLUMNS].omega2_partial, 0.168525046899920, 1e-13, "omega2_partial, type 2");
}

/* Properties that hold for any numbers of values. */
static void test_random(void)
{
    size_t wrong = 0, not_transposed = 0, not_additive = 0, not_summed = 0;
    for (int round = 0; round < 200; round++) {
        size_t a = 2 + (size_t)(rng_uniform() * 4), b = 2 + (size_t)(rng_uniform() * 4);
        struct group cells[25], turned[25], additive[25];
        struct two_way one, two, three;
        for (size_t i = 0; i < a; i++)
            for (size_t j = 0; j < b; j++) {
                size_t at = i * b + j;
                cells[at] = summary(2 + (uint64_t)(rng_uniform() * 5), 1000 + rng_uniform(), 0.5);
                additive[at] = cells[at];
                additive[at].mean = 1000 + (__float128)(i * i) / 7 + (__float128)j / 3;
                turned[j * a + i] = cells[at];
            }
        wrong += two_way_anova(cells, a, b, TWO_WAY_I, &one) || two_way_anova(turned, b, a, TWO_WAY_I, &two);
        double between = one.ss_total - one.ss_within, sum = 0, other = 0;
        for (size_t i = 0; i < TWO_WAY_EFFECTS; i++) {
            sum += one.effects[i].ss;
            other += two.effects[i].ss;
        }
        not_summed += !(fabs(sum - between) < 1e-10 * one.ss_total && fabs(other - between) < 1e-10 * one.ss_total);
        wrong += two_way_anova(cells, a, b, TWO_WAY_II, &three);
        not_transposed += !(fabs(three.effects[TWO_WAY_COLUMNS].ss - one.effects[TWO_WAY_COLUMNS].ss) < 1e-12 &&
                            fabs(three.effects[TWO_WAY_ROWS].ss - two.effects[TWO_WAY_COLUMNS].ss) < 1e-12 &&
                            fabs(two.effects[TWO_WAY_INTERACTION].ss - one.effects[TWO_WAY_INTERACTION].ss) < 1e-12);
        wrong += two_way_anova(additive, a, b, TWO_WAY_III, &three);
        not_additive += three.effects[TWO_WAY_INTERACTION].ss != 0 || three.effects[TWO_WAY_INTERACTION].p != 1;
    }
    ok(wrong == 0, "200 random unbalanced tables have a result");
    ok(not_summed == 0, "  type I: effects add up to what is between cells, in either order (%zu not)", not_summed);
    ok(not_transposed == 0, "  type II: the second effects of type I in both orders (%zu not)", not_transposed);
    ok(not_additive == 0, "  additive means have no interaction, exactly (%zu do)", not_additive);
}

int main(void)
{
    test_invalid();
    test_balanced();
    test_unbalanced();
    test_random();
    return done_testing();
}
