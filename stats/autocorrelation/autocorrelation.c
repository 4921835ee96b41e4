#include "stats/autocorrelation/autocorrelation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distributions/tail.h"
#include "stats/exact/dot.h"

/* Values wait until there are this many; then one pass per lag runs over cached data. */
enum { BLOCK = DOT_NARROW_N };

struct autocorrelation {
    size_t lags;
    struct moments moments; /* of all values, including waiting ones */
    size_t past;            /* values at the start of window[] whose products are summed: the last min(n, lags) */
    size_t waiting;         /* values after them */
    wide_u128 *products;    /* [lags]: Σ x_i·x_{i+k} at k−1, modulo 2^128 */
    int64_t *first;         /* [lags]: the first min(n, lags) values */
    int64_t *window;        /* [lags + BLOCK] */
};

enum stats_status autocorrelation_new(size_t lags, struct autocorrelation **out)
{
    if (lags < 1 || lags > AUTOCORRELATION_LAGS_MAX)
        return STATS_DOMAIN;
    struct autocorrelation *state = calloc(1, sizeof *state);
    if (!state)
        return STATS_NO_MEMORY;
    state->lags = lags;
    state->products = calloc(lags, sizeof *state->products);
    state->first = calloc(lags, sizeof *state->first);
    state->window = calloc(lags + BLOCK, sizeof *state->window);
    if (!state->products || !state->first || !state->window) {
        autocorrelation_free(state);
        return STATS_NO_MEMORY;
    }
    *out = state;
    return STATS_OK;
}

void autocorrelation_free(struct autocorrelation *state)
{
    if (!state)
        return;
    free(state->products);
    free(state->first);
    free(state->window);
    free(state);
}

enum stats_status autocorrelation_copy(struct autocorrelation *from, struct autocorrelation **out)
{
    struct autocorrelation *copy;
    enum stats_status status = autocorrelation_new(from->lags, &copy);
    if (status)
        return status;
    status = autocorrelation_merge(copy, from);
    if (status)
        autocorrelation_free(copy);
    else
        *out = copy;
    return status;
}

static size_t autocorrelation_smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

static void autocorrelation_flush(struct autocorrelation *state)
{
    if (state->waiting == 0)
        return;
    /* Adds the products of x[past … past+added) with the values before them. */
    const int64_t *x = state->window;
    size_t past = state->past;
    size_t added = state->waiting;
    bool narrow = dot_is_narrow(x, past + added);
    for (size_t lag = 1; lag <= state->lags && lag < past + added; lag++) {
        size_t start = lag > past ? lag : past;
        size_t count = past + added - start;
        state->products[lag - 1] +=
            narrow ? dot_narrow(x + start, x + start - lag, count) : dot_wide(x + start, x + start - lag, count);
    }
    size_t held = state->past + state->waiting, kept = autocorrelation_smaller(held, state->lags);
    memmove(state->window, state->window + held - kept, kept * sizeof *state->window);
    state->past = kept;
    state->waiting = 0;
}

void autocorrelation_add(struct autocorrelation *state, const int64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (state->moments.n < state->lags)
            state->first[state->moments.n] = x[i];
        moments_add_signed(&state->moments, x[i]);
        state->window[state->past + state->waiting++] = x[i];
        if (state->waiting == BLOCK)
            autocorrelation_flush(state);
    }
}

enum stats_status autocorrelation_merge(struct autocorrelation *state, struct autocorrelation *other)
{
    if (state->lags != other->lags)
        return STATS_DOMAIN;
    struct moments joined = state->moments;
    enum stats_status status = moments_merge(&joined, &other->moments);
    if (status)
        return status;
    autocorrelation_flush(state);
    autocorrelation_flush(other);
    for (size_t k = 0; k < state->lags; k++)
        state->products[k] += other->products[k];
    /* Adds products of a value of state (its last ones) with one of other (its first ones), which neither has
     * summed. */
    size_t there = autocorrelation_smaller(other->moments.n, state->lags);
    for (size_t lag = 1; lag <= state->lags; lag++)
        for (size_t i = lag > state->past ? lag - state->past : 0; i < lag && i < there; i++)
            state->products[lag - 1] += (wide_u128)((wide_i128)state->window[state->past + i - lag] * other->first[i]);
    for (uint64_t i = state->moments.n; i < state->lags && i - state->moments.n < other->moments.n; i++)
        state->first[i] = other->first[i - state->moments.n];
    size_t kept = autocorrelation_smaller(state->lags - other->past, state->past);
    memmove(state->window, state->window + state->past - kept, kept * sizeof *state->window);
    memcpy(state->window + kept, other->window, other->past * sizeof *state->window);
    state->past = kept + other->past;
    state->moments = joined;
    return STATS_OK;
}

size_t autocorrelation_lags(const struct autocorrelation *state)
{
    return state->lags;
}

const struct moments *autocorrelation_moments(const struct autocorrelation *state)
{
    return &state->moments;
}

/* n²·Σ(x_i − x̄)(x_{i+k} − x̄) = n²·Σx_i·x_{i+k} − n·T·(A + B) + (n−k)·T²; A, B: sums of all but the last, first k. */
static struct wide autocorrelation_centred_product(const struct moments *moments, wide_i128 product, wide_i128 ends,
                                                   size_t lag)
{
    wide_i128 n = (wide_i128)moments->n, total = moments->sum;
    struct wide sum = wide_multiply(n * n, product);
    sum = wide_subtract(sum, wide_multiply(n * total, 2 * total - ends));
    return wide_add(sum, wide_multiply((n - (wide_i128)lag) * total, total));
}

