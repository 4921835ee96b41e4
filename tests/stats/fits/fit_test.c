#include "tests/stats/fit_cases.h"

static void is_dependent(const char *y, const char *const *x, size_t columns, struct fit_options options, size_t term,
                         const char *what)
{
    struct fit fit = {.n = 42};
    size_t dependent = 42;
    enum stats_status status = fit_text(y, x, columns, options, &fit, &dependent);
    ok(status == STATS_DEPENDENT && fit.n == 42, "%s: %s", what, stats_status_text(status));
    is_u64(dependent, term, "  and the dependent term is reported");
}

static void test_invalid(void)
{
    const char *x[] = {"1 2 3 5", "1 4 9 16", "1 2 3"};
    const char *y = "3 1 4 1";
    struct fit_options options = line;
    refuses(y, x, 0, line, STATS_DOMAIN, "no column");
    options.degree = 0;
    refuses(y, x, 1, options, STATS_DOMAIN, "degree 0");
    options.degree = FIT_DEGREE_MAX + 1;
    refuses(y, x, 1, options, STATS_DOMAIN, "too high a degree");
    options.degree = 2;
    refuses(y, x, 2, options, STATS_DOMAIN, "powers of two columns");
    refuses(y, x + 2, 1, line, STATS_DOMAIN, "columns of different lengths");
    static const double confidences[] = {0, 1, -0.5, 95, NAN, INFINITY};
    for (size_t i = 0; i < sizeof confidences / sizeof *confidences; i++) {
        options = line;
        options.confidence = confidences[i];
        refuses(y, x, 1, options, STATS_DOMAIN, "a confidence out of range");
    }
    refuses("", (const char *[]){""}, 1, line, STATS_TOO_FEW, "no rows");
    refuses("1 2", (const char *[]){"1 2"}, 1, line, STATS_TOO_FEW, "as many rows as terms");
    refuses("1", (const char *[]){"1"}, 1, through_origin, STATS_TOO_FEW, "one row and one term");
    options.confidence = 0.95;
    options.degree = 3;
    refuses(y, x, 1, options, STATS_TOO_FEW, "four rows for a cubic");
    refuses("7 7 7 7", x, 1, line, STATS_CONSTANT, "a constant y");
    refuses("0 0 0 0", x, 1, through_origin, STATS_CONSTANT, "a y of 0 through the origin");
    options.degree = FIT_DEGREE_MAX;
    const char *widest = "1e300 1e-300 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21";
    refuses("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23", &widest, 1, options, STATS_OVERFLOW,
            "their powers to the 20th take too much work");
    refuses("1e300 2e300 4e300", (const char *[]){"1e-300 2e-300 3e-300"}, 1, line, STATS_OVERFLOW, "a slope of 1e600");
    refuses("1e-300 2e-300 4e-300", (const char *[]){"1e300 2e300 3e300"}, 1, line, STATS_OVERFLOW,
            "a slope of 1e-600");
}

static void test_dependent(void)
{
    const char *y = "3 1 4 1 5 9";
    is_dependent(y, (const char *[]){"5 5 5 5 5 5"}, 1, line, 1, "a constant column");
    is_dependent(y, (const char *[]){"0 0 0 0 0 0"}, 1, through_origin, 0, "a column of 0");
    is_dependent(y, (const char *[]){"1 2 3 4 5 7", "2 4 6 8 10 14"}, 2, line, 2, "a column twice");
    is_dependent(y, (const char *[]){"1.1 2 3 4 5 7", "1 0 2 0 3 0", "-3.7 -13 -14 -27 -25 -48"}, 3, line, 3,
                 "z = 1 − 7·x + 3·w");
    is_dependent("7 7 7 7 7 7", (const char *[]){"5 5 5 5 5 5"}, 1, line, 1, "both constant: x is reported");
    struct fit_options quadratic = {.degree = 2, .confidence = 0.95};
    is_dependent(y, (const char *[]){"1 2 1 2 1 2"}, 1, quadratic, 2, "a parabola through two places");
    /* Values that take more than 62 bits, and thirds of them. */
    is_dependent(y, (const char *[]){"1e12 2.3e-13 3e5 4.4 5.1e-3 1e9", "3e12 6.9e-13 9e5 13.2 15.3e-3 3e9"}, 2, line,
                 2, "three times a column of 113 bits");
}

static void is_exact(const struct fit *fit, const double *estimates, const char *what)
{
    bool good = fit->exact && fit->residual_sd == 0 && fit->r2 == 1 && isinf(fit->f) && fit->f > 0 && fit->p == 0 &&
                isinf(fit->log10_p) && fit->log10_p < 0;
    ok(good, "%s: the residual sd is 0, F is infinite", what);
    for (size_t j = 0; j < fit->terms; j++) {
        const struct fit_term *term = &fit->term[j];
        double b = estimates[j], t = b == 0 ? 0 : copysign(HUGE_VAL, b);
        ok(term->estimate == b && !signbit(term->se) && term->se == 0 && term->lo == b && term->hi == b &&
               term->t == t && term->p == (b == 0) && term->log10_p == (b == 0 ? 0 : -HUGE_VAL),
           "%s: term %zu is %g, without error", what, j, b);
    }
}

