/*
 * fit_strd_test.c - the linear sets of the NIST Statistical Reference Datasets,
 * https://www.itl.nist.gov/div898/strd/lls/lls.shtml: data and certified values are read from NIST's files
 * (strd_file.h). A result passes if it prints as the certified value with all of its 15 digits, or with the last digit
 * one off, which "certified to 15 digits" permits.
 */
#include "stats/fits/fit.h"

#include "tests/stats/series_of.h"
#include "tests/stats/strd_file.h"
#include "tests/tap.h"

enum { TERMS_MAX = 11, COLUMNS_MAX = 7 };

struct strd_linear {
    double estimate[TERMS_MAX], se[TERMS_MAX], residual_sd, r2, f;
    unsigned terms, lowest;            /* B0 or B1 */
    double tolerance;                  /* in units of the 15th digit */
    struct series column[COLUMNS_MAX]; /* y, then x */
    size_t columns;
};

/* A coefficient's line: "B3  -1127.9  227.2". */
static void read_term(struct strd_linear *set, const char *line)
{
    unsigned number;
    double estimate, se;
    if (sscanf(line, " B%u %lf %lf", &number, &estimate, &se) != 3 || set->terms == TERMS_MAX)
        return;
    if (set->terms == 0)
        set->lowest = number;
    set->estimate[set->terms] = estimate;
    set->se[set->terms++] = se;
}

static void read_statistic(struct strd_linear *set, const char *line)
{
    double value;
    if (sscanf(line, " Standard Deviation %lf", &value) == 1)
        set->residual_sd = value;
    if (sscanf(line, " R-Squared %lf", &value) == 1)
        set->r2 = value;
    if (sscanf(line, " Regression %*u %*f %*f %lf", &value) == 1)
        set->f = value;
}

static void read_data(struct strd_linear *set, char *line)
{
    size_t column = 0;
    for (char *save, *cell = strtok_r(line, " \r\n", &save); cell && column < COLUMNS_MAX;
         cell = strtok_r(NULL, " \r\n", &save))
        series_add_text(&set->column[column++], cell, strlen(cell));
    set->columns = column;
}

static bool read_set(const char *name, struct strd_linear *set)
{
    char line[256];
    unsigned first = 0, last = 0, number = 0;
    *set = (struct strd_linear){.residual_sd = NAN, .tolerance = 0.501};
    FILE *file = strd_open(name);
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        number++;
        sscanf(line, " Data (lines %u to %u)", &first, &last);
        if (first && number >= first && number <= last)
            read_data(set, line);
        else
            read_term(set, line), read_statistic(set, line);
    }
    fclose(file);
    return set->terms && set->columns > 1;
}

static void free_set(struct strd_linear *set)
{
    for (size_t i = 0; i < set->columns; i++)
        series_free(&set->column[i]);
}

/* Whether they agree to `tolerance` units of the 15th digit; *worst keeps the largest relative error. */
static bool agrees(double got, double certified, double tolerance, double *worst)
{
    if (certified == 0 || isinf(certified))
        return got == certified;
    double error = fabs(got / certified - 1), unit = pow(10, floor(log10(fabs(certified))) - 14);
    *worst = error > *worst ? error : *worst;
    return fabs(got - certified) <= tolerance * unit;
}

static void check_set(const char *name, const struct strd_linear *set, size_t n)
{
    const struct series *x[COLUMNS_MAX];
    for (size_t i = 1; i < set->columns; i++)
        x[i - 1] = &set->column[i];
    unsigned degree = set->columns == 2 ? set->terms - 1 + set->lowest : 1;
    struct fit_options options = {.degree = degree, .no_intercept = set->lowest == 1, .confidence = 0.95};
    struct fit fit = {0};
    size_t dependent;
    enum stats_status status = fit_least_squares(&set->column[0], x, set->columns - 1, options, &fit, &dependent);
    if (!ok(!status && fit.terms == set->terms && fit.n == n, "%s: %u terms are fitted to %zu rows", name, set->terms,
            n))
        return;
    double worst = 0;
    unsigned good = 0;
    for (size_t j = 0; j < fit.terms; j++) {
        bool both = agrees(fit.term[j].estimate, set->estimate[j], set->tolerance, &worst) &
                    agrees(fit.term[j].se, set->se[j], set->tolerance, &worst);
        if (!both)
            printf("# B%zu: got %.17g ± %.17g\n", j + set->lowest, fit.term[j].estimate, fit.term[j].se);
        good += both;
    }
    is_u64(good, set->terms, "  coefficients and standard errors are NIST's");
    ok(agrees(fit.residual_sd, set->residual_sd, set->tolerance, &worst), "  residual sd");
    ok(agrees(fit.r2, set->r2, set->tolerance, &worst), "R-squared%s", fit.intercept ? "" : ", uncentred");
    ok(agrees(fit.f, set->f, set->tolerance, &worst), "  F");
    ok(fit.exact == (set->residual_sd == 0), "  the fit is exact if NIST's is");
    printf("# %s: largest relative error %.2g\n", name, worst);
    fit_free(&fit);
}

