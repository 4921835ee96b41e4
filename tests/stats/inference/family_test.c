#include "stats/inference/family.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

enum { COUNT = 15, FAMILIES = 2000 };

static struct tail tail_of(double p)
{
    return (struct tail){p, log10(p)};
}

static void test_invalid(void)
{
    struct tail good[] = {{0.5, log10(0.5)}, {1, 0}}, adjusted[2] = {{42, 42}, {42, 42}};
    struct tail bad[][2] = {{good[0], {NAN, NAN}}, {{1.5, 0.2}, good[0]}, {{-0.1, NAN}, good[1]}};
    ok(family_adjust(FAMILY_HOLM, good, 0, adjusted) == STATS_TOO_FEW, "a family without tests is refused");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(family_adjust(FAMILY_HOLM, bad[i], 2, adjusted) == STATS_DOMAIN, "p of %g and %g are refused", bad[i][0].p,
           bad[i][1].p);
    ok(adjusted[0].p == 42 && adjusted[1].p == 42, "  and no error writes a result");
}

/* The 15 p of Benjamini and Hochberg 1995, §3.2 (thrombolysis); mixed up, since the order is the caller's.
 * R: p.adjust(p, "holm"), p.adjust(p, "BH"); also by hand */
static const double published[COUNT] = {0.4262, 0.0001, 0.0344, 0.0004, 1.0000, 0.0019, 0.0459, 0.0095,
                                        0.5719, 0.0201, 0.6528, 0.0278, 0.3240, 0.0298, 0.7590};
static const double holm[COUNT] = {1, 0.0015, 0.278, 0.0056, 1, 0.0247, 0.3213, 0.114,
                                   1, 0.2211, 1,     0.278,  1, 0.278,  1};
static const double bh[COUNT] = {0.4262 * 15 / 11, 0.0015,    0.0645,   0.003,         1,
                                 0.0095,           0.0765,    0.035625, 0.5719 * 1.25, 0.0603,
                                 0.6528 * 15 / 13, 0.447 / 7, 0.486,    0.447 / 7,     0.759 * 15 / 14};

static void test_published(void)
{
    struct tail tests[COUNT], adjusted[COUNT];
    const double *const expected[] = {[FAMILY_HOLM] = holm, [FAMILY_BENJAMINI_HOCHBERG] = bh};
    const size_t rejected[] = {[FAMILY_HOLM] = 3, [FAMILY_BENJAMINI_HOCHBERG] = 4}; /* as the paper says */
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = tail_of(published[i]);
    for (enum family_method method = FAMILY_HOLM; method <= FAMILY_BENJAMINI_HOCHBERG; method++) {
        size_t below = 0;
        ok(family_adjust(method, tests, COUNT, adjusted) == STATS_OK, "%s: the published p", family_name(method));
        for (size_t i = 0; i < COUNT; i++) {
            char what[40];
            snprintf(what, sizeof what, "  of p = %g", published[i]);
            is_real(adjusted[i].p, expected[method][i], 1e-15, what);
            below += adjusted[i].p <= 0.05;
            if (fabs(adjusted[i].log10_p - log10(expected[method][i])) > 1e-14)
                ok(false, "  of p = %g: log10 p", published[i]);
        }
        is_u64(below, rejected[method], "  as many as published are at most 0.05");
    }
    family_adjust(FAMILY_HOLM, tests, COUNT, tests);
    is_real(tests[1].p, 0.0015, 1e-15, "the adjusted p may replace the p");
}

static void test_tiny(void)
{
    struct tail tests[] = {{0, -5000}, {0, -4000}, {1e-310, -310}, {0, -INFINITY}}, adjusted[4];
    family_adjust(FAMILY_HOLM, tests, 4, adjusted);
    is_real(adjusted[0].log10_p, -5000 + log10(3), 1e-15, "Holm: 1e-5000 is the second of four, so times 3");
    is_real(adjusted[1].log10_p, -4000 + log10(2), 1e-15, "  1e-4000 times 2");
    is_real(adjusted[2].p, 1e-310, 1e-12, "  a subnormal p, the largest, stays as it is");
    ok(adjusted[3].p == 0 && isinf(adjusted[3].log10_p), "  and so does 0");
    family_adjust(FAMILY_BENJAMINI_HOCHBERG, tests, 4, adjusted);
    is_real(adjusted[0].log10_p, -5000 + log10(2), 1e-15, "Benjamini and Hochberg: 1e-5000 times 4/2");
}

/* Whether the procedure rejects the hypothesis of p[i] at this level, as published: step down, and step up. */
static bool rejects(enum family_method method, const double *p, size_t count, size_t i, double level)
{
    bool rejected[COUNT] = {false};
    size_t largest = 0;
    if (method == FAMILY_HOLM) {
        for (size_t left = count; left > 0; left--) {
            size_t least = count;
            for (size_t j = 0; j < count; j++)
                if (!rejected[j] && (least == count || p[j] < p[least]))
                    least = j;
            if (p[least] > level / (double)left)
                break;
            rejected[least] = true;
        }
        return rejected[i];
    }
    double bound = -1;
    for (size_t j = 0; j < count; j++) {
        size_t rank = 0;
        for (size_t k = 0; k < count; k++)
            rank += p[k] <= p[j];
        if (p[j] <= (double)rank / (double)count * level && rank > largest) {
            largest = rank;
            bound = p[j];
        }
    }
    return p[i] <= bound;
}

static void test_procedures(void)
{
    size_t wrong[2] = {0, 0}, checked = 0;
    for (size_t family = 0; family < FAMILIES; family++) {
        double p[COUNT];
        struct tail tests[COUNT], adjusted[COUNT];
        size_t count = 1 + family % COUNT;
        for (size_t i = 0; i < count; i++) { /* some small ones, and equal ones */
            p[i] = i % 3 && i > 0 && family % 4 == 0 ? p[i - 1] : pow(rng_uniform(), 3);
            tests[i] = tail_of(p[i]);
        }
        double level = rng_uniform() / 3;
        for (enum family_method method = FAMILY_HOLM; method <= FAMILY_BENJAMINI_HOCHBERG; method++) {
            family_adjust(method, tests, count, adjusted);
            for (size_t i = 0; i < count; i++, checked++)
                wrong[method] += (adjusted[i].p <= level) != rejects(method, p, count, i, level);
        }
    }
    ok(wrong[FAMILY_HOLM] == 0 && checked > FAMILIES,
       "Holm: an adjusted p is at most the level where the step-down "
       "procedure rejects, and only there (%zu of %zu not)",
       wrong[FAMILY_HOLM], checked / 2);
    ok(wrong[FAMILY_BENJAMINI_HOCHBERG] == 0, "Benjamini and Hochberg: so is the step-up procedure (%zu not)",
       wrong[FAMILY_BENJAMINI_HOCHBERG]);
}

int main(void)
{
    enum family_method method = FAMILY_HOLM;
    ok(family_parse("bh", &method) && method == FAMILY_BENJAMINI_HOCHBERG, "the name bh");
    ok(family_parse("holm", &method) && method == FAMILY_HOLM, "the name holm");
    ok(!family_parse("Holm", &method) && method == FAMILY_HOLM, "another name is refused");
    test_invalid();
    test_published();
    test_tiny();
    test_procedures();
    return done_testing();
}
