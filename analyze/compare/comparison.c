#include "analyze/compare/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "stats/estimates/order.h"
#include "stats/exact/real_moments.h"
#include "stats/inference/compare.h"
#include "stats/inference/paired.h"
#include "stats/inference/paired_effect.h"
#include "stats/inference/rank.h"

static_assert(RATIO_RESAMPLES == 10000, "the names of the methods say so");

enum stats_status comparison_side_init(struct comparison_side *side, const struct series *series)
{
    struct real_moments moments;
    *side = (struct comparison_side){.n = series->n, .series = series, .sd = NAN};
    side->x = malloc((series->n ? series->n : 1) * sizeof *side->x);
    if (!side->x)
        return STATS_NO_MEMORY;
    series_to_sorted(series, side->x);
    enum stats_status status = order_quantile(side->x, side->n, 0.5, &side->median);
    series_to_doubles(series, side->x);
    real_moments_of_series(series, &moments);
    if (!status)
        status = group_of_moments(&moments, &side->group);
    if (!status)
        status = real_moments_mean(&moments, &side->mean);
    return status || side->n < 2 ? status : real_moments_sd(&moments, &side->sd);
}

void comparison_side_free(struct comparison_side *side)
{
    free(side->x);
    side->x = NULL;
}

bool comparison_is_of_pairs(enum comparison_method method)
{
    return method >= COMPARISON_PAIRED_T;
}

bool comparison_has_medians(enum comparison_method method)
{
    return method == COMPARISON_MANN_WHITNEY || method == COMPARISON_WILCOXON || method == COMPARISON_SIGN;
}

/* ------------------------------------------------------------------------------------------ tests -- */

/* Compares a with factor · b. */
struct tails {
    struct tail less, greater, both;
};

static enum stats_status comparison_rank_tails(const struct comparison_side *a, const struct comparison_side *b,
                                               double factor, bool *exact, struct tails *out)
{
    struct mann_whitney found;
    double *scaled = malloc(b->n * sizeof *scaled);
    if (!scaled)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < b->n; i++)
        scaled[i] = factor * b->x[i];
    enum stats_status status =
        rank_mann_whitney(&(struct rank_group){a->x, a->n}, &(struct rank_group){scaled, b->n}, &found);
    free(scaled);
    if (status)
        return status;
    *exact = found.method == RANK_EXACT;
    *out = (struct tails){found.less, found.greater, {found.p, found.log10_p}};
    return STATS_OK;
}

static enum stats_status comparison_welch_tails(const struct comparison_side *a, const struct comparison_side *b,
                                                double factor, double confidence, struct tails *out)
{
    struct welch_t found;
    struct group scaled = b->group;
    if (factor != 1) {
        scaled.mean *= (__float128)factor;
        scaled.deviations *= (__float128)factor * (__float128)factor;
    }
    enum stats_status status = compare_welch(&a->group, &scaled, confidence, &found);
    if (!status)
        status = tail_t(-found.t, found.dof, &out->less);
    if (!status)
        status = tail_t(found.t, found.dof, &out->greater);
    out->both = (struct tail){found.p, found.log10_p};
    return status;
}

static enum stats_status comparison_paired_tails(const struct comparison_side *a, const struct comparison_side *b,
                                                 double factor, enum comparison_method method, struct comparison *found,
                                                 struct tails *out)
{
    struct paired pairs;
    struct paired_test test;
    enum stats_status status = paired_of_series(a->series, b->series, &pairs);
    if (status)
        return status;
    status = method == COMPARISON_PAIRED_T   ? paired_t(&pairs, factor, &test)
             : method == COMPARISON_WILCOXON ? paired_wilcoxon(&pairs, factor, &test)
                                             : paired_sign(&pairs, factor, &test);
    paired_free(&pairs);
    if (status)
        return status;
    found->exact = method == COMPARISON_WILCOXON && test.exact;
    found->zeros = factor == 1 ? test.zeros : found->zeros;
    *out = (struct tails){test.less, test.greater, test.both};
    return STATS_OK;
}