static void test_files(void)
{
    static const struct {
        const char *name;
        size_t n;
    } sets[] = {{"linreg/Norris", 36},  {"linreg/NoInt1", 11},   {"linreg/Filip", 82},
                {"linreg/Longley", 16}, {"linreg/Wampler1", 21}, {"linreg/Wampler4", 21}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct strd_linear set;
        if (!strd_there(sets[i].name))
            continue;
        if (ok(read_set(sets[i].name, &set), "NIST %s is read", sets[i].name))
            check_set(sets[i].name, &set, sets[i].n);
        free_set(&set);
    }
}

/*
 * Wampler 2, 3 and 5 from the definitions in Wampler 1970, DOI 10.1080/01621459.1970.10481086, x = 0 … 20:
 * y2 = Σ (x/10)^k; y3 = y1 + e and y5 = y1 + 10^4·e with the errors e = (y4 − y1)/100 of Wampler 4. As e is orthogonal
 * to the polynomials, the standard errors are those certified for Wampler 4 divided by 100 or multiplied by it.
 */
static void make_wampler(unsigned number, const struct strd_linear *w1, const struct strd_linear *w4,
                         struct strd_linear *set)
{
    *set = (struct strd_linear){.terms = 6, .columns = 2, .f = HUGE_VAL, .r2 = 1, .tolerance = 1.01};
    for (size_t i = 0; i <= 20; i++) {
        int64_t x = (int64_t)i, y1 = w1->column[0].fixed[i], error = (w4->column[0].fixed[i] - y1) / 100;
        int64_t y2 = 100000 + x * (10000 + x * (1000 + x * (100 + x * (10 + x)))), factor = number == 3 ? 1 : 10000;
        struct decimal y = number == 2 ? (struct decimal){y2, -5} : (struct decimal){y1 + factor * error, 0};
        series_must(series_append(&set->column[0], &y, 1), "append");
        series_add_integer(&set->column[1], x);
    }
    double scale = number == 2 ? 0 : number == 3 ? 0.01 : 100;
    for (size_t j = 0; j < 6; j++) {
        set->estimate[j] = number == 2 ? pow(10, -(double)j) : 1;
        set->se[j] = scale * w4->se[j];
    }
    set->residual_sd = scale * w4->residual_sd;
    if (number == 2)
        return;
    /* From the regression's sum of squares, 18814317208116.7 in both files, and e ⊥ the polynomials. */
    double explained = 18814317208116.7, residual = 15 * set->residual_sd * set->residual_sd;
    set->r2 = explained / (explained + residual);
    set->f = explained / 5 / (residual / 15);
}

static void test_wampler(void)
{
    struct strd_linear w1, w4;
    if (!strd_there("linreg/Wampler1") || !strd_there("linreg/Wampler4") ||
        !ok(read_set("linreg/Wampler1", &w1) && read_set("linreg/Wampler4", &w4), "Wampler 1 and 4 are read"))
        return;
    for (unsigned number = 2; number <= 5; number += number == 2 ? 1 : 2) {
        struct strd_linear set;
        char name[16];
        snprintf(name, sizeof name, "Wampler%u", number);
        make_wampler(number, &w1, &w4, &set);
        check_set(name, &set, 21);
        free_set(&set);
    }
    free_set(&w1);
    free_set(&w4);
}

/* NoInt2 is x = 4, 5, 6, y = 3, 4, 4. By hand: Σxy/Σx² = 56/77, Σr² = 41 − 56²/77 = 3/11, se² = (3/22)/77. */
static void test_noint2(void)
{
    struct strd_linear set = {.terms = 1, .lowest = 1, .columns = 2, .estimate = {8 / 11.0}, .tolerance = 0.5};
    set.se[0] = sqrt(3 / 22.0 / 77);
    set.residual_sd = sqrt(3 / 22.0);
    set.r2 = 56.0 * 56 / 77 / 41;
    set.f = 56.0 * 56 / 77 / (3 / 22.0);
    set.column[0] = series_of("3 4 4");
    set.column[1] = series_of("4 5 6");
    check_set("NoInt2", &set, 3);
    free_set(&set);
}

int main(void)
{
    test_files();
    test_wampler();
    test_noint2();
    return done_testing();
}