static void test_exact(void)
{
    struct fit fit;
    if (fits("0.3 0.6 0.9 1.2", (const char *[]){"1 2 3 4"}, 1, line, &fit)) {
        is_exact(&fit, (double[]){0, 0.3}, "y = 0.3·x");
        fit_free(&fit);
    }
    if (fits("-1.1 -1.3 -1.6", (const char *[]){"11 13 16"}, 1, through_origin, &fit)) {
        is_exact(&fit, (double[]){-0.1}, "y = −x/10 through the origin");
        fit_free(&fit);
    }
    if (fits("5 5.1000000000000001 5.2", (const char *[]){"1 2 3"}, 1, line, &fit)) {
        ok(!fit.exact && fit.residual_sd > 0, "one off in the 17th digit is not exact");
        is_real(fit.residual_sd, 8.1649658092772603e-17, 3e-16, "  and its residual sd is √(2/3)·1e-16"); /* by hand */
        fit_free(&fit);
    }
    /* 1 + 3·x, where x and y take more than 62 bits. */
    const char *wide = "1e17 2.5e-15 10 3e-4 0";
    if (fits("300000000000000001 1.0000000000000075 31 1.0009 1", &wide, 1, line, &fit)) {
        is_exact(&fit, (double[]){1, 3}, "y = 1 + 3·x, wide");
        fit_free(&fit);
    }
    if (fits("300000000000000002 1.0000000000000075 31 1.0009 1", &wide, 1, line, &fit)) {
        ok(!fit.exact && fit.residual_sd > 0 && fit.residual_sd < 1e-15, "one off in the 18th digit is not exact");
        fit_free(&fit);
    }
}

static bool same_results(const struct fit *a, const struct fit *b)
{
    bool same = a->terms == b->terms && memcmp(a->term, b->term, a->terms * sizeof *a->term) == 0;
    return same && a->r2 == b->r2 && a->residual_sd == b->residual_sd && a->f == b->f && a->log10_p == b->log10_p;
}

/* Order of rows; a power of ten; a shift of x and of y. */
static void test_invariance(void)
{
    struct fit fit, other;
    const char *y = "2.5 3.25 7 11 1e3", *x = "0.5 1.25 3 8.5 300";
    struct fit_options cubic = {.degree = 3, .confidence = 0.99};
    if (!fits(y, &x, 1, cubic, &fit))
        return;
    if (fits("7 1e3 3.25 2.5 11", (const char *[]){"3 300 1.25 0.5 8.5"}, 1, cubic, &other)) {
        ok(same_results(&fit, &other), "another order of the rows gives the same bits");
        fit_free(&other);
    }
    if (fits("2.5e50 3.25e50 7e50 11e50 1e53", &x, 1, cubic, &other)) {
        is_real(other.term[3].estimate, 1e50 * fit.term[3].estimate, 3e-16, "y·1e50 gives the estimate times 1e50");
        is_real(other.term[3].se, 1e50 * fit.term[3].se, 3e-16, "  and its standard error");
        ok(other.term[3].p == fit.term[3].p && other.r2 == fit.r2 && other.f == fit.f, "  and the same p, r2, F");
        fit_free(&other);
    }
    if (fits("2.5 3.25 7 11 1e3", (const char *[]){"5e-31 125e-32 3e-30 85e-31 3e-28"}, 1, cubic, &other)) {
        is_real(other.term[3].estimate, 1e90 * fit.term[3].estimate, 4e-16,
                "x·1e-30 gives the cubic estimate times 1e90");
        ok(other.term[1].p == fit.term[1].p && other.r2 == fit.r2 && other.f == fit.f, "  and the same p, r2, F");
        fit_free(&other);
    }
    const char *shifted = "1000000000000000.5 1000000000000001.25 1000000000000003 1000000000000008.5 1000000000000300";
    if (fits(y, &shifted, 1, cubic, &other)) {
        ok(memcmp(&other.term[3], &fit.term[3], sizeof fit.term[3]) == 0, "x + 1e15 gives the same cubic term");
        ok(other.r2 == fit.r2 && other.residual_sd == fit.residual_sd && other.f == fit.f, "  and r2, residual sd, F");
        fit_free(&other);
    }
    fit_free(&fit);
}

int main(void)
{
    test_invalid();
    test_dependent();
    test_exact();
    test_invariance();
    return done_testing();
}
