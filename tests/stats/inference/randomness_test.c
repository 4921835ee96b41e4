#include "stats/inference/randomness.h"

#include <stdlib.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

static const struct randomness_rules rules = {.least_n = 50, .least_spread = 0.1, .alpha = 0.001, .lags = 100};
enum clock { RANDOM, SMALL_SPREAD, FIXED, JITTERED, MOVING, SLOW, ZERO };

/* The next interval of a 10 ms clock in ns; *memory is the clock's. */
static int64_t next(enum clock clock, double *memory)
{
    double before = *memory;
    *memory = rng_uniform();
    switch (clock) {
    case RANDOM:
        return (int64_t)(7e6 + 6e6 * *memory);
    case SMALL_SPREAD:
        return (int64_t)(8.5e6 + 3e6 * *memory);
    case FIXED:
        return (int64_t)(10e6 + 0.1e6 * *memory);
    case JITTERED: /* ticks at n·10 ms, each up to 6 ms late: lag 1 is −0.5 */
        return (int64_t)(10e6 + 6e6 * (*memory - before));
    case MOVING: /* moving average: lag 1 is +0.5 */
        return (int64_t)(7e6 + 3e6 * (*memory + before));
    case SLOW: /* nominally 10 ms, actually 30 */
        return (int64_t)(21e6 + 18e6 * *memory);
    case ZERO:
        return 0;
    }
    return 0;
}

static enum stats_status add(struct randomness *series, int64_t interval)
{
    return randomness_add(series, &interval, 1);
}

static struct randomness *simulate(enum clock clock, size_t n, double stalls, uint64_t cap)
{
    struct randomness *series = NULL;
    double memory = 0.5;
    randomness_new(100, cap, &series);
    for (size_t i = 0; i < n; i++)
        add(series, next(clock, &memory) + (rng_uniform() < stalls ? (int64_t)(500e6 * rng_uniform()) : 0));
    return series;
}

static unsigned count_verdicts(enum clock clock, double stalls, uint64_t cap, enum randomness_verdict verdict)
{
    unsigned count = 0;
    for (int i = 0; i < 100; i++) {
        struct randomness_result result;
        struct randomness *series = simulate(clock, 2000, stalls, cap);
        count += randomness_judge(series, &rules, &result) == STATS_OK && result.verdict == verdict;
        randomness_free(series);
    }
    return count;
}

static void test_invalid(void)
{
    struct randomness *series = NULL;
    struct randomness_result result = {.lag1 = 42};
    struct randomness_rules bad = rules;
    ok(randomness_new(0, 0, &series) == STATS_DOMAIN && !series, "no lags are refused");
    series = simulate(RANDOM, 1, 0, 0);
    ok(randomness_judge(series, &rules, &result) == STATS_TOO_FEW, "one interval can't be judged");
    ok(add(series, -1) == STATS_DOMAIN, "intervals below 0 are refused");
    randomness_free(series);
    series = simulate(RANDOM, 49, 0, 0);
    bad.alpha = 1;
    ok(randomness_judge(series, &bad, &result) == STATS_DOMAIN, "alpha 1 is refused");
    bad = rules;
    bad.lags = 101;
    ok(randomness_judge(series, &bad, &result) == STATS_DOMAIN, "more lags than the series has are refused");
    ok(result.lag1 == 42, "  and no error writes a result");
    ok(!randomness_judge(series, &rules, &result) && result.verdict == RANDOMNESS_TOO_FEW && !result.correlated,
       "49 intervals have figures, but no verdict");
    randomness_free(series);
    series = NULL;
    randomness_new(5, 0, &series);
    add(series, INT64_MAX);
    for (int i = 0; i < 60; i++)
        add(series, INT64_MAX / (2 + i % 7));
    bad = rules;
    bad.lags = 5;
    ok(!randomness_judge(series, &bad, &result) && result.verdict == RANDOMNESS_TOO_LARGE,
       "intervals that are too large are reported");
    randomness_free(series);
}