static enum stats_status comparison_find_tails(const struct comparison_side *a, const struct comparison_side *b,
                                               double factor, const struct comparison_request *request,
                                               struct comparison *found, struct tails *out)
{
    if (comparison_is_of_pairs(request->method))
        return comparison_paired_tails(a, b, factor, request->method, found, out);
    if (request->method == COMPARISON_MANN_WHITNEY)
        return comparison_rank_tails(a, b, factor, &found->exact, out);
    if (request->method == COMPARISON_WELCH || !(found->center_baseline > 0))
        return comparison_welch_tails(a, b, factor, request->confidence, out);
    struct ratio_tails tails;
    enum stats_status status = ratio_bootstrap_test((struct ratio_sample){a->x, a->n},
                                                    (struct ratio_sample){b->x, b->n}, RATIO_RESAMPLES, factor, &tails);
    if (status)
        return status;
    double both = fmin(2 * fmin(tails.less, tails.greater), 1);
    *out = (struct tails){{tails.less, log10(tails.less)}, {tails.greater, log10(tails.greater)}, {both, log10(both)}};
    return STATS_OK;
}

static enum stats_status comparison_test(const struct comparison_side *a, const struct comparison_side *b,
                                         const struct comparison_request *request, struct comparison *found,
                                         struct tail *p)
{
    struct tails tails, lower;
    bool equivalent = request->question == COMPARISON_EQUIVALENT;
    enum stats_status status =
        comparison_find_tails(a, b, equivalent ? 1 + request->margin : 1, request, found, &tails);
    if (!status && equivalent)
        status = comparison_find_tails(a, b, 1 / (1 + request->margin), request, found, &lower);
    if (status)
        return status;
    if (equivalent) {
        *p = tails.less.log10_p > lower.greater.log10_p ? tails.less : lower.greater;
        const struct tail *beyond = tails.greater.log10_p < lower.less.log10_p ? &tails.greater : &lower.less;
        found->above = beyond == &tails.greater;
        found->outside_p = beyond->log10_p < log10(0.5) ? (struct tail){2 * beyond->p, beyond->log10_p + log10(2)}
                                                        : (struct tail){1, 0};
        return STATS_OK;
    }
    found->above = tails.greater.log10_p < tails.less.log10_p;
    *p = request->question == COMPARISON_LESS      ? tails.less
         : request->question == COMPARISON_GREATER ? tails.greater
                                                   : tails.both;
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ the ratio -- */

static enum stats_status comparison_find_interval(const struct comparison_side *a, const struct comparison_side *b,
                                                  const struct comparison_request *request, double *low, double *high)
{
    struct ratio found;
    struct ratio_side x = {a->n, a->mean, a->sd}, y = {b->n, b->mean, b->sd};
    enum stats_status status;
    if (request->method == COMPARISON_MANN_WHITNEY)
        return rank_ratio_interval(&(struct rank_group){a->x, a->n}, &(struct rank_group){b->x, b->n},
                                   request->confidence, low, high);
    if (a->n < 2 || b->n < 2)
        return STATS_TOO_FEW;
    status = request->method == COMPARISON_WELCH
                 ? ratio_fieller(x, y, request->confidence, &found)
                 : ratio_bootstrap((struct ratio_sample){a->x, a->n}, (struct ratio_sample){b->x, b->n},
                                   RATIO_RESAMPLES, request->confidence, &found);
    if (status)
        return status;
    *low = found.low;
    *high = found.high;
    return STATS_OK;
}

/* Values that are not above 0 have no ratio by ranks or signs. */
static enum stats_status comparison_find_paired_ratio(const struct comparison_side *a, const struct comparison_side *b,
                                                      const struct comparison_request *request,
                                                      struct comparison *found)
{
    struct paired pairs;
    enum comparison_method method = request->method;
    enum stats_status status = paired_of_series(a->series, b->series, &pairs);
    if (status)
        return status;
    status = method == COMPARISON_PAIRED_T
                 ? paired_t_ratio(&pairs, request->confidence, &found->ratio, &found->no_interval)
             : method == COMPARISON_WILCOXON
                 ? paired_wilcoxon_ratio(&pairs, request->confidence, &found->ratio, &found->no_interval)
                 : paired_sign_ratio(&pairs, request->confidence, &found->ratio, &found->no_interval);
    paired_free(&pairs);
    if (status == STATS_DOMAIN)
        found->no_interval = status;
    return status == STATS_DOMAIN ? STATS_OK : status;
}

static enum stats_status comparison_find_ratio(const struct comparison_side *a, const struct comparison_side *b,
                                               const struct comparison_request *request, struct comparison *found)
{
    bool medians = comparison_has_medians(request->method);
    found->center = medians ? a->median : a->mean;
    found->center_baseline = medians ? b->median : b->mean;
    if (!(found->center >= 0) || !(found->center_baseline >= 0))
        return STATS_DOMAIN;
    found->ratio = (struct ratio){NAN, NAN, NAN};
    found->no_interval = STATS_DOMAIN;
    if (found->center_baseline == 0)
        return STATS_OK;
    if (comparison_is_of_pairs(request->method))
        return comparison_find_paired_ratio(a, b, request, found);
    found->ratio.ratio = found->center / found->center_baseline;
    enum stats_status status = medians ? STATS_OK : group_to_double(a->group.mean / b->group.mean, &found->ratio.ratio);
    if (!status && !isfinite(found->ratio.ratio))
        status = STATS_OVERFLOW;
    if (status)
        return status;
    found->no_interval = comparison_find_interval(a, b, request, &found->ratio.low, &found->ratio.high);
    if (!medians && found->ratio.low == found->ratio.high) /* no spread at all */
        found->ratio.low = found->ratio.high = found->ratio.ratio;
    return found->no_interval == STATS_NO_MEMORY ? STATS_NO_MEMORY : STATS_OK;
}

static bool comparison_is_constant(const struct comparison_side *side)
{
    for (size_t i = 1; i < side->n; i++)
        if (side->x[i] != side->x[0])
            return false;
    return side->n > 0;
}

static bool comparison_has_equal_pairs(const struct comparison_side *a, const struct comparison_side *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->x[i] != b->x[i])
            return false;
    return a->n > 0;
}

