#include "stats/dot.h"

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

#ifdef __x86_64__

/* Compilers don't see that a 64-bit product of small values is one vpmuludq. */
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

static uint64_t dot_sse2(const int64_t *a, const int64_t *b, size_t n)
{
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

uint64_t dot_narrow(const int64_t *a, const int64_t *b, size_t n)
{
    return __builtin_cpu_supports("avx2") ? dot_avx2(a, b, n) : dot_sse2(a, b, n);
}

#else

uint64_t dot_narrow(const int64_t *a, const int64_t *b, size_t n)
{
    return dot_plain(a, b, n);
}

#endif
