/*
 * Expected values, unless stated otherwise: exact rational least squares (the normal equations in Python 3
 * fractions.Fraction) and p-values and quantiles from mpmath.betainc with 60 digits.
 */
#include "tests/stats/fit_cases.h"

struct expected_term {
    double estimate, se, lo, hi, t, p, log10_p;
};

static void is_term(const struct fit_term *term, const struct expected_term *expected, const char *name)
{
    const double got[] = {term->estimate, term->se, term->t, term->p, term->log10_p, term->lo, term->hi};
    const double wanted[] = {expected->estimate, expected->se, expected->t, expected->p,
                             expected->log10_p,  expected->lo, expected->hi};
    static const char *const what[] = {"estimate", "se", "t", "p", "log10 p", "lo", "hi"};
    for (size_t i = 0; i < 7; i++) {
        char label[64];
        snprintf(label, sizeof label, "%s: %s", name, what[i]);
        is_real(got[i], wanted[i], i < 3 ? 4e-16 : i < 5 ? 1e-13 : 1e-14, label);
    }
}

static void is_prediction(const struct fit *fit, const double *x, const double *expected, const char *what)
{
    struct fit_prediction at;
    if (!ok(!fit_predict(fit, x, 0.95, &at), "%s has a prediction", what))
        return;
    is_real(at.y, expected[0], 4e-16, "  y");
    is_real(at.se, expected[1], 4e-16, "  its standard error");
    is_real(at.lo, expected[2], 1e-14, "  lo");
    is_real(at.hi, expected[3], 1e-14, "  hi");
}

static void is_summary(const struct fit *fit, double r2, double residual_sd, double f, double log10_p)
{
    is_real(fit->r2, r2, 3e-16, "  r2");
    is_real(fit->residual_sd, residual_sd, 3e-16, "  residual sd");
    is_real(fit->f, f, 3e-16, "  F");
    is_real(fit->log10_p, log10_p, 1e-13, "  log10 p");
    is_real(fit->p, pow(10, log10_p), 1e-12, "  p");
}

static void test_line(void)
{
    struct fit fit;
    if (!fits("2.1 3.9 6.2 7.8 10.1", (const char *[]){"1 2 3 4 5"}, 1, line, &fit))
        return;
    static const struct expected_term expected[] = {{0.05, 0.1980740602232744, -0.5803600611301026, 0.6803600611301026,
                                                     0.25243083290986542, 0.81701517817512514, -0.087769875246688595},
                                                    {1.99, 0.059721576223896391, 1.7999392904005415, 2.1800607095994585,
                                                     33.32129065950107, 5.9415391117553523e-5, -4.2261010396721273}};
    ok(fit.n == 5 && fit.dof == 3 && fit.dof_model == 1 && fit.terms == 2 && fit.intercept && !fit.exact,
       "  its counts");
    is_term(&fit.term[0], &expected[0], "intercept");
    is_term(&fit.term[1], &expected[1], "  slope");
    is_summary(&fit, 0.99730532890097713, 0.18885620632287059, 1110.3084112149533, -4.2261010396721273);
    fit_free(&fit);
}

/* Brownlee 1965, stack loss of a plant: as in R's datasets::stackloss. */
static const char stack_loss[] = "42 37 37 28 18 18 19 20 15 14 14 13 11 12 8 7 8 8 9 15 15";
static const char *const stack_columns[] = {"80 80 75 62 62 62 62 62 58 58 58 58 58 58 50 50 50 50 50 56 70",
                                            "27 27 25 24 22 23 24 24 23 18 18 17 18 19 18 18 19 19 20 20 20",
                                            "89 88 90 87 87 87 93 93 87 80 89 88 82 93 89 86 72 79 80 82 91"};

/* R 4.2: print(coef(summary(lm(stack.loss ~ ., stackloss))), digits = 15), and summary()'s r.squared, sigma,
 * fstatistic. */
