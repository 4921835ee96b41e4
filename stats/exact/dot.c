#include "stats/exact/dot.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

bool dot_is_narrow(const int64_t *x, size_t n)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits |= (uint64_t)x[i];
    return bits < (uint64_t)1 << 28;
}

wide_u128 dot_wide(const int64_t *a, const int64_t *b, size_t n)
{
    wide_u128 sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (wide_u128)((wide_i128)a[i] * b[i]);
    return sum;
}

static uint64_t dot_plain(const int64_t *a, const int64_t *b, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)a[i] * (uint64_t)b[i];
    return sum;
}

void dot_split_set(struct dot_split vector, size_t i, uint64_t value)
{
    uint64_t low = value & (((uint64_t)1 << 28) - 1), high = value >> 28;
    vector.limbs[i] = high << 32 | low;
    vector.apart[i] = (int64_t)low - (int64_t)high;
}

static uint64_t dot_join_limbs(uint64_t limbs)
{
    return (limbs >> 32 << 28) + (uint32_t)limbs;
}

static void dot_split_plain(struct dot_split vector, size_t a, size_t b, size_t n, wide_u128 sums[DOT_SPLIT_LAGS])
{
    for (size_t lag = 0; lag < DOT_SPLIT_LAGS; lag++) {
        wide_u128 sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (wide_u128)dot_join_limbs(vector.limbs[a + i]) * dot_join_limbs(vector.limbs[b + i - lag]);
        sums[lag] = sum;
    }
}

#ifdef __x86_64__

/* Compilers don't recognize that a 64-bit product of small values is one vpmuludq. */
__attribute__((target("avx2"))) static uint64_t dot_avx2(const int64_t *a, const int64_t *b, size_t n)
{
    __m256i sums[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t half = 0; half < 2; half++) {
            __m256i left = _mm256_loadu_si256((const __m256i *)(const void *)(a + i + 4 * half));
            __m256i right = _mm256_loadu_si256((const __m256i *)(const void *)(b + i + 4 * half));
            sums[half] = _mm256_add_epi64(sums[half], _mm256_mul_epu32(left, right));
        }
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *)(void *)lanes, _mm256_add_epi64(sums[0], sums[1]));
    return lanes[0] + lanes[1] + lanes[2] + lanes[3] + dot_plain(a + i, b + i, n - i);
}

uint64_t dot_narrow(const int64_t *a, const int64_t *b, size_t n)
{
    if (__builtin_cpu_supports("avx2"))
        return dot_avx2(a, b, n);
    __m128i sums[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t half = 0; half < 2; half++) {
            __m128i left = _mm_loadu_si128((const __m128i *)(const void *)(a + i + 2 * half));
            __m128i right = _mm_loadu_si128((const __m128i *)(const void *)(b + i + 2 * half));
            sums[half] = _mm_add_epi64(sums[half], _mm_mul_epu32(left, right));
        }
    uint64_t lanes[2];
    _mm_storeu_si128((__m128i *)(void *)lanes, _mm_add_epi64(sums[0], sums[1]));
    return lanes[0] + lanes[1] + dot_plain(a + i, b + i, n - i);
}

/* Sums of one lag: 64 products of 56 bits per lane don't overflow, nor do their combinations below. */
struct lanes {
    __m256i low, high, apart;
};

__attribute__((target("avx2"), always_inline)) static inline __m256i dot_load_lanes(const void *address)
{
    return _mm256_loadu_si256(address);
}

__attribute__((target("avx2"), always_inline)) static inline void
add_products(struct lanes *lanes, const struct lanes *left, const uint64_t *limbs, const int64_t *apart)
{
    __m256i high = dot_load_lanes((const char *)limbs + 4); /* half an element further: the high limb in the low half */
    lanes->low = _mm256_add_epi64(lanes->low, _mm256_mul_epu32(left->low, dot_load_lanes(limbs)));
    lanes->high = _mm256_add_epi64(lanes->high, _mm256_mul_epu32(left->high, high));
    lanes->apart = _mm256_add_epi64(lanes->apart, _mm256_mul_epi32(left->apart, dot_load_lanes(apart)));
}

__attribute__((target("avx2"))) static wide_u128 dot_sum_lanes(__m256i lanes)
{
    uint64_t lane[4];
    _mm256_storeu_si256((__m256i *)(void *)lane, lanes);
    return (wide_u128)lane[0] + lane[1] + lane[2] + lane[3];
}

/* low·low' + high·high' − (low − high)(low' − high') are the mixed products. */
__attribute__((target("avx2"))) static wide_u128 dot_combine_lanes(const struct lanes *lanes)
{
    __m256i mixed = _mm256_sub_epi64(_mm256_add_epi64(lanes->low, lanes->high), lanes->apart);
    return dot_sum_lanes(lanes->low) + (dot_sum_lanes(mixed) << 28) + (dot_sum_lanes(lanes->high) << 56);
}

__attribute__((target("avx2"))) static void dot_split_avx2(struct dot_split vector, size_t a, size_t b, size_t n,
                                                           wide_u128 sums[DOT_SPLIT_LAGS])
{
    __m256i zero = _mm256_setzero_si256();
    struct lanes none = {zero, zero, zero}, first = none, second = none, third = none;
    const uint64_t *limbs = vector.limbs + b;
    const int64_t *apart = vector.apart + b;
    for (size_t i = 0; i < n; i += 4) {
        __m256i left = dot_load_lanes(vector.limbs + a + i);
        struct lanes of_left = {left, _mm256_srli_epi64(left, 32), dot_load_lanes(vector.apart + a + i)};
        add_products(&first, &of_left, limbs + i, apart + i);
        add_products(&second, &of_left, limbs + i - 1, apart + i - 1);
        add_products(&third, &of_left, limbs + i - 2, apart + i - 2);
    }
    sums[0] = dot_combine_lanes(&first);
    sums[1] = dot_combine_lanes(&second);
    sums[2] = dot_combine_lanes(&third);
}

void dot_split(struct dot_split vector, size_t a, size_t b, size_t n, wide_u128 sums[DOT_SPLIT_LAGS])
{
    if (__builtin_cpu_supports("avx2"))
        dot_split_avx2(vector, a, b, n, sums);
    else
        dot_split_plain(vector, a, b, n, sums);
}

#else

uint64_t dot_narrow(const int64_t *a, const int64_t *b, size_t n)
{
    return dot_plain(a, b, n);
}

void dot_split(struct dot_split vector, size_t a, size_t b, size_t n, wide_u128 sums[DOT_SPLIT_LAGS])
{
    dot_split_plain(vector, a, b, n, sums);
}

#endif
