#include "collect/watch/reservoir.h"

void reservoir_init(struct reservoir *reservoir, size_t count, enum reservoir_policy policy)
{
    *reservoir = (struct reservoir){.count = count, .policy = policy};
}

static void reservoir_occupy(struct reservoir *reservoir, int index, double weight)
{
    reservoir->busy[index] = true;
    reservoir->age[index] = reservoir->samples;
    reservoir->weight[index] = weight;
}

/* Sums over the subsets of registers that may come before: each of n positions is equally likely, and so is each
 * subset. */
static double reservoir_chance_before(const double *p, size_t n, size_t self)
{
    double sum[RESERVOIR_MAX] = {1}; /* [k]: elementary symmetric sums of 1 − p over the others */
    double total = 0, subsets = 1;
    size_t others = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == self)
            continue;
        others++;
        for (size_t k = others; k > 0; k--)
            sum[k] += sum[k - 1] * (1 - p[i]);
    }
    for (size_t k = 0; k <= others; k++) {
        total += sum[k] / subsets;
        subsets = subsets * (double)(others - k) / (double)(k + 1);
    }
    return total / (double)n;
}

/* A pass over a full set of registers ends at the first that takes the sample. */
static int reservoir_offer_full(struct reservoir *reservoir, struct rng *rng)
{
    double p[RESERVOIR_MAX], chances[RESERVOIR_MAX]; /* chances: for each register, over all orders */
    size_t order[RESERVOIR_MAX], n = reservoir->count;
    double none = 1;
    int taken = RESERVOIR_NONE;
    for (size_t i = 0; i < n; i++)
        p[i] = 1 / (double)reservoir->offered[i];
    for (size_t i = 0; i < n; i++) {
        chances[i] = p[i] * reservoir_chance_before(p, n, i);
        none *= 1 - p[i];
    }
    for (size_t i = 0; i < n; i++) { /* inside-out shuffle */
        size_t at = (size_t)rng_below(rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; i < n && taken == RESERVOIR_NONE; i++)
        if (rng_below(rng, reservoir->offered[order[i]]) == 0)
            taken = (int)order[i];
    for (size_t i = 0; i < n; i++)
        reservoir->weight[i] /= 1 - chances[i];
    if (taken != RESERVOIR_NONE)
        reservoir_occupy(reservoir, taken, 1 / (1 - none));
    return taken;
}

int reservoir_offer(struct reservoir *reservoir, struct rng *rng, bool *replaced)
{
    int index = RESERVOIR_NONE;
    reservoir->samples++;
    for (size_t i = reservoir->count; i-- > 0;) {
        reservoir->offered[i] += reservoir->busy[i];
        if (!reservoir->busy[i])
            index = (int)i;
    }
    *replaced = index == RESERVOIR_NONE;
    if (index != RESERVOIR_NONE) {
        reservoir->offered[index] = 1;
        reservoir_occupy(reservoir, index, 1);
    } else if (reservoir->policy == RESERVOIR_REPLACE_OLDEST) {
        index = 0;
        for (size_t i = 1; i < reservoir->count; i++)
            if (reservoir->age[i] < reservoir->age[index])
                index = (int)i;
        reservoir_occupy(reservoir, index, 1);
    } else {
        index = reservoir_offer_full(reservoir, rng);
        *replaced = index != RESERVOIR_NONE;
    }
    return index;
}

double reservoir_release(struct reservoir *reservoir, int index)
{
    reservoir->busy[index] = false;
    reservoir->offered[index] = 0;
    return reservoir->weight[index];
}
