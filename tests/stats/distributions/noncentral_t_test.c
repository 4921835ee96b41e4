#include "stats/distributions/noncentral_t.h"

#include "tests/tap.h"

static void test_invalid(void)
{
    double value = 42;
    ok(noncentral_t_tail(NAN, 5, 1, &value) == STATS_DOMAIN, "t NaN is refused");
    ok(noncentral_t_tail(1, 0.5, 1, &value) == STATS_DOMAIN, "half a degree of freedom is refused");
    ok(noncentral_t_tail(1, 5, INFINITY, &value) == STATS_DOMAIN, "an infinite noncentrality is refused");
    ok(noncentral_t_limit(1, 5, 0, &value) == STATS_DOMAIN, "a limit at p = 0 is refused");
    ok(noncentral_t_limit(1, 5, 1, &value) == STATS_DOMAIN, "a limit at p = 1 is refused");
    ok(noncentral_t_limit(INFINITY, 5, 0.1, &value) == STATS_DOMAIN, "an infinite t is refused");
    ok(noncentral_t_correction(1, &value) == STATS_DOMAIN, "no correction at one degree of freedom");
    ok(value == 42, "  and no error writes a result");
}

/* 20 digits of the integral and its root by mpmath 1.2; R's pt(t, dof, δ, lower.tail = FALSE) has 8 to 12 of them */
static void test_known(void)
{
    static const struct {
        double t, dof, noncentrality, p;
    } tails[] = {{2.5, 8, 1, 0.11205114807080442901},    {0, 3, -1.5, 0.066807201268858066004},
                 {-4, 1, 2, 0.99831749087568937836},     {30, 5, 10, 0.010851538305988441574},
                 {1.5, 1000, 5, 0.99976597647391325243}, {60, 3, 50, 0.44469407905529578256},
                 {3, 12, -4, 4.9081361019137174941e-10}};
    static const struct {
        double t, dof, p, noncentrality;
    } limits[] = {{2.5, 8, 0.025, 0.14450488465321837359},  {-2.5, 8, 0.025, -4.7452316441737228709},
                  {0, 2, 0.005, -2.575829303548900761},     {40, 18, 0.025, 26.88757333115916405},
                  {-40, 18, 0.025, -53.073763857285711234}, {12.5, 98, 0.001, 8.3688901956884624262}};
    char what[80];
    double value;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        noncentral_t_tail(tails[i].t, tails[i].dof, tails[i].noncentrality, &value);
        snprintf(what, sizeof what, "P(T >= %g), dof %g, noncentrality %g", tails[i].t, tails[i].dof,
                 tails[i].noncentrality);
        is_real(value, tails[i].p, 1e-13, what);
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        noncentral_t_limit(limits[i].t, limits[i].dof, limits[i].p, &value);
        snprintf(what, sizeof what, "limit of the noncentrality: t %g, dof %g, p %g", limits[i].t, limits[i].dof,
                 limits[i].p);
        is_real(value, limits[i].noncentrality, 1e-13, what);
    }
}

static void test_limits_of_large(void)
{
    double value, p;
    ok(noncentral_t_limit(0.5, 1e9, 0.025, &value) == STATS_OK, "many degrees of freedom");
    is_real(value, 0.5 - 1.9599639845400545, 1e-8, "  approach the normal distribution");
    ok(noncentral_t_limit(1e10, 10, 0.3, &value) == STATS_OK && value > 0, "t of 1e10");
    noncentral_t_tail(1e10, 10, value, &p);
    is_real(p, 0.3, 1e-10, "  has the limit whose tail is p");
    for (double t = -50; t <= 50; t += 12.5) {
        noncentral_t_limit(t, 4, 0.9, &value);
        noncentral_t_tail(t, 4, value, &p);
        is_real(p, 0.9, 1e-11, "a limit inverts the tail");
    }
}

static void test_correction(void)
{
    /* mpmath 1.2: exp(loggamma(v/2) - log(sqrt(v/2)) - loggamma((v-1)/2)) */
    static const double known[][2] = {{2, 0.56418958354775628695},    {3, 0.72360125455826765936},
                                      {8, 0.90270333367641005912},    {18, 0.95764642702371810467},
                                      {1000, 0.99924978117971636752}, {1e9, 0.99999999924999999978}};
    double value;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        noncentral_t_correction(known[i][0], &value);
        is_real(value, known[i][1], 3e-16, "Hedges' correction");
    }
}

int main(void)
{
    test_invalid();
    test_known();
    test_limits_of_large();
    test_correction();
    return done_testing();
}
