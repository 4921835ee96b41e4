/*
 * sranf() of USQCD Chroma 3.43, qdp_random.h, line 56 (dissertation, Listing 3.13): a random number generator of a few
 * multiplications is called for every element of a field. Its epilog loads the same values of saved registers each
 * time. After: it is inlined.
 */
#include "case.h"

enum { SITES = 4096, DIGITS = 4, DIGIT_BITS = 12, DIGIT_MASK = (1 << DIGIT_BITS) - 1 };

/* A number of 48 bits in four digits, the lowest first. */
struct chroma_seed {
    int32_t digits[DIGITS];
};

static float field[SITES];

static inline __attribute__((always_inline)) struct chroma_seed chroma_multiply(struct chroma_seed a,
                                                                                struct chroma_seed b)
{
    struct chroma_seed product;
    int32_t carry = 0;
    for (int i = 0; i < DIGITS; i++) {
        int32_t sum = carry;
        for (int j = 0; j <= i; j++)
            sum += a.digits[j] * b.digits[i - j];
        product.digits[i] = sum & DIGIT_MASK;
        carry = sum >> DIGIT_BITS;
    }
    return product;
}

/* Twice the same, so that each form has lines of its own: called, and inlined. */
CASE_EXTERNAL static float chroma_random(struct chroma_seed *seed, struct chroma_seed *skewed,
                                         const struct chroma_seed *factor)
{
    float sum = 0;
    for (int i = 0; i < DIGITS; i++)
        sum = (sum + (float)skewed->digits[i]) / (DIGIT_MASK + 1);
    *seed = chroma_multiply(*seed, *factor);
    *skewed = chroma_multiply(*skewed, *factor);
    return sum;
} /* @blamed */

static inline __attribute__((always_inline)) float
chroma_random_inlined(struct chroma_seed *seed, struct chroma_seed *skewed, const struct chroma_seed *factor)
{
    float sum = 0;
    for (int i = 0; i < DIGITS; i++)
        sum = (sum + (float)skewed->digits[i]) / (DIGIT_MASK + 1);
    *seed = chroma_multiply(*seed, *factor);
    *skewed = chroma_multiply(*skewed, *factor);
    return sum;
}

CASE_NAMED static void chroma_fill_by_call(struct chroma_seed *seed, struct chroma_seed *skewed,
                                           const struct chroma_seed *factor)
{
    for (int i = 0; i < SITES; i++)
        field[i] = chroma_random(seed, skewed, factor); /* @blamed */
}

CASE_NAMED static void chroma_fill_inlined(struct chroma_seed *seed, struct chroma_seed *skewed,
                                           const struct chroma_seed *factor)
{
    for (int i = 0; i < SITES; i++)
        field[i] = chroma_random_inlined(seed, skewed, factor);
}

static double chroma_run(size_t steps,
                         void (*fill)(struct chroma_seed *, struct chroma_seed *, const struct chroma_seed *))
{
    struct chroma_seed seed = {{11, 0, 0, 0}}, skewed = {{11, 7, 5, 3}};
    const struct chroma_seed factor = {{1549, 3352, 1580, 2005}};
    double sum = 0;
    for (size_t step = 0; step < steps; step++) {
        fill(&seed, &skewed, &factor);
        sum += (double)field[step % SITES];
    }
    return sum;
}

static double chroma_before(size_t steps)
{
    return chroma_run(steps, chroma_fill_by_call);
}

static double chroma_after(size_t steps)
{
    return chroma_run(steps, chroma_fill_inlined);
}

const struct waste_case waste_case = {chroma_before, chroma_after};
