/* rank_counted_test.c - values with counts have the ranks of the same values written out, which rank_test.c checks
 * against R. */
#include "stats/inference/rank_counted.h"

#include <stdlib.h>

#include "tests/tap.h"

enum { GROUPS = 4, DISTINCT = 12, COUNT_MAX = 9 };

static void test_written_out(void)
{
    double *x[GROUPS];
    struct rank_value values[GROUPS][DISTINCT];
    struct rank_group groups[GROUPS];
    struct rank_counted counted[GROUPS];
    for (size_t g = 0; g < GROUPS; g++) {
        x[g] = malloc(DISTINCT * COUNT_MAX * sizeof(double));
        size_t n = 0;
        for (size_t i = 0; i < DISTINCT; i++) {
            values[g][i] = (struct rank_value){(double)((i * 7 + g * g) % 17), 1 + (i + g) % COUNT_MAX};
            for (size_t k = 0; k < values[g][i].count; k++)
                x[g][n++] = values[g][i].value;
        }
        groups[g] = (struct rank_group){x[g], n};
        counted[g] = (struct rank_counted){values[g], DISTINCT};
    }
    struct kruskal_wallis expected, got;
    ok(rank_kruskal_wallis(groups, GROUPS, &expected) == STATS_OK, "values written out have a test");
    ok(rank_kruskal_wallis_counted(counted, GROUPS, &got) == STATS_OK, "  and so have values with counts");
    is_real(got.h, expected.h, 1e-14, "  with the same H");
    is_real(got.log10_p, expected.log10_p, 1e-13, "  the same log10 p");
    ok(got.n == expected.n && got.groups == GROUPS && got.dof == GROUPS - 1 && got.ties,
       "  and the same n, groups, dof and ties");
    for (size_t g = 0; g < GROUPS; g++)
        free(x[g]);
}

static void test_many(void)
{
    /* All values of one group are below all of the other: R̄ differ by N/2, H = 3N²/(4(N+1)) · 1/(1−Σ(t³−t)/(N³−N)) =
     * N−1 here. */
    const struct rank_value low = {1, UINT64_C(500000000)}, high = {2, UINT64_C(500000000)};
    const struct rank_counted groups[] = {{&low, 1}, {&high, 1}};
    struct kruskal_wallis found;
    ok(rank_kruskal_wallis_counted(groups, 2, &found) == STATS_OK, "1e9 values have a test");
    is_real(found.h, 999999999, 1e-12, "  with the right H");
}

static void test_invalid(void)
{
    const struct rank_value one = {1, 3}, nan = {NAN, 1}, too_many = {1, RANK_N_MAX};
    const struct rank_counted good = {&one, 1}, empty = {&one, 0};
    struct kruskal_wallis found = {.h = 42};
    ok(rank_kruskal_wallis_counted(&good, 1, &found) == STATS_TOO_FEW, "one group is refused");
    ok(rank_kruskal_wallis_counted((const struct rank_counted[]){good, empty}, 2, &found) == STATS_TOO_FEW,
       "an empty group is refused");
    ok(rank_kruskal_wallis_counted((const struct rank_counted[]){good, good}, 2, &found) == STATS_CONSTANT,
       "equal values are refused");
    ok(rank_kruskal_wallis_counted((const struct rank_counted[]){good, {&nan, 1}}, 2, &found) == STATS_DOMAIN,
       "NaN is refused");
    ok(rank_kruskal_wallis_counted((const struct rank_counted[]){good, {&too_many, 1}}, 2, &found) == STATS_OVERFLOW,
       "too many values are an overflow");
    ok(found.h == 42, "  and no error writes a result");
}

int main(void)
{
    test_written_out();
    test_many();
    test_invalid();
    return done_testing();
}
