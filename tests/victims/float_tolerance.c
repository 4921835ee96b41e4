/*
 * A tolerance of 5 % instead of 1 %: 100 and 102 are equal, 100 and 110 are not.
 *
 * pair dead-store~ @near_a @near_b n 4*n all in none
 * pair dead-store~ @near_b @near_a n-1 4*(n-1) all in @near_a_loop
 * pair silent-store~ @near_a @near_b n 4*n all in none
 * pair silent-store~ @near_b @near_a n-1 4*(n-1) all in @near_a_loop
 *
 * pair dead-store~ @far_a @far_b n 4*n all in none
 * pair dead-store~ @far_b @far_a n-1 4*(n-1) all in @far_a_loop
 * pair silent-store~ @far_a @far_b n 4*n none
 * pair silent-store~ @far_b @far_a n-1 4*(n-1) none
 *
 * round loads 0 0 stores 4 16 dead-store 16 silent-store 8 silent-load 0
 * options --fp-tolerance 0.05
 */
#include "victim.h"

static char cells[2][64] __attribute__((aligned(64)));

/* Registers 0 and 1 hold the floats with these bits. */
#define FLOATS(a, b) "mov $" a ", %%eax; movd %%eax, %%xmm0; mov $" b ", %%eax; movd %%eax, %%xmm1\n\t"

/* clang-format off */
VICTIM static void victim_near(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x42c80000", "0x42cc0000")
        LINE("1: movss %%xmm0, (%[p])") /* @near_a */
        LINE("movss %%xmm1, (%[p])") /* @near_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @near_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_far(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS("0x42c80000", "0x42dc0000")
        LINE("1: movss %%xmm0, (%[p])") /* @far_a */
        LINE("movss %%xmm1, (%[p])") /* @far_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @far_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_near(cells[0], n);
    victim_far(cells[1], n);
    return 0;
}
