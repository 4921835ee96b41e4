/*
 * Floating-point values that are not ordinary numbers. Two values are stored in turn and never loaded: every store is
 * dead, and silent only if the two have the same bits or differ by at most 1 % of the old value.
 *
 * 100 and -100.
 * pair dead-store~ @sign_a @sign_b n 4*n all
 * pair dead-store~ @sign_b @sign_a n-1 4*(n-1) all
 * pair silent-store~ @sign_a @sign_b n 4*n none
 * pair silent-store~ @sign_b @sign_a n-1 4*(n-1) none
 *
 * 0 and -0: no difference.
 * pair dead-store~ @zero_a @zero_b n 4*n all
 * pair dead-store~ @zero_b @zero_a n-1 4*(n-1) all
 * pair silent-store~ @zero_a @zero_b n 4*n all
 * pair silent-store~ @zero_b @zero_a n-1 4*(n-1) all
 *
 * 0 and 1e-30: 1 % of 0 is 0.
 * pair dead-store~ @tiny_a @tiny_b n 4*n all
 * pair dead-store~ @tiny_b @tiny_a n-1 4*(n-1) all
 * pair silent-store~ @tiny_a @tiny_b n 4*n none
 * pair silent-store~ @tiny_b @tiny_a n-1 4*(n-1) none
 *
 * Infinity and 1.
 * pair dead-store~ @inf_a @inf_b n 4*n all
 * pair dead-store~ @inf_b @inf_a n-1 4*(n-1) all
 * pair silent-store~ @inf_a @inf_b n 4*n none
 * pair silent-store~ @inf_b @inf_a n-1 4*(n-1) none
 *
 * The same NaN twice has the same bits. Two different NaNs are not comparable.
 * pair dead-store~ @nan_a @nan_b n 4*n all
 * pair dead-store~ @nan_b @nan_a n-1 4*(n-1) all
 * pair silent-store~ @nan_a @nan_b n 4*n all
 * pair silent-store~ @nan_b @nan_a n-1 4*(n-1) all
 * pair dead-store~ @nans_a @nans_b n 4*n all
 * pair dead-store~ @nans_b @nans_a n-1 4*(n-1) all
 * pair silent-store~ @nans_a @nans_b n 4*n none
 * pair silent-store~ @nans_b @nans_a n-1 4*(n-1) none
 *
 * round loads 0 0 stores 12 48 dead-store 48 silent-store 16 silent-load 0
 */
#include "victim.h"

static char cells[6][64] __attribute__((aligned(64)));

/* Registers 0 and 1 hold the floats with these bits. */
#define FLOATS(a, b) "mov $" a ", %%eax; movd %%eax, %%xmm0; mov $" b ", %%eax; movd %%eax, %%xmm1\n\t"

/* clang-format off */
VICTIM static void victim_sign(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x42c80000", "0xc2c80000")
        LINE("1: movss %%xmm0, (%[p])") /* @sign_a */
        LINE("movss %%xmm1, (%[p])") /* @sign_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_zero(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x00000000", "0x80000000")
        LINE("1: movss %%xmm0, (%[p])") /* @zero_a */
        LINE("movss %%xmm1, (%[p])") /* @zero_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_tiny(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x00000000", "0x0da24260")
        LINE("1: movss %%xmm0, (%[p])") /* @tiny_a */
        LINE("movss %%xmm1, (%[p])") /* @tiny_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_infinity(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x7f800000", "0x3f800000")
        LINE("1: movss %%xmm0, (%[p])") /* @inf_a */
        LINE("movss %%xmm1, (%[p])") /* @inf_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_nan(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x7fc00000", "0x7fc00000")
        LINE("1: movss %%xmm0, (%[p])") /* @nan_a */
        LINE("movss %%xmm1, (%[p])") /* @nan_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_nans(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x7fc00000", "0x7fc00001")
        LINE("1: movss %%xmm0, (%[p])") /* @nans_a */
        LINE("movss %%xmm1, (%[p])") /* @nans_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_sign(cells[0], n);
    victim_zero(cells[1], n);
    victim_tiny(cells[2], n);
    victim_infinity(cells[3], n);
    victim_nan(cells[4], n);
    victim_nans(cells[5], n);
    return 0;
}
