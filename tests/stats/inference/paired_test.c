#include "stats/inference/paired.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/stats/series_of.h"
#include "tests/tap.h"

typedef enum stats_status test_of_pairs(const struct paired *, double, struct paired_test *);

static struct paired pairs_of(const char *x, const char *y)
{
    struct series a = series_of(x), b = series_of(y);
    struct paired pairs = {0};
    series_must(paired_of_series(&a, &b, &pairs), x);
    series_free(&a);
    series_free(&b);
    return pairs;
}

static struct paired pairs_of_differences(const int *d, size_t n)
{
    struct series x = {0}, y = {0};
    struct paired pairs = {0};
    for (size_t i = 0; i < n; i++) {
        series_add_integer(&x, 100 + d[i]);
        series_add_integer(&y, 100);
    }
    series_must(paired_of_series(&x, &y, &pairs), "pairs");
    series_free(&x);
    series_free(&y);
    return pairs;
}

static void is_test(test_of_pairs *test, const struct paired *pairs, double statistic, double both, double less,
                    double greater, const char *what)
{
    struct paired_test found = {0};
    ok(test(pairs, 1, &found) == STATS_OK, "%s", what);
    is_real(found.statistic, statistic, 1e-14, "  statistic");
    is_real(found.both.p, both, 1e-13, "  two-sided p");
    is_real(found.less.p, less, 1e-13, "  less");
    is_real(found.greater.p, greater, 1e-13, "  greater");
    is_real(found.both.log10_p, log10(both), 1e-12, "  log10 p");
}

static void test_invalid(void)
{
    struct paired one = pairs_of("5", "4"), none = {0}, equal = pairs_of("5 7", "4 6"), same = pairs_of("5 6", "5 6");
    struct paired negative = pairs_of("5 6", "-1 2");
    struct paired_test test = {.statistic = 42};
    struct ratio ratio = {42, 42, 42};
    enum stats_status no_interval;
    ok(paired_t(&one, 1, &test) == STATS_TOO_FEW, "t: one pair is refused");
    ok(paired_t(&equal, 1, &test) == STATS_CONSTANT, "t: equal differences are refused");
    ok(paired_wilcoxon(&none, 1, &test) == STATS_TOO_FEW, "Wilcoxon: no pair is refused");
    ok(paired_sign(&none, 1, &test) == STATS_TOO_FEW, "sign: no pair is refused");
    ok(paired_t_ratio(&equal, 1, &ratio, &no_interval) == STATS_DOMAIN, "t: confidence 1 is refused");
    ok(paired_wilcoxon_ratio(&negative, 0.9, &ratio, &no_interval) == STATS_DOMAIN, "a ratio needs values above 0");
    ok(paired_sign_ratio(&negative, 0.9, &ratio, &no_interval) == STATS_DOMAIN, "  and so does that of the sign test");
    ok(test.statistic == 42 && ratio.ratio == 42, "  and no error writes a result");
    ok(paired_wilcoxon(&same, 1, &test) == STATS_OK && test.both.p == 1 && test.zeros == 2,
       "Wilcoxon: all differences 0 give p = 1");
    ok(paired_sign(&same, 1, &test) == STATS_OK && test.both.p == 1, "sign: all differences 0 give p = 1");
    struct paired *all[] = {&one, &equal, &same, &negative};
    for (size_t i = 0; i < 4; i++)
        paired_free(all[i]);
}

/* R: sleep (Student 1908); Darwin's maize (Fisher, The Design of Experiments, 1935, §17), in eighths of an inch */
static const char sleep_x[] = "1.9 0.8 1.1 0.1 -0.1 4.4 5.5 1.6 4.6 3.4",
                  sleep_y[] = "0.7 -1.6 -0.2 -1.2 -0.1 3.4 3.7 0.8 0.0 2.0";
static const char crossed[] = "188 96 168 176 153 172 177 163 146 173 186 168 177 184 96",
                  selfed[] = "139 163 160 160 147 149 149 122 132 144 130 144 102 124 144";

static void test_known(void)
{
    struct paired sleep = pairs_of(sleep_x, sleep_y), maize = pairs_of(crossed, selfed);
    struct paired_test test;
    /* R: t.test(x, y, paired = TRUE, alternative = …) */
    is_test(paired_t, &sleep, 4.0621276833820366, 0.0028328901973842702, 0.99858355490130779, 0.0014164450986921351,
            "paired t: sleep");
    is_test(paired_t, &maize, 2.1479874613311201, 0.049702944021800928, 1 - 0.049702944021800928 / 2,
            0.049702944021800928 / 2, "paired t: Darwin's maize");
    /* R: t.test(x - y, mu = 0.25 * mean(y), alternative = …) */
    ok(paired_t(&maize, 1.25, &test) == STATS_OK, "paired t: against 1.25 times the mean of y");
    is_real(test.statistic, -1.4587844781173929, 1e-14, "  statistic");
    is_real(test.both.p, 0.1666940638332349, 1e-13, "  two-sided p");
    is_real(test.less.p, 0.083347031916617451, 1e-13, "  less");
    is_real(test.greater.p, 0.91665296808338259, 1e-13, "  greater");
    /* R: wilcox.test(x, y, paired = TRUE, alternative = …); binom.test(13, 15, alternative = …) */
    is_test(paired_wilcoxon, &maize, 96, 0.041259765625, 0.982330322265625, 0.0206298828125,
            "Wilcoxon: Darwin's maize");
    is_test(paired_sign, &maize, 13, 0.00738525390625, 0.99951171875, 0.003692626953125, "sign: Darwin's maize");
    paired_wilcoxon(&sleep, 1, &test);
    ok(test.zeros == 1 && test.used == 9 && test.exact, "Wilcoxon: sleep has a pair of equal values");
    is_real(test.both.p, 2.0 / 512, 1e-15, "  all nine others have one sign, though two are tied: 2/2^9");
    paired_free(&sleep);
    paired_free(&maize);
}