struct comparison comparison_none(void)
{
    return (struct comparison){.center = NAN,
                               .center_baseline = NAN,
                               .ratio = {NAN, NAN, NAN},
                               .p = NAN,
                               .log10_p = NAN,
                               .family = {NAN, NAN},
                               .no_interval = STATS_TOO_FEW,
                               .no_test = STATS_TOO_FEW,
                               .outside_p = {1, 0},
                               .effect = {NAN, NAN, NAN, STATS_OK}};
}

static enum stats_status comparison_find_paired_effect(const struct comparison_side *a, const struct comparison_side *b,
                                                       const struct comparison_request *request, struct effect *effect)
{
    struct paired pairs;
    enum stats_status status = paired_of_series(a->series, b->series, &pairs);
    if (status)
        return status;
    status = request->effect == COMPARISON_GAV  ? paired_effect_gav(&pairs, request->confidence, effect)
             : request->effect == COMPARISON_GZ ? paired_effect_gz(&pairs, request->confidence, effect)
                                                : paired_effect_rank(&pairs, request->confidence, effect);
    paired_free(&pairs);
    return status;
}

/* Without an effect size, its status says why. Only missing memory is a failure. */
static enum stats_status comparison_find_effect(const struct comparison_side *a, const struct comparison_side *b,
                                                const struct comparison_request *request, struct effect *effect)
{
    *effect = (struct effect){NAN, NAN, NAN, STATS_OK};
    if (request->effect == COMPARISON_NO_EFFECT)
        return STATS_OK;
    enum stats_status status = request->effect >= COMPARISON_GAV ? comparison_find_paired_effect(a, b, request, effect)
                               : request->effect == COMPARISON_G
                                   ? effect_hedges_g(&a->group, &b->group, request->confidence, effect)
                                   : effect_cliff_delta(&(struct rank_group){a->x, a->n},
                                                        &(struct rank_group){b->x, b->n}, request->confidence, effect);
    if (status)
        effect->no_interval = status;
    else if (request->effect == COMPARISON_A12)
        *effect = effect_a12(effect);
    return status == STATS_NO_MEMORY ? status : STATS_OK;
}