static void test_multiple(void)
{
    struct fit fit;
    if (!fits(stack_loss, stack_columns, 3, line, &fit))
        return;
    static const double r[4][4] = {{-39.919674420123961, 11.895996850644270, -3.355723351419849, 3.75030683226027e-03},
                                   {0.715640200485283, 0.134858185355372, 5.306613006837213, 5.79902472425288e-05},
                                   {1.295286124388573, 0.368024265272704, 3.519567176987018, 2.63005439648897e-03},
                                   {-0.152122519148653, 0.156294043248621, -0.973309769116837, 3.44046096696437e-01}};
    static const char *const names[] = {"intercept", "air flow", "water temperature", "acid concentration"};
    for (size_t j = 0; j < 4; j++) {
        const double got[] = {fit.term[j].estimate, fit.term[j].se, fit.term[j].t, fit.term[j].p};
        for (size_t i = 0; i < 4; i++) {
            char label[64];
            snprintf(label, sizeof label, "%s: %s", names[j], (const char *[]){"estimate", "se", "t", "p"}[i]);
            is_real(got[i], r[j][i], 2e-12, label);
        }
    }
    static const struct expected_term acid = {-0.15212251914865179, 0.15629404324862105,  -0.48187412631714666,
                                              0.17762908801984309,  -0.97330976911683376, 0.34404609669643825,
                                              -0.46338336498751811};
    is_term(&fit.term[3], &acid, "acid concentration, exactly");
    is_summary(&fit, 0.91357690446068186, 3.2433639181852227, 59.902225899656877, -8.5205215433385964);
    fit_free(&fit);
    if (!fits(stack_loss, stack_columns, 3, through_origin, &fit))
        return;
    static const struct expected_term origin = {0.79676520229442128, 0.16624217645853745, 0.44750334975504005,
                                                1.1460270548338025,  4.7927981891715845,  1.4566998853642558e-4,
                                                -3.8366299139511418};
    ok(!fit.intercept && fit.terms == 3 && fit.dof == 18 && fit.dof_model == 3, "without intercept there are 3 terms");
    is_term(&fit.term[0], &origin, "air flow without intercept");
    is_summary(&fit, 0.96509887750447985, 4.0639865582184242, 165.91424146229539, -12.574347622522976);
    fit_free(&fit);
}

/* The columns differ in the 18th digit, which no double has. */
static void test_collinear(void)
{
    struct fit fit;
    const char *x[] = {"100000000000000001 100000000000000002 100000000000000003 100000000000000004 100000000000000005 "
                       "100000000000000006",
                       "200000000000000002 200000000000000004 200000000000000006 200000000000000008 200000000000000010 "
                       "200000000000000013"};
    if (!fits("3 1 4 1 5 9", x, 2, line, &fit))
        return;
    static const struct expected_term expected[] = {{-3.9999999999999998e+16, 6.1101009266077869e+16,
                                                     -2.3445068118793522e+17, 1.5445068118793522e+17,
                                                     -0.6546536707079771, 0.55940434416348795, -0.25227416535293325},
                                                    {-9.6, 6.0177515180782708, -28.751171084823628, 9.5511710848236276,
                                                     -1.5952802257055799, 0.20891761034518151, -0.68002495038164886},
                                                    {5.0, 2.8, -3.9108496547943869, 13.910849654794387,
                                                     1.7857142857142857, 0.17212735392202275, -0.76415010751436575}};
    for (size_t j = 0; j < 3; j++)
        is_term(&fit.term[j], &expected[j], (const char *[]){"intercept", "x", "2x but for one"}[j]);
    fit_free(&fit);
}

