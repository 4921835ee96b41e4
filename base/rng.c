#include "base/rng.h"

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t rng_scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t rng_next(struct rng *rng)
{
    return rng_scramble(rng->state += GOLDEN);
}

uint64_t rng_mix(uint64_t a, uint64_t b)
{
    return rng_scramble(rng_scramble(a + GOLDEN) ^ (b * GOLDEN));
}

void rng_init(struct rng *rng, uint64_t seed, uint64_t order)
{
    rng->state = rng_mix(seed, order);
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
    unsigned __int128 product = (unsigned __int128)rng_next(rng) * n;
    uint64_t reject = -n % n; /* 2^64 mod n: this many low words would occur once too often */
    while ((uint64_t)product < reject)
        product = (unsigned __int128)rng_next(rng) * n;
    return (uint64_t)(product >> 64);
}

uint64_t rng_share(struct rng *rng, uint64_t n, uint64_t part, uint64_t whole)
{
    unsigned __int128 product = (unsigned __int128)n * part;
    return (uint64_t)(product / whole) + (rng_below(rng, whole) < (uint64_t)(product % whole));
}

uint64_t rng_interval(struct rng *rng, uint64_t period, uint64_t spread)
{
    return spread == 0 ? period : period - spread + rng_below(rng, 2 * spread + 1);
}

uint64_t rng_first(struct rng *rng, uint64_t period, uint64_t spread)
{
    /* A random moment falls into an interval with probability proportional to its length, uniformly within it. */
    uint64_t interval;
    do {
        interval = rng_interval(rng, period, spread);
    } while (rng_below(rng, period + spread) >= interval);
    return 1 + rng_below(rng, interval);
}

/* artanh(x), |x| ≤ 1/3 for full precision: x + x³/3 + x⁵/5 + ... */
static double rng_area_tangent(double x)
{
    enum { TERMS = 18 };
    double sum = 0, power = x;
    for (unsigned i = 0; i < TERMS; i++, power *= x * x)
        sum += power / (2 * i + 1);
    return sum;
}

uint64_t rng_failures(struct rng *rng, double one_of)
{
    static const double MOST = 1e18;
    if (one_of <= 2) { /* few trials, one by one */
        uint64_t failures = 0;
        while ((double)(rng_next(rng) >> 11) * 0x1p-53 * one_of >= 1)
            failures++;
        return failures;
    }
    /* −ln u of a random number u in (0, 1]. */
    static const double LN_2 = 0.693147180559945309417;
    uint64_t random = rng_next(rng) >> 1;
    unsigned halvings = (unsigned)__builtin_clzll(random | 1) - 1;
    double mantissa = ((double)random + 1) / (double)(UINT64_C(1) << (63 - halvings)) * 2; /* in [1, 2] */
    double exponential = (halvings + 1) * LN_2 - 2 * rng_area_tangent((mantissa - 1) / (mantissa + 1));
    /* ln(1 − 1/one_of) = −2 artanh(1 / (2 one_of − 1)) */
    double failures = exponential / (2 * rng_area_tangent(1 / (2 * one_of - 1)));
    return (uint64_t)(failures < MOST ? failures : MOST);
}