/* 100 clocks of each kind, 2000 intervals each; the random ones may be rejected once in 1000. */
static void test_verdicts(void)
{
    const uint64_t cap = 20000000;
    ok(count_verdicts(RANDOM, 0, cap, RANDOMNESS_RANDOM) >= 98, "10 ± 3 ms is random");
    ok(count_verdicts(RANDOM, 0.01, cap, RANDOMNESS_RANDOM) >= 98, "  also with long stalls");
    ok(count_verdicts(SMALL_SPREAD, 0, cap, RANDOMNESS_RANDOM) >= 98, "10 ± 1.5 ms is random");
    ok(count_verdicts(FIXED, 0, cap, RANDOMNESS_PERIODIC) == 100, "10 ± 0.05 ms is periodic");
    ok(count_verdicts(FIXED, 0.05, cap, RANDOMNESS_PERIODIC) == 100, "  also with long stalls");
    ok(count_verdicts(FIXED, 0.05, 0, RANDOMNESS_PERIODIC) == 100, "  whether they are capped or not");
    ok(count_verdicts(JITTERED, 0, cap, RANDOMNESS_CORRELATED) == 100, "a fixed clock with much jitter is correlated");
    ok(count_verdicts(JITTERED, 0.01, cap, RANDOMNESS_CORRELATED) == 100, "  also with long stalls");
    ok(count_verdicts(JITTERED, 0.01, 0, RANDOMNESS_CORRELATED) < 50, "  which would hide it if they were not capped");
    ok(count_verdicts(MOVING, 0.01, cap, RANDOMNESS_CORRELATED) == 100, "positive correlation is found, too");
    ok(count_verdicts(SLOW, 0, cap, RANDOMNESS_RANDOM) >= 98,
       "a clock that is always above the cap is judged without a cap");
    ok(count_verdicts(ZERO, 0, cap, RANDOMNESS_PERIODIC) == 100, "intervals of 0 are periodic");
}

static bool same(struct randomness *a, struct randomness *b)
{
    size_t count = randomness_word_count(a);
    if (count != randomness_word_count(b))
        return false;
    uint64_t *words = malloc(2 * count * sizeof *words);
    randomness_to_words(a, words);
    randomness_to_words(b, words + count);
    bool equal = memcmp(words, words + count, count * sizeof *words) == 0;
    free(words);
    return equal;
}

static struct randomness *of(const int64_t *x, size_t n)
{
    struct randomness *series = NULL;
    randomness_new(30, 20000000, &series);
    randomness_add(series, x, n / 2);
    randomness_add(series, x + n / 2, n - n / 2);
    return series;
}

static void test_merge(void)
{
    int64_t x[200];
    double memory = 0;
    for (size_t i = 0; i < 200; i++)
        x[i] = i == 90 ? 300000000 : next(RANDOM, &memory); /* one interval above the cap */
    struct randomness *whole = of(x, 200), *loaded = NULL;
    unsigned equal = 0;
    for (size_t split = 0; split <= 200; split++) {
        struct randomness *a = of(x, split), *b = of(x + split, 200 - split);
        equal += randomness_merge(a, b) == STATS_OK && same(a, whole);
        randomness_free(a);
        randomness_free(b);
    }
    is_u64(equal, 201, "series that are split anywhere and merged give the same bits");
    is_u64(randomness_capped(whole), 1, "one interval is capped");
    size_t count = randomness_word_count(whole);
    uint64_t *words = malloc(count * sizeof *words);
    randomness_to_words(whole, words);
    ok(!randomness_from_words(words, count, &loaded) && same(loaded, whole), "words that were written are read");
    unsigned crashed = 0, accepted = 0;
    for (size_t i = 0; i < count; i++) {
        struct randomness *damaged = NULL;
        struct randomness_result result;
        struct randomness_rules few = rules;
        few.lags = 30;
        words[i] ^= 0x8000000000000001u;
        if (!randomness_from_words(words, count, &damaged)) {
            accepted++;
            if (randomness_judge(damaged, &few, &result) == STATS_OK && !result.correlated)
                crashed += !isfinite(result.lag1) || !isfinite(result.test.q);
        }
        randomness_free(damaged);
        words[i] ^= 0x8000000000000001u;
    }
    ok(crashed == 0 && accepted < count, "damaged words are refused or harmless: %u of %zu accepted", accepted, count);
    free(words);
    randomness_free(whole);
    randomness_free(loaded);
}

int main(void)
{
    test_invalid();
    test_verdicts();
    test_merge();
    return done_testing();
}
