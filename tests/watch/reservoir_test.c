/*
 * reservoir_test.c - which sample holds a register. Expected values by hand: with one register, the k-th of n samples
 * holds it at the end with probability 1/n (JXPerf §5.2), and its weight is n.
 */
#include "collect/watch/reservoir.h"

#include <math.h>

#include "tests/tap.h"

enum { ROUNDS = 20000, SAMPLES = 8 };

/* Counts how often each of SAMPLES samples is held at the end by any of `count` registers. Returns the mean sum of
 * weights. */
static double hold(size_t count, enum reservoir_policy policy, unsigned held[SAMPLES])
{
    struct rng rng;
    double weights = 0;
    rng_init(&rng, 1, count);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct reservoir reservoir;
        int holder[RESERVOIR_MAX] = {-1, -1, -1, -1};
        reservoir_init(&reservoir, count, policy);
        for (int sample = 0; sample < SAMPLES; sample++) {
            bool replaced;
            int index = reservoir_offer(&reservoir, &rng, &replaced);
            if (index != RESERVOIR_NONE)
                holder[index] = sample;
        }
        for (size_t i = 0; i < count; i++) {
            held[holder[i]]++;
            weights += reservoir.weight[i];
        }
    }
    return weights / ROUNDS;
}

/* The sum of weights is unbiased for the number of samples; its standard error is below 5 / √20000. */
static void test_weights(void)
{
    for (size_t count = 1; count <= RESERVOIR_MAX; count++) {
        unsigned held[SAMPLES] = {0};
        double mean = hold(count, RESERVOIR_UNIFORM, held);
        ok(fabs(mean - SAMPLES) < 0.2, "%zu registers: weights add up to %g samples, expected %d", count, mean,
           SAMPLES);
    }
}

/* Binomial with n = 20000, p = 1/8: standard deviation 47. */
static void test_uniform(void)
{
    unsigned held[SAMPLES] = {0}, worst = 0;
    hold(1, RESERVOIR_UNIFORM, held);
    for (unsigned i = 0; i < SAMPLES; i++) {
        unsigned off = held[i] > 2500 ? held[i] - 2500 : 2500 - held[i];
        worst = off > worst ? off : worst;
    }
    ok(worst < 250, "one register: each of eight samples is held in 2500 of 20000 rounds, with an error of at most %u",
       worst);
}

static void test_oldest(void)
{
    unsigned held[SAMPLES] = {0};
    double mean = hold(2, RESERVOIR_REPLACE_OLDEST, held);
    ok(held[6] == ROUNDS && held[7] == ROUNDS && held[0] == 0, "replace-oldest: the last two are held");
    ok(mean == 2, "  each with weight 1");
}

static void test_release(void)
{
    struct reservoir reservoir;
    struct rng rng;
    bool replaced;
    rng_init(&rng, 3, 0);
    reservoir_init(&reservoir, 1, RESERVOIR_UNIFORM);
    ok(reservoir_offer(&reservoir, &rng, &replaced) == 0 && !replaced, "the first sample gets the free register");
    for (int i = 0; i < 4; i++)
        reservoir_offer(&reservoir, &rng, &replaced);
    double weight = reservoir_release(&reservoir, 0);
    ok(fabs(weight - 5) < 1e-12, "after five samples the one that is held has weight 5: %.17g", weight);
    ok(reservoir_offer(&reservoir, &rng, &replaced) == 0 && reservoir.weight[0] == 1,
       "after a trap the next sample gets the register with weight 1");
}

int main(void)
{
    test_release();
    test_uniform();
    test_weights();
    test_oldest();
    return done_testing();
}
