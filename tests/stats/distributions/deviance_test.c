#include "stats/distributions/deviance.h"

#include "tests/tap.h"

/* All 22 digits by mpmath 1.3.0 with 50 digits (700 for e^x − 1 − x), from the definitions in deviance.h. */
struct known {
    double x;
    long double value;
};

static const struct known stirling[] = {
    {1e-300, 344.4688254159021798484L},   {0.001, 2.542270467967094541481L},      {0.25, 0.2725104012134320608817L},
    {0.5, 0.1534264097200273452914L},     {1, 0.08106146679532725821967L},        {2.5, 0.03316287351993628748511L},
    {10, 0.008330563433362871256469L},    {29.999, 0.002777767515148494820487L},  {30, 0.002777674929752693603595L},
    {31, 0.002688078828531142867802L},    {100.5, 0.0008291846599046486630718L},  {1e6, 8.333333333333055555556e-8L},
    {1e12, 8.333333333333333333333e-14L}, {1e300, 8.333333333333333333333e-302L},
};

/* Of excess; by hand t²/2 at 1e-150 and 1e-300. */
static const struct known of_log[] = {
    {-0.999, 5.908755278982136164764L},
    {-0.5, 0.1931471805599453094172L},
    {-0.1000001, 0.005360526768943584572896L},
    {-0.0999, 0.005349410719097487317158L},
    {-1e-5, 5.000033333583336151389e-11L},
    {-1e-150, 5.000000000000000062954e-301L},
    {1e-300, 5.000000000000000250591e-601L},
    {1e-10, 4.999999999666667031014e-21L},
    {0.05, 0.001209835830567997066795L},
    {0.1, 0.004689820195675140460695L},
    {0.10001, 0.004690729327906294630381L},
    {1, 0.3068528194400546905828L},
    {10, 7.602104727201629455938L},
    {1e9, 999999979.2767341620536L},
};

static const struct known of_exp[] = {
    {-1e4, 9999.0L},
    {-700, 699.0L},
    {-1, 0.3678794411714423215955L},
    {-0.1000001, 0.004837427552222293236489L},
    {-0.0999, 0.004827906302101069563368L},
    {-1e-5, 4.999983333375000734693e-11L},
    {-1e-150, 5.000000000000000062954e-301L},
    {1e-300, 5.000000000000000250591e-601L},
    {1e-10, 5.000000000166667030993e-21L},
    {0.05, 0.001271096376024039839824L},
    {0.1, 0.005170918075647625395524L},
    {0.10001, 0.005171969840087111563449L},
    {1, 0.7182818284590452353603L},
    {10, 22015.46579480671651696L},
    {700, 1.014232054735004509455e304L},
};

static void is_close(long double got, struct known known, long double tolerance, const char *what)
{
    if (!ok(fabsl(got - known.value) <= tolerance, "%s(%g)", what, known.x))
        printf("# got %.21Lg, expected %.21Lg\n", got, known.value);
}

int main(void)
{
    for (size_t i = 0; i < sizeof stirling / sizeof *stirling; i++)
        is_close(deviance_stirling(stirling[i].x), stirling[i],
                 fminl(1e-17L, 1e-14L * stirling[i].value) + 1e-19L * stirling[i].value, "Stirling's error");
    for (size_t i = 0; i < sizeof of_log / sizeof *of_log; i++)
        is_close(deviance_log(1 + (long double)of_log[i].x, of_log[i].x), of_log[i], 3e-18L * of_log[i].value,
                 "t - log(1 + t)");
    for (size_t i = 0; i < sizeof of_exp / sizeof *of_exp; i++)
        is_close(deviance_exp(of_exp[i].x), of_exp[i], 3e-18L * of_exp[i].value, "e^x - 1 - x");
    ok(isnan(deviance_stirling(NAN)) && isnan(deviance_log(NAN, NAN)) && isnan(deviance_exp(NAN)), "NaN stays NaN");
    ok(deviance_log(1, 0) == 0 && deviance_exp(0) == 0, "log and exp are 0 at their minimum");
    return done_testing();
}
