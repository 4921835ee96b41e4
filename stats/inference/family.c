#include "stats/inference/family.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool family_parse(const char *text, enum family_method *method)
{
    bool holm = strcmp(text, "holm") == 0;
    if (!holm && strcmp(text, "bh") != 0)
        return false;
    *method = holm ? FAMILY_HOLM : FAMILY_BENJAMINI_HOCHBERG;
    return true;
}

const char *family_name(enum family_method method)
{
    return method == FAMILY_HOLM ? "Holm" : "Benjamini and Hochberg";
}

static int family_compare_tests(const void *a, const void *b)
{
    double x = (*(const struct tail *const *)a)->log10_p, y = (*(const struct tail *const *)b)->log10_p;
    return (x > y) - (x < y);
}

/* factor ≥ 1 times p, at most 1. Near 1 the product, elsewhere the sum of logarithms, has the digits of the result. */
static struct tail family_multiply(const struct tail *test, double factor)
{
    struct tail product = {test->p * factor, test->log10_p};
    if (factor > 1)
        product.log10_p = product.p > DBL_MIN ? log10(product.p) : test->log10_p + log10(factor);
    return product.p < 1 && product.log10_p < 0 ? product : (struct tail){1, 0};
}

enum stats_status family_adjust(enum family_method method, const struct tail *tests, size_t count,
                                struct tail *adjusted)
{
    if (count < 1)
        return STATS_TOO_FEW;
    for (size_t i = 0; i < count; i++)
        if (!(tests[i].p >= 0 && tests[i].p <= 1 && tests[i].log10_p <= 0))
            return STATS_DOMAIN;
    const struct tail **order = malloc(count * sizeof *order);
    if (!order)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        order[i] = &tests[i];
    qsort(order, count, sizeof *order, family_compare_tests);
    struct tail bound = {0, -INFINITY}; /* the largest so far, or from the other end the smallest */
    if (method == FAMILY_BENJAMINI_HOCHBERG)
        bound = (struct tail){1, 0};
    for (size_t step = 0; step < count; step++) {
        size_t at = method == FAMILY_HOLM ? step : count - 1 - step;
        double factor = method == FAMILY_HOLM ? (double)(count - at) : (double)count / (double)(at + 1);
        struct tail product = family_multiply(order[at], factor);
        if (method == FAMILY_HOLM ? product.log10_p > bound.log10_p : product.log10_p < bound.log10_p)
            bound = product;
        adjusted[order[at] - tests] = bound;
    }
    free(order);
    return STATS_OK;
}
