/*
 * Floating-point scalars: a value within 1 % of the old one counts as equal. The instruction determines whether an
 * access is a floating-point one.
 *
 * 100 and 100.5: silent, as approximate values. A dead store has the class of the store that was wasted.
 * pair dead-store~ @near_a @near_b n 4*n all in none
 * pair dead-store~ @near_b @near_a n-1 4*(n-1) all in @near_a_loop
 * pair silent-store~ @near_a @near_b n 4*n all in none
 * pair silent-store~ @near_b @near_a n-1 4*(n-1) all in @near_a_loop
 *
 * 100 and 102.
 * pair dead-store~ @far_a @far_b n 4*n all in none
 * pair dead-store~ @far_b @far_a n-1 4*(n-1) all in @far_a_loop
 * pair silent-store~ @far_a @far_b n 4*n none
 * pair silent-store~ @far_b @far_a n-1 4*(n-1) none
 *
 * The bits of 100 and 100.5, stored as integers.
 * pair dead-store @bits_a @bits_b n 4*n all in none
 * pair dead-store @bits_b @bits_a n-1 4*(n-1) all in @bits_a_loop
 * pair silent-store @bits_a @bits_b n 4*n none
 * pair silent-store @bits_b @bits_a n-1 4*(n-1) none
 *
 * Doubles: 100 and 100.5, 100 and 102.
 * pair dead-store~ @double_a @double_b n 8*n all in none
 * pair dead-store~ @double_b @double_a n-1 8*(n-1) all in @double_a_loop
 * pair silent-store~ @double_a @double_b n 8*n all in none
 * pair silent-store~ @double_b @double_a n-1 8*(n-1) all in @double_a_loop
 * pair dead-store~ @double_far_a @double_far_b n 8*n all in none
 * pair dead-store~ @double_far_b @double_far_a n-1 8*(n-1) all in @double_far_a_loop
 * pair silent-store~ @double_far_a @double_far_b n 8*n none
 * pair silent-store~ @double_far_b @double_far_a n-1 8*(n-1) none
 *
 * Integer stores of the bits of 100 and 100.5, floating-point loads of them: by a move, by an addition.
 * pair dead-store @set_a @set_b n 4*n none
 * pair dead-store @set_b @set_a n-1 4*(n-1) none
 * pair silent-store @set_a @set_b n 4*n none
 * pair silent-store @set_b @set_a n-1 4*(n-1) none
 * pair silent-load~ @get_a @get_b n 4*n all in none
 * pair silent-load~ @get_b @get_a n-1 4*(n-1) all in @set_a_loop
 *
 * The first store is a floating-point one, the second is not: 100 over 100.5 is silent, 100.5 over 100 is not.
 * pair dead-store~ @as_float @as_bits n 4*n all in none
 * pair dead-store @as_bits @as_float n-1 4*(n-1) all in @as_float_loop
 * pair silent-store @as_float @as_bits n 4*n none
 * pair silent-store~ @as_bits @as_float n-1 4*(n-1) all in @as_float_loop
 *
 * round loads 2 8 stores 14 72 dead-store 64 silent-store 28 silent-load 8
 * modes
 */
#include "victim.h"

static char cells[7][64] __attribute__((aligned(64)));

/* The bits of 100, 100.5 and 102 as float and as double (IEEE 754). */
#define FLOAT_100 "0x42c80000"
#define FLOAT_100_5 "0x42c90000"
#define FLOAT_102 "0x42cc0000"
#define DOUBLE_100 "0x4059000000000000"
#define DOUBLE_100_5 "0x4059200000000000"
#define DOUBLE_102 "0x4059800000000000"

/* clang-format off */
VICTIM static void victim_near(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $" FLOAT_100 ", %%eax; movd %%eax, %%xmm0")
        LINE("mov $" FLOAT_100_5 ", %%eax; movd %%eax, %%xmm1")
        LINE("1: movss %%xmm0, (%[p])") /* @near_a */
        LINE("movss %%xmm1, (%[p])") /* @near_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @near_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_far(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $" FLOAT_100 ", %%eax; movd %%eax, %%xmm0")
        LINE("mov $" FLOAT_102 ", %%eax; movd %%eax, %%xmm1")
        LINE("1: movss %%xmm0, (%[p])") /* @far_a */
        LINE("movss %%xmm1, (%[p])") /* @far_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @far_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_bits(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl $" FLOAT_100 ", (%[p])") /* @bits_a */
        LINE("movl $" FLOAT_100_5 ", (%[p])") /* @bits_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @bits_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_double(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("movabs $" DOUBLE_100 ", %%rax; movq %%rax, %%xmm0")
        LINE("movabs $" DOUBLE_100_5 ", %%rax; movq %%rax, %%xmm1")
        LINE("1: movsd %%xmm0, (%[p])") /* @double_a */
        LINE("movsd %%xmm1, (%[p])") /* @double_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @double_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_double_far(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("movabs $" DOUBLE_100 ", %%rax; movq %%rax, %%xmm0")
        LINE("movabs $" DOUBLE_102 ", %%rax; movq %%rax, %%xmm1")
        LINE("1: movsd %%xmm0, (%[p])") /* @double_far_a */
        LINE("movsd %%xmm1, (%[p])") /* @double_far_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @double_far_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_load(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl $" FLOAT_100 ", (%[p])") /* @set_a */
        LINE("movss (%[p]), %%xmm0") /* @get_a */
        LINE("movl $" FLOAT_100_5 ", (%[p])") /* @set_b */
        LINE("addss (%[p]), %%xmm0") /* @get_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @set_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "xmm0", "memory", "cc");
}

VICTIM static void victim_mixed(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $" FLOAT_100 ", %%eax; movd %%eax, %%xmm0")
        LINE("1: movss %%xmm0, (%[p])") /* @as_float */
        LINE("movl $" FLOAT_100_5 ", (%[p])") /* @as_bits */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @as_float_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_near(cells[0], n);
    victim_far(cells[1], n);
    victim_bits(cells[2], n);
    victim_double(cells[3], n);
    victim_double_far(cells[4], n);
    victim_load(cells[5], n);
    victim_mixed(cells[6], n);
    return 0;
}