/* x and y take more than 62 bits. */
static void test_wide(void)
{
    struct fit fit;
    const char *x[] = {"1e10 3.3 2.5e-15 1234.5 7e5 4.4e9"};
    const char *y = "12345678.9 1e-20 0.25 7 1234567890.123456789 17e-3";
    if (!fits(y, x, 1, line, &fit))
        return;
    static const struct expected_term expected[] = {
        {289007727.36316709, 261748028.76318335, -437721305.89154481, 1015736760.617879, 1.10414480952843,
         0.33148161790987671, -0.47954055009979603},
        {-0.033827018548922081, 0.058685341871236711, -0.19676364873417642, 0.12910961163633225, -0.57641341892738682,
         0.59521755342022031, -0.22532426959737622}};
    is_term(&fit.term[0], &expected[0], "wide: intercept");
    is_term(&fit.term[1], &expected[1], "wide: slope");
    fit_free(&fit);
    struct fit_options quadratic = {.degree = 2, .confidence = 0.95};
    if (!fits(y, x, 1, quadratic, &fit))
        return;
    static const struct expected_term square = {7.2226714685140113e-12, 2.825720462253038e-11, -8.2704364980103556e-11,
                                                9.7149707917131579e-11, 0.25560459942860528,   0.81477933967687884,
                                                -0.088959991917927268};
    is_term(&fit.term[2], &square, "wide: square");
    is_prediction(&fit, (double[]){5e9},
                  (double[]){-20115980.32061408, 627567276.46987198, -2017315140.6391185, 1977083179.9978903},
                  "at 5e9");
    is_prediction(&fit, (double[]){-0x1p-10},
                  (double[]){308606827.54780945, 308677507.79625891, -673742766.66257818, 1290956421.7581971},
                  "at -1/1024");
    fit_free(&fit);
}

/* The columns have 2100 bits. */
static void test_widest(void)
{
    struct fit fit;
    if (!fits("7e-300 1 2e300 4", (const char *[]){"1e300 2 3e-300 5"}, 1, line, &fit))
        return;
    is_real(fit.term[0].estimate, 2e300 / 3, 4e-16, "1e±300: intercept");
    is_real(fit.term[1].estimate, -2 / 3.0, 4e-16, "  slope");
    is_real(fit.term[1].se, 4 / 3.0, 4e-16, "  its standard error");
    is_real(fit.residual_sd, 1.1547005383792515e+300, 4e-16, "  residual sd");
    is_prediction(&fit, (double[]){1e299},
                  (double[]){6e+299, 6.1101009266077867e+299, -2.0289642430913722e+300, 3.2289642430913722e+300},
                  "at 1e299");
    fit_free(&fit);
}

/* Many rows have a trend that is so clear that no double holds its p. */
static void test_many(void)
{
    enum { ROWS = 3000 };
    struct series x = {0}, y = {0};
    for (int64_t i = 1; i <= ROWS; i++) {
        series_add_integer(&x, i);
        series_add_integer(&y, 1000 * i + (i % 7 - 3) * (i % 5));
    }
    struct fit fit;
    size_t dependent;
    const struct series *columns[] = {&x};
    if (ok(!fit_least_squares(&y, columns, 1, line, &fit, &dependent), "3000 rows are fitted")) {
        is_real(fit.term[1].estimate, 1000.0000033157781, 4e-16, "  slope");
        is_real(fit.term[1].se, 1.0322136502994734e-4, 4e-16, "  its standard error");
        ok(fit.term[1].p == 0, "  its p is not a double");
        is_real(fit.term[1].log10_p, -15734.784650329388, 1e-13, "  its log10 p");
        is_real(fit.log10_p, -15734.784650329388, 1e-13, "  which is that of F");
        fit_free(&fit);
    }
    series_free(&x);
    series_free(&y);
}

static void test_prediction(void)
{
    struct fit fit;
    if (fits("2.1 3.9 6.2 7.8 10.1", (const char *[]){"1 2 3 4 5"}, 1, line, &fit)) {
        is_prediction(&fit, (double[]){3.5},
                      (double[]){7.015, 0.089582364335844586, 6.7299089356008122, 7.3000910643991878}, "line at 3.5");
        struct fit_prediction at = {.y = 42};
        ok(!fit_predict(&fit, (double[]){0}, 0.95, &at) && at.y == fit.term[0].estimate && at.se == fit.term[0].se &&
               at.lo == fit.term[0].lo && at.hi == fit.term[0].hi,
           "the prediction at 0 is the intercept");
        at.y = 42;
        ok(fit_predict(&fit, (double[]){NAN}, 0.95, &at) == STATS_DOMAIN && at.y == 42,
           "a prediction at NaN is refused");
        ok(fit_predict(&fit, (double[]){-INFINITY}, 0.95, &at) == STATS_DOMAIN && at.y == 42, "  and one at −∞");
        ok(fit_predict(&fit, (double[]){1}, 1, &at) == STATS_DOMAIN && at.y == 42, "  and one with confidence 1");
        ok(fit_predict(&fit, (double[]){1.7e308}, 0.95, &at) == STATS_OVERFLOW && at.y == 42,
           "a prediction at 1.7e308 is an overflow");
        fit_free(&fit);
    }
    if (fits(stack_loss, stack_columns, 3, line, &fit)) {
        is_prediction(&fit, (double[]){60, 20.5, 85},
                      (double[]){16.641689031323281, 0.75242890227284505, 15.05420281209601, 18.229175250550552},
                      "three columns");
        fit_free(&fit);
    }
    if (fits(stack_loss, stack_columns, 2, through_origin, &fit)) {
        is_prediction(&fit, (double[]){60, 20.5},
                      (double[]){18.319948535219805, 1.7252696533742537, 14.708917650366806, 21.930979420072805},
                      "through the origin");
        fit_free(&fit);
    }
}

