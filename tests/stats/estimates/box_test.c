#include "stats/estimates/box.h"

#include <float.h>

#include "tests/tap.h"

enum { MANY = 100000 };

static void test_invalid(void)
{
    struct box box = {.n = 42};
    const double infinite[] = {1, 2, INFINITY}, nan[] = {1, NAN, 2}, huge[] = {-DBL_MAX, DBL_MAX};
    ok(box_tukey(infinite, 0, &box) == STATS_TOO_FEW, "no values have no quartiles");
    ok(box_sd(infinite, 1, &box) == STATS_TOO_FEW, "one value has no sd");
    ok(box_sd(infinite, 0, &box) == STATS_TOO_FEW, "  nor have no values");
    ok(box_tukey(infinite, 3, &box) == STATS_DOMAIN, "Tukey's box: infinity is refused");
    ok(box_tukey(nan, 3, &box) == STATS_DOMAIN, "Tukey's box: NaN is refused");
    ok(box_sd(infinite, 3, &box) == STATS_DOMAIN, "box by sd: infinity is refused");
    ok(box_sd(nan, 3, &box) == STATS_DOMAIN, "box by sd: NaN is refused");
    ok(box_sd(huge, 2, &box) == STATS_OVERFLOW, "an edge beyond a double is an overflow");
    ok(box.n == 42, "  and no error writes a result");
}

static void is_box(const struct box *box, const double expected[5], double tolerance, const char *what)
{
    static const char *const parts[] = {"lower whisker", "lower edge", "middle", "upper edge", "upper whisker"};
    const double got[] = {box->whisker_low, box->low, box->middle, box->high, box->whisker_high};
    for (size_t i = 0; i < 5; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s: %s", what, parts[i]);
        is_real(got[i], expected[i], tolerance, name);
    }
}

static void test_tukey(void)
{
    struct box box;
    double x[101];
    for (size_t i = 0; i < 100; i++)
        x[i] = (double)(i + 1);
    x[100] = 1000;
    /* R's own example: boxplot.stats(c(1:100, 1000))$stats; hinges and type 7 agree at n = 4k + 1 */
    ok(!box_tukey(x, 101, &box) && box.n == 101, "R's example of boxplot.stats() has a box");
    is_box(&box, (const double[]){1, 26, 51, 76, 100}, 0, "R's example");
    /* R: quantile(1:10, type = 7) gives 3.25 5.5 7.75 */
    box_tukey(x, 10, &box);
    is_box(&box, (const double[]){1, 3.25, 5.5, 7.75, 10}, 0, "1 to 10");
    box_tukey(x, 2, &box);
    is_box(&box, (const double[]){1, 1.25, 1.5, 1.75, 2}, 0, "two values");
    box_tukey(x, 1, &box);
    is_box(&box, (const double[]){1, 1, 1, 1, 1}, 0, "one value");
    /* by hand: quartiles 2, 3, 4; 4 + 1.5·2 = 7 */
    box_tukey((const double[]){1, 2, 3, 4, 7}, 5, &box);
    is_box(&box, (const double[]){1, 2, 3, 4, 7}, 0, "a value exactly 1.5 box lengths away is not an outlier");
    box_tukey((const double[]){-8, 2, 3, 4, 7.0000001}, 5, &box);
    is_box(&box, (const double[]){2, 2, 3, 4, 4}, 0, "a value slightly farther away is one");
    /* by hand: low = (−100 + 3·10)/4 = −17.5, and −17.5 − 1.5·27.5 > −100 */
    box_tukey((const double[]){-100, 10, 10, 10}, 4, &box);
    is_box(&box, (const double[]){-17.5, -17.5, 10, 10, 10}, 0, "no whisker reaches into the box");
    box_tukey((const double[]){-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, 5, &box);
    is_box(&box, (const double[]){-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, 0, "the whole range of a double");
}

static void test_sd(void)
{
    struct box box;
    static double same[MANY];
    const double known[] = {2, 4, 4, 4, 5, 5, 7, 9}, far[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    /* by hand: mean 5, squares 32, sd = √(32/7) = 2.138089935299395 */
    ok(!box_sd(known, 8, &box) && box.n == 8, "eight values have a box by sd");
    is_box(&box, (const double[]){2.861910064700605, 2.861910064700605, 5, 7.138089935299395, 7.138089935299395}, 1e-15,
           "eight values have a box by sd");
    /* by hand: mean 10, squares 36 + 9 + 9 + 36 = 90, sd = √30 = 5.477225575051661 */
    box_sd(far, 4, &box);
    is_real(box.middle - 1e9, 10, 0, "values far from 0: the mean");
    is_real(box.high - 1e9, 15.477225575051661, 1e-7, "  the upper edge");
    is_real(box.low - 1e9, 4.522774424948339, 1e-7, "  the lower edge");
    for (size_t i = 0; i < MANY; i++)
        same[i] = 0.1;
    box_sd(same, MANY, &box);
    is_box(&box, (const double[]){0.1, 0.1, 0.1, 0.1, 0.1}, 0, "equal values");
}

int main(void)
{
    test_invalid();
    test_tukey();
    test_sd();
    return done_testing();
}
