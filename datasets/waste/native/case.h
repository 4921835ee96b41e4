/*
 * case.h - a program with wasteful memory accesses, in the form before and after it was mended.
 *
 * A case defines `waste_case`; case.c is the main program of all: `CASE before|after STEPS` prints the result, which
 * both forms have in common, and its CPU time in seconds on standard error. The comment `@blamed` marks the lines that
 * correspond to those that the paper blames, or those of planted waste.
 */
#ifndef CASE_H
#define CASE_H

#include <stddef.h>
#include <stdint.h>

/* A function that is in another file in the original, so that the compiler knows nothing of it. */
#if defined __has_attribute
#if __has_attribute(noipa)
#define CASE_EXTERNAL __attribute__((noipa))
#endif
#endif
#ifndef CASE_EXTERNAL
#define CASE_EXTERNAL __attribute__((noinline))
#endif

/* A function that keeps its name in profiles. */
#define CASE_NAMED __attribute__((noinline))

/* Each form repeats the work `steps` times, and returns a number that depends on all of it. */
struct waste_case {
    double (*before)(size_t steps);
    double (*after)(size_t steps);
};

extern const struct waste_case waste_case;

/* Pseudorandom numbers below 2^31 that are the same everywhere (linear congruential generator of Knuth, MMIX). */
static inline uint32_t case_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

#endif