/* By hand: b = Σxy/Σx² = 110.2/55, Σr² = 220.91 − 110.2²/55. */
static void test_near_zero(void)
{
    struct fit fit;
    if (!fits("2.1 3.9 6.2 7.8 10.1", (const char *[]){"1 2 3 4 5"}, 1, through_origin, &fit))
        return;
    double b = 110.2 / 55, se = sqrt((220.91 - 110.2 * 110.2 / 55) / 4 / 55);
    struct fit_prediction at;
    if (ok(!fit_predict(&fit, (double[]){-1e-7}, 0.95, &at), "a line through the origin has a prediction at -1e-7")) {
        is_real(at.y, -1e-7 * b, 4e-16, "  y");
        is_real(at.se, 1e-7 * se, 1e-12, "  its standard error");
    }
    ok(!fit_predict(&fit, (double[]){0}, 0.95, &at) && at.y == 0 && at.se == 0 && at.lo == 0 && at.hi == 0 &&
           !signbit(at.y),
       "  its prediction at 0 is 0");
    ok(!fit_predict(&fit, (double[]){1e-300}, 0.95, &at) && at.y == 0,
       "  and at 1e-300, which is below 2^-128 of a unit, it is right");
    fit_free(&fit);
}

/* x is in seconds since 1970: its powers have 27 digits more than the part that varies. */
static void test_far_polynomial(void)
{
    struct fit fit;
    struct fit_options quartic = {.degree = 4, .confidence = 0.95};
    const char *x[] = {"1700000000.125 1700000001 1700000002.5 1700000003 1700000005 1700000006.75 1700000008"};
    if (!fits("1 4 2 8 5 7 1", x, 1, quartic, &fit))
        return;
    static const struct expected_term expected[] = {
        {-2.7919606876789328e+35, 4.3849570522167297e+35, -2.1658908118233407e+36, 1.6074986742875542e+36,
         -0.63671334848479563, 0.5894652251285344, -0.22954181055236382},
        {6.5693192507502012e+26, 1.0317545980380327e+27, -3.7823498126048822e+27, 5.0962136627549224e+27,
         0.63671334862401474, 0.58946522505389866, -0.22954181060735246},
        {-0.033428247545390306, 0.052501251302024248, -0.25932289977530753, 0.19246640468452692, -0.63671334904167208,
         0.58946522482999143, -0.22954181077231838}};
    is_term(&fit.term[0], &expected[0], "far from 0: intercept");
    is_term(&fit.term[1], &expected[1], "far from 0: x");
    is_term(&fit.term[4], &expected[2], "far from 0: x^4");
    is_prediction(&fit, (double[]){1700000004.5},
                  (double[]){5.6581731478218866, 2.6292207333855957, -5.6544506177935341, 16.970796913437307},
                  "between the points");
    fit_free(&fit);
    quartic.no_intercept = true;
    if (!fits("1 4 2 8 5 7 1", x, 1, quartic, &fit))
        return;
    is_prediction(&fit, (double[]){1700000004.5},
                  (double[]){6.6854650362448271, 1.8588925031678884, 0.76963945761859438, 12.60129061487106},
                  "without intercept");
    fit_free(&fit);
}

int main(void)
{
    test_line();
    test_multiple();
    test_collinear();
    test_wide();
    test_widest();
    test_many();
    test_prediction();
    test_near_zero();
    test_far_polynomial();
    return done_testing();
}
