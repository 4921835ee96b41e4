#include "stats/inference/anova.h"

#include <float.h>

#include "tests/stats/groups.h"
#include "tests/stats/strd_anova.h"
#include "tests/tap.h"

/* Correct digits: −log10 of the relative error, at most 15.95. */
static double digits(double got, double expected)
{
    double error = fabs(got - expected) / fabs(expected);
    return error > DBL_EPSILON / 2 ? -log10(error) : 15.95;
}

static void has_digits(double got, double expected, const char *set, const char *what)
{
    double right = digits(got, expected);
    if (!ok(right >= 14, "%s: %s has %.1f correct digits", set, what, right))
        printf("# got %.17g, certified %.17g\n", got, expected);
}

static void check_set(const char *name, const struct strd_anova *set)
{
    struct group groups[STRD_TREATMENTS];
    struct anova anova;
    for (size_t i = 0; i < set->treatments; i++)
        if (group_of_moments(&set->moments[i], &groups[i]))
            abort();
    if (!ok(anova_one_way(groups, set->treatments, &anova) == STATS_OK, "%s: there is an ANOVA", name))
        return;
    is_real(anova.dof_between, set->dof_between, 0, "  degrees of freedom between");
    is_real(anova.dof_within, set->dof_within, 0, "  degrees of freedom within");
    has_digits(anova.f, set->f, name, "  F");
    has_digits(anova.ss_between, set->ss_between, name, "sum of squares between");
    has_digits(anova.ss_within, set->ss_within, name, "sum of squares within");
    has_digits(anova.ms_between, set->ms_between, name, "mean square between");
    has_digits(anova.ms_within, set->ms_within, name, "mean square within");
    has_digits(anova.eta2, set->r_squared, name, "R squared");
    has_digits(anova.residual_sd, set->residual_sd, name, "  residual sd");
}

static void test_certified(void)
{
    static const char *const names[] = {"anova/SiRstv", "anova/AtmWtAg", "anova/SmLs01", "anova/SmLs04",
                                        "anova/SmLs07"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct strd_anova set;
        if (strd_there(names[i]) && ok(strd_anova_read(names[i], &set) == 0, "%s.dat is read", names[i]))
            check_set(names[i], &set);
    }
}

/*
 * Simon and Lesage's sets: treatment t has the values c, c − 0.1, c + 0.1, c − 0.1, c + 0.1, …, where c is 0.4 (t = 1),
 * 0.3 (t even) or 0.5 above the base, with 21, 201 or 2001 values each. With r values the sums of squares are 0.08·r
 * and 0.09·(r − 1), so F = r, whatever the base; NIST certifies the same values.
 */
static void generate(int64_t base, size_t replicates, struct strd_anova *set)
{
    memset(set, 0, sizeof *set);
    set->treatments = 9;
    for (size_t t = 1; t <= 9; t++)
        for (size_t i = 0; i < replicates; i++) {
            char line[64];
            int tenths = (t == 1 ? 4 : t % 2 ? 5 : 3) + (i == 0 ? 0 : i % 2 ? -1 : 1);
            snprintf(line, sizeof line, "%zu %" PRId64 ".%d", t, base, tenths);
            if (strd_value(line, set))
                abort();
        }
    double r = (double)replicates;
    set->dof_between = 8;
    set->dof_within = 9 * (r - 1);
    set->ss_between = 8 * r / 100;
    set->ms_between = r / 100;
    set->ss_within = 9 * (r - 1) / 100;
    set->ms_within = 0.01;
    set->f = r;
    set->r_squared = 8 * r / (8 * r + 9 * (r - 1));
    set->residual_sd = 0.1;
}

static void test_generated(void)
{
    static const int64_t bases[] = {1, 1000000, 1000000000000};
    static const size_t replicates[] = {21, 201, 2001};
    for (size_t i = 0; i < 9; i++) {
        char name[16];
        struct strd_anova set;
        generate(bases[i / 3], replicates[i % 3], &set);
        snprintf(name, sizeof name, "SmLs%02zu", i + 1);
        check_set(name, &set);
    }
}

/* P(F ≥ r) with 8 and 9(r−1) degrees of freedom, by mpmath 1.3: betainc(dof/2, 4, 0, dof/(dof + 8·r)) */
static void test_tails(void)
{
    static const double log10_p[] = {-21.5878311515721324, -242.393925986998608, -2476.67398520965556};
    static const size_t replicates[] = {21, 201, 2001};
    for (size_t i = 0; i < 3; i++) {
        struct strd_anova set;
        struct group groups[9];
        struct anova anova = {.log10_p = 0};
        generate(1000000000000, replicates[i], &set);
        for (size_t t = 0; t < 9; t++)
            group_of_moments(&set.moments[t], &groups[t]);
        anova_one_way(groups, 9, &anova);
        is_real(anova.log10_p, log10_p[i], 1e-13, "the log10 p of SmLs07, 08 and 09");
    }
}

static bool same_values(const struct real_moments *a, const struct real_moments *b)
{
    uint64_t left[MOMENTS_WORDS], right[MOMENTS_WORDS];
    moments_to_words(&a->fixed, left);
    moments_to_words(&b->fixed, right);
    return !a->wide && !b->wide && a->exponent == b->exponent && memcmp(left, right, sizeof left) == 0;
}

/* The formula reproduces the files that are here. */
static void test_generator(void)
{
    static const char *const names[] = {"anova/SmLs01", "anova/SmLs04", "anova/SmLs07"};
    static const int64_t bases[] = {1, 1000000, 1000000000000};
    for (size_t i = 0; i < 3; i++) {
        struct strd_anova file, made;
        if (!strd_there(names[i]))
            continue;
        bool same = strd_anova_read(names[i], &file) == 0;
        generate(bases[i], 21, &made);
        for (size_t t = 0; t < 9; t++)
            same &= same_values(&file.moments[t], &made.moments[t]);
        same &= file.f == made.f && file.ss_between == made.ss_between && file.ss_within == made.ss_within;
        ok(same, "%s: the formula gives the file's values", names[i]);
    }
}

int main(void)
{
    test_certified();
    test_generator();
    test_generated();
    test_tails();
    return done_testing();
}
