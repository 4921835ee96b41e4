/* kendall_test.c - Kendall's rank correlation. Expected values: R 4.2, cor(x, y, method = "kendall"), and by hand. */
#include "stats/inference/kendall.h"

#include "tests/tap.h"

int main(void)
{
    const double up[] = {1, 2, 3}, down[] = {3, 2, 1}, flat[] = {2, 2, 2}, bad[] = {1, NAN, 3};
    const double x[] = {1, 2, 3, 4, 5, 5, 7}, y[] = {2, 1, 4, 3, 7, 6, 6};
    double tau = 42;
    ok(kendall_tau(up, down, 1, &tau) == STATS_TOO_FEW, "one value has no order");
    ok(kendall_tau(up, flat, 3, &tau) == STATS_CONSTANT, "  nor have equal values");
    ok(kendall_tau(up, bad, 3, &tau) == STATS_DOMAIN, "NaN is refused");
    ok(tau == 42, "  and no error writes a result");
    ok(kendall_tau(up, up, 3, &tau) == STATS_OK && tau == 1, "tau is 1 for the same order");
    ok(kendall_tau(up, down, 3, &tau) == STATS_OK && tau == -1, "  -1 for the opposite one");
    ok(kendall_tau(x, y, 7, &tau) == STATS_OK && fabs(tau - 0.65) < 1e-15, "  and R's with ties: %.17g", tau);
    return done_testing();
}