static void test_ties(void)
{
    /* R: all 2^11 signs by expand.grid(); coin 1.4-2: wilcoxsign_test(y ~ x, distribution = "exact", zero.method =
     * "Wilcoxon"); with "Pratt" it is 0.236328125, and wilcox.test()'s normal approximation 0.239 */
    const int tied[] = {3, -1, 0, 2, 2, -2, 5, 0, 1, 4, 4, -6};
    struct paired pairs = pairs_of_differences(tied, 12);
    struct paired_test test;
    paired_wilcoxon(&pairs, 1, &test);
    is_test(paired_wilcoxon, &pairs, 39.5, 0.251953125, 0.8916015625, 0.1259765625, "Wilcoxon: ties and zeros");
    is_u64(test.zeros, 2, "  two zeros are left out");
    paired_free(&pairs);
    pairs = pairs_of("10.1 0.3 5 7.7", "10 0.2 5.2 7.5");
    paired_wilcoxon(&pairs, 1, &test);
    is_real(test.statistic, 6.5, 0, "10.1 - 10 and 0.3 - 0.2 tie, as decimals do: V = 1.5 + 1.5 + 3.5");
    paired_free(&pairs);
}

static void test_many(void)
{
    struct series a = {0}, b = {0}, c = {0}, d = {0};
    struct paired pairs, untied;
    for (int i = 1; i <= 150; i++) {
        series_add_integer(&a, i * 37 % 101);
        series_add_integer(&b, i * 53 % 97 + 3);
    }
    for (int i = 1; i <= 100; i++) {
        series_add_integer(&c, 1000 + (i * 61 % 101) * (i % 3 == 0 ? -1 : 1));
        series_add_integer(&d, 1000);
    }
    series_must(paired_of_series(&a, &b, &pairs), "150 pairs");
    series_must(paired_of_series(&c, &d, &untied), "100 pairs");
    /* R: wilcox.test(a, b, paired = TRUE, exact = FALSE, alternative = …), with ties and two zeros */
    is_test(paired_wilcoxon, &pairs, 5442, 0.89264355293533904, 0.44632177646766952, 0.55443490705821763,
            "Wilcoxon: 148 pairs by the normal distribution");
    /* R: wilcox.test(c - d, exact = TRUE, alternative = …) */
    struct paired_test test;
    paired_wilcoxon(&untied, 1, &test);
    is_real(test.statistic, 3286, 0, "Wilcoxon: 100 pairs");
    is_real(test.both.p, 0.0085275445090080681, 1e-13, "  are exact: two-sided p");
    is_real(test.greater.p, 0.004263772254504034, 1e-13, "  greater");
    struct series *all[] = {&a, &b, &c, &d};
    for (size_t i = 0; i < 4; i++)
        series_free(all[i]);
    paired_free(&pairs);
    paired_free(&untied);
}

static void test_ratios(void)
{
    struct paired maize = pairs_of(crossed, selfed), few = pairs_of("2 3 4", "1 1 1");
    struct ratio ratio;
    enum stats_status no_interval;
    /* R: r <- t.test(x, y, paired = TRUE); 1 + r$conf.int/mean(y); mean(x)/mean(y) */
    ok(paired_t_ratio(&maize, 0.95, &ratio, &no_interval) == STATS_OK && !no_interval, "ratio of Darwin's maize: t");
    is_real(ratio.ratio, 1.1488857278330964, 1e-15, "  of the means");
    is_real(ratio.low, 1.0002218585945446, 1e-14, "  lower end");
    is_real(ratio.high, 1.2975495970716477, 1e-14, "  upper end");
    /* R: o <- outer(1:15, 1:15, "<="); w <- sort((outer(x, x, "+")/outer(y, y, "+"))[o]); median(w); w[26]; w[95],
     * psignrank(25, 15) <= .025 < psignrank(26, 15) */
    ok(paired_wilcoxon_ratio(&maize, 0.95, &ratio, &no_interval) == STATS_OK && !no_interval, "  signed ranks");
    is_real(ratio.ratio, 1.1742400274196525, 1e-15, "  the median of ratios of sums");
    is_real(ratio.low, 1.0291970802919708, 1e-15, "  lower end");
    is_real(ratio.high, 1.3134328358208955, 1e-15, "  upper end");
    /* R: sort(x/y)[c(8, 4, 12)]; pbinom(3, 15, .5) */
    ok(paired_sign_ratio(&maize, 0.95, &ratio, &no_interval) == STATS_OK && !no_interval, "  signs");
    is_real(ratio.ratio, 1.1666666666666667, 1e-15, "  the median of ratios");
    is_real(ratio.low, 1.05, 1e-15, "  lower end");
    is_real(ratio.high, 1.3525179856115108, 1e-15, "  upper end");
    ok(paired_wilcoxon_ratio(&few, 0.95, &ratio, &no_interval) == STATS_OK && no_interval == STATS_TOO_FEW &&
           ratio.ratio == 3 && isnan(ratio.low),
       "three pairs have a ratio, and no interval at 95 %%");
    paired_free(&maize);
    paired_free(&few);
}

