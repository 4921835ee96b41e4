#include "stats/inference/effect.h"

#include <stdlib.h>

#include "stats/distributions/critical.h"
#include "tests/stats/groups.h"
#include "tests/stats/rng.h"
#include "tests/tap.h"

static void is_effect(const struct effect *got, double value, double low, double high, double tolerance,
                      const char *what)
{
    is_real(got->value, value, tolerance, what);
    ok(got->no_interval == STATS_OK, "  has an interval");
    is_real(got->low, low, tolerance, "  lower end");
    is_real(got->high, high, tolerance, "  upper end");
}

static struct effect cliff(const double *x, size_t n, const double *y, size_t m, double confidence)
{
    struct effect effect = {NAN, NAN, NAN, STATS_DOMAIN};
    effect_cliff_delta(&(struct rank_group){x, n}, &(struct rank_group){y, m}, confidence, &effect);
    return effect;
}

static void test_invalid(void)
{
    struct group a = summary(5, 1, 1), one = summary(1, 2, 0), flat = summary(5, 2, 0);
    struct effect effect = {.value = 42};
    const double values[] = {1, 2}, bad[] = {1, NAN};
    struct rank_group good = {values, 2}, empty = {values, 0}, nan = {bad, 2};
    ok(effect_hedges_g(&one, &(struct group){2, 1, 1}, 0.95, &effect) == STATS_TOO_FEW, "g: three values are refused");
    ok(effect_hedges_g(&flat, &flat, 0.95, &effect) == STATS_CONSTANT, "g: constant values are refused");
    ok(effect_hedges_g(&a, &a, 1, &effect) == STATS_DOMAIN, "g: confidence 1 is refused");
    ok(effect_hedges_g(&a, &a, NAN, &effect) == STATS_DOMAIN, "g: confidence NaN is refused");
    ok(effect_cliff_delta(&good, &empty, 0.95, &effect) == STATS_TOO_FEW, "delta: a group without values is refused");
    ok(effect_cliff_delta(&nan, &good, 0.95, &effect) == STATS_DOMAIN, "delta: NaN is refused");
    ok(effect_cliff_delta(&good, &good, 0, &effect) == STATS_DOMAIN, "delta: confidence 0 is refused");
    ok(effect.value == 42, "  and no error writes a result");
}

/* 18 digits by fractions and mpmath 1.2; R's effectsize 0.8.3, hedges_g(a, b, ci = 0.95), has 16 digits of g and 5 to 7
 * of the ends, which it finds by a search */
static void test_hedges(void)
{
    struct group uneven[3], plant[3], single = summary(1, 3, 0), three = summary(3, 1, 1);
    struct effect g;
    uneven_groups(uneven);
    plant_groups(plant);
    effect_hedges_g(&uneven[0], &uneven[1], 0.95, &g);
    is_effect(&g, -0.757803421791585745, -1.86922360745525597, 0.382621032208233148, 1e-13, "g of a against b");
    effect_hedges_g(&uneven[0], &uneven[1], 0.99, &g);
    is_effect(&g, -0.757803421791585745, -2.22409780810301659, 0.735330234496521593, 1e-13, "  with 99 %");
    effect_hedges_g(&uneven[2], &uneven[0], 0.95, &g);
    is_effect(&g, 0.806124350298819496, -0.0831961537854793659, 1.67514654142097747, 1e-13, "g of c against a");
    effect_hedges_g(&plant[2], &plant[1], 0.95, &g);
    is_effect(&g, 1.28914243344150214, 0.337090343307929056, 2.21258703894398688, 1e-13, "g of PlantGrowth");
    effect_hedges_g(&plant[2], &plant[1], 0.99, &g);
    is_effect(&g, 1.28914243344150214, 0.045850269080142381, 2.51061028248025252, 1e-12, "  with 99 %");
    effect_hedges_g(&plant[1], &plant[2], 0.95, &g);
    is_effect(&g, -1.28914243344150214, -2.21258703894398688, -0.337090343307929056, 1e-13,
              "the other way round it changes its sign");
    ok(effect_hedges_g(&single, &three, 0.95, &g) == STATS_OK && g.low < g.value, "one value against three is enough");
}

/* As the definitions have it: a matrix of all pairs. */
static struct effect cliff_of_matrix(const double *x, size_t n, const double *y, size_t m, double confidence)
{
    double delta = 0, rows = 0, columns = 0, all = 0, t, dn = (double)n, dm = (double)m;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            delta += (double)((x[i] > y[j]) - (x[i] < y[j])) / (dn * dm);
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t j = 0; j < m; j++) {
            double sign = (double)((x[i] > y[j]) - (x[i] < y[j]));
            row += sign / dm;
            all += (sign - delta) * (sign - delta);
        }
        rows += (row - delta) * (row - delta);
    }
    for (size_t j = 0; j < m; j++) {
        double column = 0;
        for (size_t i = 0; i < n; i++)
            column += (double)((x[i] > y[j]) - (x[i] < y[j])) / dn;
        columns += (column - delta) * (column - delta);
    }
    critical_t(confidence, dn + dm - 2, &t);
    double variance = (dm * dm * rows + dn * dn * columns - all) / (dn * dm * (dn - 1) * (dm - 1));
    double rest = 1 - delta * delta, s2 = fmax(variance, rest / (dn * dm - 1));
    double half = t * sqrt(s2) * sqrt(rest * rest + t * t * s2), middle = delta - delta * delta * delta;
    return (struct effect){delta, (middle - half) / (rest + t * t * s2), (middle + half) / (rest + t * t * s2),
                           STATS_OK};
}