enum stats_status comparison_make(const struct comparison_side *a, const struct comparison_side *b,
                                  const struct comparison_request *request, struct comparison *out)
{
    struct comparison found = comparison_none();
    struct tail p = {NAN, NAN};
    enum stats_status status = comparison_find_ratio(a, b, request, &found);
    if (!status)
        status = comparison_find_effect(a, b, request, &found.effect);
    if (status)
        return status;
    const bool constant = comparison_is_constant(a) && comparison_is_constant(b);
    found.same =
        comparison_is_of_pairs(request->method) ? comparison_has_equal_pairs(a, b) : constant && a->x[0] == b->x[0];
    found.constant = request->exact && (constant || found.same);
    if (found.constant) {
        found.ratio.low = found.ratio.high = NAN;
        found.no_test = found.no_interval = STATS_CONSTANT;
        found.above = a->x[0] > b->x[0];
        *out = found;
        return STATS_OK;
    }
    found.no_test = comparison_test(a, b, request, &found, &p);
    if (found.no_test == STATS_NO_MEMORY || found.no_test == STATS_OVERFLOW)
        return found.no_test;
    if (!found.no_test) {
        found.p = p.p;
        found.log10_p = p.log10_p;
    }
    *out = found;
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ verdicts -- */

/* Without a margin the values decide; with one, their ratio, up to its rounding. */
static enum comparison_result comparison_decide_constant(const struct comparison *found,
                                                         const struct comparison_request *request)
{
    const double bound = (1 + request->margin) * (1 + 1e-12);
    if (request->question == COMPARISON_DIFFERS)
        return found->same ? COMPARISON_SAME : found->above ? COMPARISON_ABOVE : COMPARISON_BELOW;
    if (request->question != COMPARISON_EQUIVALENT)
        return COMPARISON_NO_RESULT;
    return found->center > found->center_baseline * bound   ? COMPARISON_ABOVE
           : found->center * bound < found->center_baseline ? COMPARISON_BELOW
                                                            : COMPARISON_WITHIN;
}

enum comparison_result comparison_decide(const struct comparison *found, const struct comparison_request *request)
{
    const double log10_p = isnan(found->family.log10_p) ? found->log10_p : found->family.log10_p;
    const double level = log10(1 - request->confidence);
    if (found->constant || (found->same && request->question == COMPARISON_DIFFERS))
        return comparison_decide_constant(found, request);
    if (found->no_test)
        return request->question == COMPARISON_EQUIVALENT ? COMPARISON_UNDECIDED : COMPARISON_NO_RESULT;
    const bool shown = log10_p < level;
    const enum comparison_result side = found->above ? COMPARISON_ABOVE : COMPARISON_BELOW;
    switch (request->question) {
    case COMPARISON_EQUIVALENT:
        return shown ? COMPARISON_WITHIN : found->outside_p.log10_p < level ? side : COMPARISON_UNDECIDED;
    case COMPARISON_LESS:
        return shown ? COMPARISON_BELOW : COMPARISON_UNDECIDED;
    case COMPARISON_GREATER:
        return shown ? COMPARISON_ABOVE : COMPARISON_UNDECIDED;
    default:
        return shown ? side : COMPARISON_UNDECIDED;
    }
}

const char *comparison_verdict(enum comparison_result result, const struct comparison_request *request,
                               enum direction_kind kind)
{
    static const char *const words[][2] = {
        [DIRECTION_TIMES] = {"faster", "slower"},  [DIRECTION_RATES] = {"slower", "faster"},
        [DIRECTION_SIZES] = {"smaller", "larger"}, [DIRECTION_AMOUNTS] = {"less", "more"},
        [DIRECTION_SCORES] = {"worse", "better"},  [DIRECTION_COSTS] = {"better", "worse"},
    };
    switch (result) {
    case COMPARISON_SAME:
        return "no difference";
    case COMPARISON_WITHIN:
        return "equivalent";
    case COMPARISON_UNDECIDED:
        return request->question == COMPARISON_EQUIVALENT ? "undecided" : "no difference shown";
    case COMPARISON_BELOW:
    case COMPARISON_ABOVE:
        return words[kind][result == COMPARISON_ABOVE];
    default:
        return NULL;
    }
}

const char *comparison_label(const struct comparison *found, const struct comparison_request *request)
{
    static const char *const labels[][4] = {
        {"Welch t, Fieller", "Welch t (less), Fieller", "Welch t (greater), Fieller", "Welch t (equivalence), Fieller"},
        {"BCa, 10000 resamples", "BCa (less), 10000 resamples", "BCa (greater), 10000 resamples",
         "BCa (equivalence), 10000 resamples"},
        {"Mann-Whitney (normal)", "Mann-Whitney (normal, less)", "Mann-Whitney (normal, greater)",
         "Mann-Whitney (normal, equivalence)"},
        {"paired t", "paired t (less)", "paired t (greater)", "paired t (equivalence)"},
        {"Wilcoxon (normal)", "Wilcoxon (normal, less)", "Wilcoxon (normal, greater)",
         "Wilcoxon (normal, equivalence)"},
        {"sign test", "sign test (less)", "sign test (greater)", "sign test (equivalence)"},
        {"Mann-Whitney (exact)", "Mann-Whitney (exact, less)", "Mann-Whitney (exact, greater)",
         "Mann-Whitney (exact, equivalence)"},
        {"Wilcoxon (exact)", "Wilcoxon (exact, less)", "Wilcoxon (exact, greater)", "Wilcoxon (exact, equivalence)"}};
    enum { EXACT_MANN_WHITNEY = COMPARISON_SIGN + 1, EXACT_WILCOXON };
    int row = !found->exact                                ? (int)request->method
              : request->method == COMPARISON_MANN_WHITNEY ? EXACT_MANN_WHITNEY
                                                           : EXACT_WILCOXON;
    if (found->constant)
        return "exact values";
    return labels[row][request->question];
}

const char *comparison_effect_label(enum comparison_effect effect, double value)
{
    static const char *const at_the_end[COMPARISON_EFFECTS] = {[COMPARISON_CLIFF] = "Cliff's delta, Wilson",
                                                               [COMPARISON_A12] = "A12, Wilson",
                                                               [COMPARISON_RANK] = "rank-biserial, Wilson"};
    static const char *const labels[] = {
        [COMPARISON_G] = "Hedges' g, noncentral t",    [COMPARISON_CLIFF] = "Cliff's delta, Feng-Cliff",
        [COMPARISON_A12] = "A12, Feng-Cliff",          [COMPARISON_GAV] = "Hedges' g_av, noncentral t",
        [COMPARISON_GZ] = "Hedges' g_z, noncentral t", [COMPARISON_RANK] = "rank-biserial, Fisher z"};
    bool ends = fabs(value) == 1 || (effect == COMPARISON_A12 && value == 0);
    return ends && at_the_end[effect] ? at_the_end[effect] : labels[effect];
}
