#include "stats/tail.h"

#include "tests/tap.h"

/*
 * 20 digits by mpmath 1.3.0 with 60 digits: gammainc(k/2, x/2, regularized=True); far out
 * −x/2 + log U(1−k/2, 1−k/2, x/2) − log Γ(k/2); near p = 1 log1p of the lower function.
 */
static const struct {
    double x, dof, p, log10_p;
} known[] = {
    {0.001, 1, 0.97477287936996038828, -0.011096562482616877952},
    {1, 1, 0.31731050786291410283, -0.49851554582798930482},
    {3.841458820694124, 1, 0.050000000000000057435, -1.3010299956639806963},
    {2.5, 3, 0.47529108334302059016, -0.32304033317262499477},
    {18.307, 10, 0.050000589091398120291, -1.3010248789112526799},
    {61.5, 61, 0.45798641377989075044, -0.33914740520124179963},
    {50, 100, 0.9999930466947523839, -3.019792598810624774e-6},
    {99, 100, 0.50947219879837412664, -0.29287950986732662846},
    {101, 100, 0.45319222327636854299, -0.34371755118537921718},
    {103, 100, 0.39855329602655255011, -0.39951359491385569561},
    {150, 100, 0.00090393204235400908576, -3.0438642185733613998},
    {400, 100, 1.6927979958857087673e-37, -36.771394863808597425},
    {1500, 100, 2.5254320288863702954e-248, -247.59766431587736035},
    {0.001, 100, 1, -1.2676424268238307216e-230},
    {1e6, 1e6, 0.49981193680339449952, -0.30119337600880731108},
    {1005000, 1e6, 0.00020767800946703002892, -3.6826094874453438877},
    {990000, 1e6, 0.99999999999934998288, -2.8229884749387453993e-13},
    {5000, 1000, 0, -521.45494009483605911},
    {1500, 1, 0, -327.40725604416649263},
    {4600, 100, 0, -896.92740113571601053},
    {20000, 100, 0, -4209.7267908417551998},
    {3e5, 1000, 0, -63692.688738598058568},
    {461000, 100, 0, -99904.891215678805808},
    {461000, 1, 0, -100107.80799004282152},
    {4610000, 3, 0, -1001045.546996377076},
    {1e9, 100, 0, -217146877.48620052694},
};

static void test_invalid(void)
{
    struct tail tail = {42, 42};
    ok(tail_chi_square(NAN, 1, &tail) == STATS_DOMAIN, "x NaN is refused");
    ok(tail_chi_square(-1, 1, &tail) == STATS_DOMAIN, "x below 0 is refused");
    ok(tail_chi_square(1, 0, &tail) == STATS_DOMAIN, "dof 0 is refused");
    ok(tail_chi_square(1, NAN, &tail) == STATS_DOMAIN, "dof NaN is refused");
    ok(tail_chi_square(1, INFINITY, &tail) == STATS_DOMAIN, "infinite dof is refused");
    ok(tail.p == 42 && tail.log10_p == 42, "nothing was written");
}

static void test_known(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct tail tail = {NAN, NAN};
        char what[80];
        tail_chi_square(known[i].x, known[i].dof, &tail);
        snprintf(what, sizeof what, "p of chi-square %g, dof %g", known[i].x, known[i].dof);
        is_real(tail.p, known[i].p, 1e-14, what);
        snprintf(what, sizeof what, "log10 p of chi-square %g, dof %g", known[i].x, known[i].dof);
        ok(fabs(tail.log10_p - known[i].log10_p) <= 1e-14 * fabs(known[i].log10_p), "%s: %.17g", what, tail.log10_p);
    }
}

static void test_limits(void)
{
    struct tail tail;
    ok(!tail_chi_square(0, 5, &tail) && tail.p == 1 && tail.log10_p == 0, "x = 0: p = 1");
    ok(!tail_chi_square(INFINITY, 5, &tail) && tail.p == 0 && tail.log10_p == -INFINITY, "x = ∞: p = 0");
    /* dof 2 has the closed form e^(−x/2). */
    int good = 0;
    for (int x = 1; x <= 1000; x++) {
        tail_chi_square(x * 7, 2, &tail);
        good += fabs(tail.log10_p + x * 3.5 * 0.43429448190325182765) <= 1e-15 * x * 3.5;
    }
    is_u64((uint64_t)good, 1000, "dof 2 is e^(-x/2)");
}

/* Where one method takes over from the other, p must go on falling, by the density's amount. */
static void test_seam(void)
{
    int falling = 0, total = 0;
    for (double dof = 1; dof < 2000; dof *= 1.37, total++) {
        struct tail before, after;
        tail_chi_square((dof + 2) * (1 - 1e-9), dof, &before);
        tail_chi_square((dof + 2) * (1 + 1e-9), dof, &after);
        falling += before.p > after.p && before.p - after.p < 1e-8 * sqrt(dof + 1);
    }
    is_u64((uint64_t)falling, (uint64_t)total, "no seam between the two methods");
}

int main(void)
{
    test_invalid();
    test_known();
    test_limits();
    test_seam();
    return done_testing();
}