static void test_cliff(void)
{
    /* R's effsize 0.8.1: cliff.delta(x, y, conf.level = 0.95) */
    static const double treatment[] = {10, 10, 20, 20, 20, 30, 30, 30, 40, 50}, control[] = {10, 20, 30, 40, 40, 50};
    static const double few[] = {3, 1, 2, 2, 5}, tied[] = {2, 2, 3};
    struct effect delta = cliff(uneven_a, 10, uneven_b, 4, 0.95);
    is_effect(&delta, -0.45, -0.82357242301718248, 0.1958569519332779, 1e-14, "delta of a against b");
    delta = cliff(uneven_a, 10, uneven_b, 4, 0.99);
    is_effect(&delta, -0.45, -0.88314067522963524, 0.39731968047375343, 1e-14, "  with 99 %");
    delta = cliff(uneven_c, 10, uneven_a, 10, 0.95);
    is_effect(&delta, 0.55, -0.0091685506576638064, 0.8471388089362164, 1e-13, "delta of c against a");
    struct effect a12 = effect_a12(&delta);
    is_effect(&a12, 0.775, (1 - 0.0091685506576638064) / 2, (1 + 0.8471388089362164) / 2, 1e-13,
              "A12 of c against a (R: VD.A)");
    delta = cliff(plant_two, 10, plant_one, 10, 0.95);
    is_effect(&delta, 0.68, 0.059293726487089179, 0.92149748449028668, 1e-13, "delta of PlantGrowth");
    delta = cliff(treatment, 10, control, 6, 0.95);
    is_effect(&delta, -0.25, -0.72658458888994404, 0.38900619019874255, 1e-14, "delta of effsize's own example");
    delta = cliff(few, 5, tied, 3, 0.99);
    is_effect(&delta, 0, -0.83434162559704628, 0.83434162559704628, 1e-14, "delta 0, with ties");
}

static void test_cliff_limits(void)
{
    static const double one_above[] = {10, 12, 11, 8}, below[] = {6, 1, 4, 8, 3, 2}, high[] = {8, 5, 6, 7},
                        low[] = {1, 2, 3};
    /* R, where the unbiased variance 0.0017 is below the least one:
     * d <- sign(outer(x, y, "-")); D <- mean(d); n <- 4; m <- 6; S2 <- (1 - D^2)/(n*m - 1); t <- qt(.975, n + m - 2)
     * (D - D^3 + c(-1, 1)*t*sqrt(S2)*sqrt((1 - D^2)^2 + t^2*S2))/(1 - D^2 + t^2*S2) */
    struct effect delta = cliff(one_above, 4, below, 6, 0.95);
    is_effect(&delta, 23.0 / 24, 0.55994815931154585, 0.99679561844489817, 1e-14, "delta with the least variance");
    /* R: t <- qt(.975, 5); (3 - t^2)/(3 + t^2); t <- qt(.9, 5) */
    delta = cliff(high, 4, low, 3, 0.95);
    is_effect(&delta, 1, -0.37551331333568405, 1, 1e-14, "delta 1: Wilson's interval of three pairs");
    delta = cliff(low, 3, high, 4, 0.80);
    is_effect(&delta, -1, -1, -0.15869625010684141, 1e-14, "delta -1");
    delta = cliff(high, 1, low, 3, 0.95);
    ok(delta.value == 1 && delta.no_interval == STATS_TOO_FEW && isnan(delta.low) && isnan(delta.high),
       "one value on a side: delta, and no interval");
    delta = cliff(low, 1, low, 1, 0.95);
    ok(delta.value == 0 && delta.no_interval == STATS_TOO_FEW, "one value on both sides");
}

static void test_cliff_random(void)
{
    size_t compared = 0, wrong = 0;
    for (int round = 0; round < 500; round++) {
        double x[20], y[20];
        size_t n = 2 + (size_t)(rng_uniform() * 18), m = 2 + (size_t)(rng_uniform() * 18);
        for (size_t i = 0; i < n; i++)
            x[i] = floor(rng_uniform() * 12);
        for (size_t i = 0; i < m; i++)
            y[i] = floor(rng_uniform() * 9);
        struct effect got = cliff(x, n, y, m, 0.9), expected = cliff_of_matrix(x, n, y, m, 0.9);
        if (fabs(got.value) == 1)
            continue;
        compared++;
        wrong += !(fabs(got.value - expected.value) < 1e-13 && fabs(got.low - expected.low) < 1e-13 &&
                   fabs(got.high - expected.high) < 1e-13);
    }
    ok(compared > 400 && wrong == 0, "%zu random pairs of samples with ties: %zu differ from the matrix of all pairs",
       compared, wrong);
}

int main(void)
{
    test_invalid();
    test_hedges();
    test_cliff();
    test_cliff_limits();
    test_cliff_random();
    return done_testing();
}