enum stats_status autocorrelation_r(struct autocorrelation *state, size_t lags, double *r)
{
    const struct moments *moments = &state->moments;
    if (lags < 1 || lags > state->lags)
        return STATS_DOMAIN;
    if (moments->n <= lags)
        return STATS_TOO_FEW;
    /* n·max|x|² < 2^127, and n·Σx < 2^127 with it: then all sums below fit. */
    wide_i128 magnitude = -moments->min > moments->max ? -moments->min : moments->max;
    if (moments->n > AUTOCORRELATION_N_MAX)
        return STATS_OVERFLOW;
    wide_u128 square = (wide_u128)magnitude * (wide_u128)magnitude;
    if (square > (((wide_u128)1 << 127) - 1) / moments->n)
        return STATS_OVERFLOW;
    if (moments->min == moments->max)
        return STATS_CONSTANT;
    autocorrelation_flush(state);
    __float128 variance = wide_to_quad(autocorrelation_centred_product(moments, (wide_i128)moments->squares_low, 0, 0));
    wide_i128 ends = 0; /* the first k and the last k values */
    for (size_t k = 1; k <= lags; k++) {
        ends += (wide_i128)state->first[k - 1] + state->window[state->past - k];
        struct wide product = autocorrelation_centred_product(moments, (wide_i128)state->products[k - 1], ends, k);
        r[k - 1] = (double)(wide_to_quad(product) / variance);
    }
    return STATS_OK;
}

enum stats_status autocorrelation_ljung_box(struct autocorrelation *state, size_t lags, struct ljung_box *out)
{
    if (lags < 1 || lags > state->lags)
        return STATS_DOMAIN;
    double *r = malloc(lags * sizeof *r);
    if (!r)
        return STATS_NO_MEMORY;
    enum stats_status status = autocorrelation_r(state, lags, r);
    if (!status)
        status = autocorrelation_ljung_box_of(r, lags, state->moments.n, out);
    free(r);
    return status;
}

enum stats_status autocorrelation_ljung_box_of(const double *r, size_t lags, uint64_t n, struct ljung_box *out)
{
    if (lags < 1 || n <= lags)
        return STATS_TOO_FEW;
    long double sum = 0, count = (long double)n;
    for (size_t k = 1; k <= lags; k++) {
        if (!(fabs(r[k - 1]) <= 1))
            return STATS_DOMAIN;
        sum += (long double)r[k - 1] * r[k - 1] / (count - (long double)k);
    }
    double q = (double)(count * (count + 2) * sum);
    struct tail tail;
    enum stats_status status = tail_chi_square(q, (double)lags, &tail);
    if (status)
        return status;
    *out = (struct ljung_box){.q = q, .dof = lags, .p = tail.p, .log10_p = tail.log10_p};
    return STATS_OK;
}

size_t autocorrelation_lags_for(uint64_t n, size_t wanted)
{
    size_t most = n / 5 > SIZE_MAX ? SIZE_MAX : (size_t)(n / 5);
    size_t lags = wanted < most ? wanted : most;
    return lags > 0 ? lags : 1;
}

/* Words: lags, the moments, two per product, the first values, the last values. */
size_t autocorrelation_word_count(struct autocorrelation *state)
{
    return 1 + MOMENTS_WORDS + 2 * state->lags + 2 * autocorrelation_smaller(state->moments.n, state->lags);
}

void autocorrelation_to_words(struct autocorrelation *state, uint64_t *words)
{
    autocorrelation_flush(state);
    *words++ = state->lags;
    moments_to_words(&state->moments, words);
    words += MOMENTS_WORDS;
    for (size_t k = 0; k < state->lags; k++, words += 2)
        wide_to_words(state->products[k], words);
    memcpy(words, state->first, state->past * sizeof *words);
    memcpy(words + state->past, state->window, state->past * sizeof *words);
}

enum stats_status autocorrelation_from_words(const uint64_t *words, size_t count, struct autocorrelation **out)
{
    struct moments moments;
    if (count < 1 + MOMENTS_WORDS || moments_from_words(words + 1, &moments))
        return STATS_DOMAIN;
    if (words[0] < 1 || words[0] > AUTOCORRELATION_LAGS_MAX || moments.max > INT64_MAX)
        return STATS_DOMAIN;
    struct autocorrelation *state;
    enum stats_status status = autocorrelation_new(words[0], &state);
    if (status)
        return status;
    state->moments = moments;
    if (count != autocorrelation_word_count(state)) {
        autocorrelation_free(state);
        return STATS_DOMAIN;
    }
    words += 1 + MOMENTS_WORDS;
    for (size_t k = 0; k < state->lags; k++, words += 2)
        state->products[k] = wide_from_words(words);
    state->past = autocorrelation_smaller(moments.n, state->lags);
    memcpy(state->first, words, state->past * sizeof *words);
    memcpy(state->window, words + state->past, state->past * sizeof *words);
    *out = state;
    return STATS_OK;
}