/* V of these signs, by the definition: ranks by counting. */
static double rank_sum(const int *d, size_t n, unsigned signs)
{
    double v = 0;
    for (size_t i = 0; i < n; i++) {
        double rank = 0.5;
        for (size_t j = 0; j < n; j++)
            rank += abs(d[j]) < abs(d[i]) ? 1 : abs(d[j]) == abs(d[i]) ? 0.5 : 0;
        v += signs >> i & 1 ? rank : 0;
    }
    return v;
}

static void test_enumeration(void)
{
    size_t wrong = 0, wrong_sign = 0;
    for (int round = 0; round < 200; round++) {
        int d[9];
        size_t n = 1 + (size_t)(rng_uniform() * 9), below = 0, above = 0, heads = 0, few = 0;
        unsigned own = 0;
        for (size_t i = 0; i < n; i++) {
            d[i] = 1 + (int)(rng_uniform() * 6);
            d[i] = rng_uniform() < 0.6 ? d[i] : -d[i];
            own |= (unsigned)(d[i] > 0) << i;
            heads += d[i] > 0;
        }
        double v = rank_sum(d, n, own);
        for (unsigned signs = 0; signs < 1u << n; signs++) {
            below += rank_sum(d, n, signs) <= v;
            above += rank_sum(d, n, signs) >= v;
            few += (size_t)__builtin_popcount(signs) <= heads;
        }
        struct paired pairs = pairs_of_differences(d, n);
        struct paired_test test, sign;
        paired_wilcoxon(&pairs, 1, &test);
        paired_sign(&pairs, 1, &sign);
        double all = (double)(1u << n);
        wrong += !(test.statistic == v && test.less.p == (double)below / all && test.greater.p == (double)above / all);
        wrong_sign += !(fabs(sign.less.p - (double)few / all) < 1e-14);
        paired_free(&pairs);
    }
    ok(wrong == 0, "Wilcoxon: 200 random cases with ties, against all 2^n signs: %zu differ", wrong);
    ok(wrong_sign == 0, "sign: the same: %zu differ", wrong_sign);
}

/* Each interval excludes a factor exactly where its test rejects it, without ties and zeros. */
static void test_agreement(void)
{
    size_t wrong[3] = {0}, rejected[3] = {0};
    test_of_pairs *const tests[] = {paired_t, paired_wilcoxon, paired_sign};
    enum stats_status (*const ratios[])(const struct paired *, double, struct ratio *, enum stats_status *) = {
        paired_t_ratio, paired_wilcoxon_ratio, paired_sign_ratio};
    for (int round = 0; round < 300; round++) {
        size_t n = 6 + (size_t)(rng_uniform() * 24);
        const double factor = round % 2 ? 1 : 1.0625;
        struct series x = {0}, y = {0};
        struct paired pairs;
        for (size_t i = 0; i < n; i++) {
            double base = 1e6 * exp(2 * rng_uniform());
            series_add_integer(&y, (int64_t)base);
            series_add_integer(&x, (int64_t)(base * (1 + 0.2 * (rng_uniform() - 0.35))));
        }
        series_must(paired_of_series(&x, &y, &pairs), "random pairs");
        for (size_t i = 0; i < 3; i++) {
            struct paired_test test;
            struct ratio ratio;
            enum stats_status no_interval;
            if (tests[i](&pairs, factor, &test) || ratios[i](&pairs, 0.95, &ratio, &no_interval) || no_interval ||
                (ratio.low > factor || ratio.high < factor) != (test.both.p < 0.05))
                wrong[i]++;
            rejected[i] += test.both.p < 0.05;
        }
        series_free(&x);
        series_free(&y);
        paired_free(&pairs);
    }
    for (size_t i = 0; i < 3; i++)
        ok(wrong[i] == 0 && rejected[i] > 30 && rejected[i] < 270,
           "%s: the interval excludes a factor where its p < 0.05, and only there (%zu of 300 not)",
           i == 0   ? "t"
           : i == 1 ? "Wilcoxon"
                    : "sign",
           wrong[i]);
}

int main(void)
{
    test_invalid();
    test_known();
    test_ties();
    test_many();
    test_ratios();
    test_enumeration();
    test_agreement();
    return done_testing();
}
