/*
 * Moves of 16 bytes. Compilers use movups for integers and floats alike, because it is shorter than other moves; so it
 * has the type of the operation that made its value, if there was one, while movupd and movdqu have their own types.
 * The lanes are 100 and 100.5 in turn.
 *
 * movups of a result of maxps.
 * pair dead-store~ @single_a @single_b n 16*n all in none
 * pair dead-store~ @single_b @single_a n-1 16*(n-1) all in @single
 * pair silent-store~ @single_a @single_b n 16*n all in none
 * pair silent-store~ @single_b @single_a n-1 16*(n-1) all in @single
 *
 * movups of bits that no operation made.
 * pair dead-store @copy_a @copy_b n 16*n all in none
 * pair dead-store @copy_b @copy_a n-1 16*(n-1) all in @copy_a_loop
 * pair silent-store @copy_a @copy_b n 16*n none
 * pair silent-store @copy_b @copy_a n-1 16*(n-1) none
 *
 * pair dead-store~ @double_a @double_b n 16*n all in none
 * pair dead-store~ @double_b @double_a n-1 16*(n-1) all in @double_a_loop
 * pair silent-store~ @double_a @double_b n 16*n all in none
 * pair silent-store~ @double_b @double_a n-1 16*(n-1) all in @double_a_loop
 *
 * pair dead-store @integer_a @integer_b n 16*n all in none
 * pair dead-store @integer_b @integer_a n-1 16*(n-1) all in @integer_a_loop
 * pair silent-store @integer_a @integer_b n 16*n none
 * pair silent-store @integer_b @integer_a n-1 16*(n-1) none
 *
 * round loads 0 0 stores 8 128 dead-store 128 silent-store 64 silent-load 0
 */
#include "victim.h"

static char cells[4][64] __attribute__((aligned(64)));

/* Registers 0 and 1 hold 100 and 100.5 in every lane (IEEE 754 single, then double precision). */
#define FLOATS                                                                                                         \
    "mov $0x42c80000, %%eax; movd %%eax, %%xmm0; pshufd $0, %%xmm0, %%xmm0\n\t"                                        \
    "mov $0x42c90000, %%eax; movd %%eax, %%xmm1; pshufd $0, %%xmm1, %%xmm1\n\t"
#define DOUBLES                                                                                                        \
    "movabs $0x4059000000000000, %%rax; movq %%rax, %%xmm0; punpcklqdq %%xmm0, %%xmm0\n\t"                             \
    "movabs $0x4059200000000000, %%rax; movq %%rax, %%xmm1; punpcklqdq %%xmm1, %%xmm1\n\t"

/* clang-format off */
VICTIM static void victim_single(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS
        LINE("1: maxps %%xmm0, %%xmm0")
        LINE("movups %%xmm0, 1(%[p])") /* @single_a */
        LINE("maxps %%xmm1, %%xmm1")
        LINE("movups %%xmm1, 1(%[p])") /* @single_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @single */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_copy(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS
        LINE("1: movups %%xmm0, 1(%[p])") /* @copy_a */
        LINE("movups %%xmm1, 1(%[p])") /* @copy_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @copy_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_double(void *p, uint64_t n)
{
    __asm__ volatile(
        DOUBLES
        LINE("1: movupd %%xmm0, 1(%[p])") /* @double_a */
        LINE("movupd %%xmm1, 1(%[p])") /* @double_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @double_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_integer(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS
        LINE("1: movdqu %%xmm0, 1(%[p])") /* @integer_a */
        LINE("movdqu %%xmm1, 1(%[p])") /* @integer_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @integer_a_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_single(cells[0], n);
    victim_double(cells[1], n);
    victim_copy(cells[3], n);
    victim_integer(cells[2], n);
    return 0;
}
