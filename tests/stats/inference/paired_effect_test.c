#include "stats/inference/paired_effect.h"

#include <math.h>

#include "tests/stats/series_of.h"
#include "tests/tap.h"

typedef enum stats_status effect_of_pairs(const struct paired *, double, struct effect *);

static struct paired pairs_of(const char *x, const char *y)
{
    struct series a = series_of(x), b = series_of(y);
    struct paired pairs = {0};
    series_must(paired_of_series(&a, &b, &pairs), x);
    series_free(&a);
    series_free(&b);
    return pairs;
}

static void is_effect(effect_of_pairs *effect, const struct paired *pairs, double confidence, double value, double low,
                      double high, double tolerance, const char *what)
{
    struct effect found = {NAN, NAN, NAN, STATS_DOMAIN};
    ok(effect(pairs, confidence, &found) == STATS_OK && found.no_interval == STATS_OK, "%s", what);
    is_real(found.value, value, 1e-13, "  value");
    is_real(found.low, low, tolerance, "  lower end");
    is_real(found.high, high, tolerance, "  upper end");
}

static void test_invalid(void)
{
    struct paired two = pairs_of("5 7", "4 4"), same = pairs_of("5 6 9", "5 6 9"), even = pairs_of("5 6 9", "4 5 8");
    struct paired none = {0}, flat = pairs_of("5 5 5", "4 4 4");
    struct effect effect = {.value = 42};
    ok(paired_effect_gz(&two, 0.95, &effect) == STATS_TOO_FEW, "gz: two pairs are refused");
    ok(paired_effect_gav(&two, 0.95, &effect) == STATS_TOO_FEW, "gav: two pairs are refused");
    ok(paired_effect_rank(&none, 0.95, &effect) == STATS_TOO_FEW, "rank: no pair is refused");
    ok(paired_effect_gz(&even, 0.95, &effect) == STATS_CONSTANT, "gz: equal differences are refused");
    ok(paired_effect_gav(&flat, 0.95, &effect) == STATS_CONSTANT, "gav: constant values are refused");
    ok(paired_effect_rank(&same, 0.95, &effect) == STATS_CONSTANT, "rank: differences of 0 are refused");
    ok(paired_effect_gz(&even, 1, &effect) == STATS_DOMAIN, "gz: confidence 1 is refused");
    ok(paired_effect_gav(&even, NAN, &effect) == STATS_DOMAIN, "gav: confidence NaN is refused");
    ok(paired_effect_rank(&even, 0, &effect) == STATS_DOMAIN, "rank: confidence 0 is refused");
    ok(effect.value == 42, "  and no error writes a result");
    /* J(2) = Γ(1)/Γ(½) = 1/√π; the variances of 5, 6, 9 and 4, 5, 8 are 13/3 */
    ok(paired_effect_gav(&even, 0.95, &effect) == STATS_OK && effect.no_interval == STATS_CONSTANT,
       "gav: equal differences have no interval");
    is_real(effect.value, 0.56418958354775628695 / 2.0816659994661327353, 1e-14, "  but a value");
    paired_free(&two);
    paired_free(&same);
    paired_free(&even);
    paired_free(&flat);
}

/* R 4.2: effectsize 0.8.3, hedges_g(x, y, paired = TRUE), finds the ends of g_z by a search to 5 to 7 digits; with
 * uniroot() of pt() to 1e-13 these agree to 10 or more. g_av: J(n − 1) and the same limits, by the formulas in base R.
 * rank_biserial(x, y, paired = TRUE), without the pair of equal values, which it would count for the interval. */
static void test_known(void)
{
    struct paired mixed =
        pairs_of("10.1 9.8 11.2 10.5 12.3 9.9 10.8 11.5 10.2 11.9", "9.7 9.9 10.4 10.1 11.2 9.9 10.3 11.1 9.5 11.6");
    struct paired sleep =
        pairs_of("0.7 -1.6 -0.2 -1.2 -0.1 3.4 3.7 0.8 0 2", "1.9 0.8 1.1 0.1 -0.1 4.4 5.5 1.6 4.6 3.4");
    struct paired close = pairs_of("3.1 2.7 4.4 5.0 2.2 3.9 4.1", "2.9 3.3 4.0 4.1 2.7 3.2 4.9");
    is_effect(paired_effect_gz, &mixed, 0.95, 1.152969371984015, 0.364459785893762, 1.908162515606273, 1e-10, "gz");
    is_effect(paired_effect_gz, &mixed, 0.99, 1.152969371984015, 0.1369230608250529, 2.1643103733051934, 1e-10,
              "  with 99 %");
    is_effect(paired_effect_gz, &sleep, 0.95, -1.173924903514205, -1.935602112525632, -0.378917895996092, 1e-10,
              "gz of sleep");
    is_effect(paired_effect_gav, &mixed, 0.95, 0.51864459210041, 0.163946329872233, 0.858355992462242, 1e-10, "gav");
    is_effect(paired_effect_gav, &mixed, 0.99, 0.51864459210041, 0.0615926205468481, 0.9735799562567397, 1e-10,
              "  with 99 %");
    is_effect(paired_effect_gav, &sleep, 0.95, -0.76050939567012, -1.253950391927147, -0.245476196330726, 1e-10,
              "gav of sleep");
    is_effect(paired_effect_gav, &close, 0.95, 0.0416147003909305, -0.4464597092075173, 0.5263153142285488, 1e-10,
              "gav of differences on either side");
    is_effect(paired_effect_rank, &mixed, 0.95, 0.955555555555555, 0.819996218411276, 0.989609145295317, 1e-12, "rank");
    is_effect(paired_effect_rank, &mixed, 0.99, 0.955555555555555, 0.728611598579568, 0.993441503623873, 1e-12,
              "  with 99 %");
    is_effect(paired_effect_rank, &close, 0.95, 0.0714285714285714, -0.639120520148659, 0.716193835169463, 1e-12,
              "rank of differences on either side");
    paired_free(&mixed);
    paired_free(&sleep);
    paired_free(&close);
}

/* Wilson's interval of 3 of 3: from 3/(3 + z²) to 1, z = 1.959963984540054; doubled and minus 1 */
static void test_all_agree(void)
{
    const double bound = 2 * 3 / (3 + 1.959963984540054 * 1.959963984540054) - 1;
    struct paired up = pairs_of("5 7 9 4", "4 5 6 4"), down = pairs_of("4 5 6", "5 7 9");
    is_effect(paired_effect_rank, &up, 0.95, 1, bound, 1, 1e-13, "rank: all differences above 0");
    is_effect(paired_effect_rank, &down, 0.95, -1, -1, -bound, 1e-13, "rank: all differences below 0");
    paired_free(&up);
    paired_free(&down);
}

int main(void)
{
    test_invalid();
    test_known();
    test_all_agree();
    return done_testing();
}
