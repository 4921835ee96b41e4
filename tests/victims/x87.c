/*
 * x87: stores of 4, 8 and 10 bytes of 100 and 100.5 in turn, and the loads of the last. All floating-point.
 *
 * pair dead-store~ @st4_a @st4_b n 4*n all in none
 * pair dead-store~ @st4_b @st4_a n-1 4*(n-1) all in @st4_a_loop
 * pair silent-store~ @st4_a @st4_b n 4*n all in none
 * pair silent-store~ @st4_b @st4_a n-1 4*(n-1) all in @st4_a_loop
 *
 * pair dead-store~ @st8_a @st8_b n 8*n all in none
 * pair dead-store~ @st8_b @st8_a n-1 8*(n-1) all in @st8_a_loop
 * pair silent-store~ @st8_a @st8_b n 8*n all in none
 * pair silent-store~ @st8_b @st8_a n-1 8*(n-1) all in @st8_a_loop
 *
 * pair dead-store~ @st10_a @st10_b n 10*n none
 * pair dead-store~ @st10_b @st10_a n-1 10*(n-1) none
 * pair silent-store~ @st10_a @st10_b n 10*n all in none
 * pair silent-store~ @st10_b @st10_a n-1 10*(n-1) all in @st10
 * pair silent-load~ @ld10_a @ld10_b n 10*n all in none
 * pair silent-load~ @ld10_b @ld10_a n-1 10*(n-1) all in @st10
 *
 * round loads 2 20 stores 6 44 dead-store 24 silent-store 44 silent-load 20
 */
#include "victim.h"

static double values[3][2] __attribute__((aligned(64))) = {{100, 100.5}, {100, 100.5}, {100, 100.5}};
static char cells[3][64] __attribute__((aligned(64)));

/* The two values are on the x87 stack, 100 on top, and are exchanged in turn. */
/* clang-format off */
VICTIM static void victim_4(const void *values, void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("fldl 8(%[values])")
        LINE("fldl (%[values])")
        LINE("1: fsts (%[p])") /* @st4_a */
        LINE("fxch")
        LINE("fsts (%[p])") /* @st4_b */
        LINE("fxch")
        LINE("dec %[n]")
        LINE("jnz 1b") /* @st4_a_loop */
        LINE("fstp %%st(0); fstp %%st(0)")
        : [n] "+r"(n) : [values] "r"(values), [p] "r"(p) : "st", "st(1)", "memory", "cc");
}

VICTIM static void victim_8(const void *values, void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("fldl 8(%[values])")
        LINE("fldl (%[values])")
        LINE("1: fstl (%[p])") /* @st8_a */
        LINE("fxch")
        LINE("fstl (%[p])") /* @st8_b */
        LINE("fxch")
        LINE("dec %[n]")
        LINE("jnz 1b") /* @st8_a_loop */
        LINE("fstp %%st(0); fstp %%st(0)")
        : [n] "+r"(n) : [values] "r"(values), [p] "r"(p) : "st", "st(1)", "memory", "cc");
}

VICTIM static void victim_10(const void *values, void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("fldl 8(%[values])")
        LINE("fldl (%[values])")
        LINE("1: fld %%st(0)")
        LINE("fstpt (%[p])") /* @st10_a */
        LINE("fldt (%[p])") /* @ld10_a */
        LINE("fstp %%st(0)")
        LINE("fld %%st(1)")
        LINE("fstpt (%[p])") /* @st10_b */
        LINE("fldt (%[p])") /* @ld10_b */
        LINE("fstp %%st(0)")
        LINE("dec %[n]")
        LINE("jnz 1b") /* @st10 */
        LINE("fstp %%st(0); fstp %%st(0)")
        : [n] "+r"(n) : [values] "r"(values), [p] "r"(p) : "st", "st(1)", "st(2)", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_4(values[0], cells[0], n);
    victim_8(values[1], cells[1], n);
    victim_10(values[2], cells[2], n);
    return 0;
}
