#include "stats/inference/anova.h"

#include <math.h>
#include <quadmath.h>

#include "stats/distributions/tail.h"

/* Σ w_i·d_i / Σ w_i and Σ w_i (d_i − that)², d_i = mean − mean of the first group: their common part cancels before
 * squaring, and equal means give exactly 0. */
static void anova_weighted_spread(const struct group *groups, size_t count, __float128 (*weight)(const struct group *),
                                  __float128 *squares)
{
    __float128 total = 0, center = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        total += weight(&groups[i]);
        center += weight(&groups[i]) * group_difference(&groups[0], &groups[i]);
    }
    center /= total;
    for (size_t i = 0; i < count; i++) {
        __float128 offset = group_difference(&groups[0], &groups[i]) - center;
        sum += weight(&groups[i]) * offset * offset;
    }
    *squares = sum;
}

static __float128 anova_weigh_by_n(const struct group *group)
{
    return (__float128)group->n;
}

static __float128 anova_weigh_by_sem(const struct group *group)
{
    return (__float128)group->n / group_variance(group);
}

/* All values, if there are two groups and each has at least `least`. */
static enum stats_status anova_count_values(const struct group *groups, size_t count, uint64_t least, uint64_t *n)
{
    uint64_t total = 0;
    if (count < 2)
        return STATS_TOO_FEW;
    for (size_t i = 0; i < count; i++) {
        if (groups[i].n < least)
            return STATS_TOO_FEW;
        if (groups[i].n > MOMENTS_N_MAX - total)
            return STATS_OVERFLOW;
        total += groups[i].n;
    }
    *n = total;
    return STATS_OK;
}

struct squares {
    __float128 between, within;
};

/* The figures that are rounded from the sums of squares; f apart. */
static enum stats_status anova_round_squares(const struct squares *ss, __float128 dof_between, __float128 dof_within,
                                             struct anova *anova)
{
    __float128 total = ss->between + ss->within, mean_square = ss->within / dof_within;
    struct {
        __float128 value;
        double *to;
    } figures[] = {{ss->between, &anova->ss_between},
                   {ss->within, &anova->ss_within},
                   {ss->between / dof_between, &anova->ms_between},
                   {mean_square, &anova->ms_within},
                   {ss->between / total, &anova->eta2},
                   {(ss->between - dof_between * mean_square) / (total + mean_square), &anova->omega2},
                   {sqrtq(mean_square), &anova->residual_sd}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        enum stats_status status = group_to_double(figures[i].value, figures[i].to);
        if (status)
            return status;
    }
    return STATS_OK;
}

static enum stats_status anova_test_f(__float128 f, double dof_between, double dof_within, double *rounded, double *p,
                                      double *log10_p)
{
    struct tail tail;
    enum stats_status status = group_to_double(f, rounded);
    if (!status)
        status = tail_f(*rounded, dof_between, dof_within, &tail);
    if (status)
        return status;
    *p = tail.p;
    *log10_p = tail.log10_p;
    return STATS_OK;
}

enum stats_status anova_one_way(const struct group *groups, size_t count, struct anova *out)
{
    struct anova anova = {.groups = count, .f = INFINITY, .p = 0, .log10_p = -INFINITY};
    enum stats_status status = anova_count_values(groups, count, 1, &anova.n);
    if (status)
        return status;
    if (anova.n <= count)
        return STATS_TOO_FEW;
    struct squares ss = {0, 0};
    anova_weighted_spread(groups, count, anova_weigh_by_n, &ss.between);
    for (size_t i = 0; i < count; i++)
        ss.within += groups[i].deviations;
    if (ss.between == 0 && ss.within == 0)
        return STATS_CONSTANT;
    __float128 dof_between = (__float128)(count - 1), dof_within = (__float128)(anova.n - count);
    anova.dof_between = (double)dof_between;
    anova.dof_within = (double)dof_within;
    status = anova_round_squares(&ss, dof_between, dof_within, &anova);
    if (!status && ss.within > 0)
        status = anova_test_f(ss.between / dof_between / (ss.within / dof_within), anova.dof_between, anova.dof_within,
                              &anova.f, &anova.p, &anova.log10_p);
    if (!status)
        *out = anova;
    return status;
}

enum stats_status anova_welch(const struct group *groups, size_t count, struct anova_welch *out)
{
    struct anova_welch welch = {.groups = count};
    enum stats_status status = anova_count_values(groups, count, 2, &welch.n);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        if (groups[i].deviations == 0)
            return STATS_CONSTANT;
    __float128 k = (__float128)count, squares;
    /* Λ of the header. */
    __float128 total = 0, lambda = 0;
    for (size_t i = 0; i < count; i++)
        total += anova_weigh_by_sem(&groups[i]);
    for (size_t i = 0; i < count; i++) {
        __float128 rest = 1 - anova_weigh_by_sem(&groups[i]) / total;
        lambda += rest * rest / (__float128)(groups[i].n - 1);
    }
    anova_weighted_spread(groups, count, anova_weigh_by_sem, &squares);
    welch.dof_between = (double)(count - 1);
    welch.dof_within = (double)((k * k - 1) / (3 * lambda));
    __float128 f = squares / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * lambda);
    status = anova_test_f(f, welch.dof_between, welch.dof_within, &welch.f, &welch.p, &welch.log10_p);
    if (!status)
        *out = welch;
    return status;
}
