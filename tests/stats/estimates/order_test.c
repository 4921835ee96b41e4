#include "stats/estimates/order.h"

#include "tests/tap.h"

int main(void)
{
    double value = 42, x[] = {3, 1, 2, 10, 7};
    ok(order_quantile(x, 0, 0.5, &value) == STATS_TOO_FEW, "no value has no quantile");
    ok(order_quantile(x, 5, -0.1, &value) == STATS_DOMAIN, "a share below 0 is refused");
    ok(order_quantile(x, 5, 1.1, &value) == STATS_DOMAIN, "a share above 1 is refused");
    ok(order_quantile(x, 5, NAN, &value) == STATS_DOMAIN && value == 42,
       "NaN is refused, and no error writes a result");
    order_sort(x, 5);
    ok(x[0] == 1 && x[1] == 2 && x[2] == 3 && x[3] == 7 && x[4] == 10, "values are sorted");
    /* R 4.2: quantile(c(3,1,2,10,7), c(0,.1,.25,.5,.9,1)) gives 1 1.4 2 3 8.8 10 */
    static const double shares[] = {0, 0.1, 0.25, 0.5, 0.9, 1}, known[] = {1, 1.4, 2, 3, 8.8, 10};
    for (size_t i = 0; i < 6; i++) {
        char what[96];
        snprintf(what, sizeof what, "quantile %g of five values", shares[i]);
        order_quantile(x, 5, shares[i], &value);
        is_real(value, known[i], 1e-15, what);
    }
    order_quantile(x, 4, 0.5, &value);
    is_real(value, 2.5, 0, "the median of an even number of values");
    order_quantile(x, 1, 0.7, &value);
    is_real(value, 1, 0, "one value is each of its quantiles");
    return done_testing();
}
