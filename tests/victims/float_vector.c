/*
 * Vectors of floating-point numbers: an access is silent if each lane is within 1 %. Integer stores change the lanes,
 * and arithmetic instructions load them.
 *
 * Four floats, 100 and 100.5.
 * pair silent-load~ @near_a @near_b n 16*n all in none
 * pair silent-load~ @near_b @near_a n-1 16*(n-1) all in @near_loop
 * pair dead-store @near @near_set n 16*n none
 * pair dead-store @near_set @near n-1 16*(n-1) none
 * pair silent-store @near @near_set n 16*n none
 * pair silent-store @near_set @near n-1 16*(n-1) none
 *
 * The last lane is 100, then 102.
 * pair silent-load~ @far_a @far_b n 16*n none
 * pair silent-load~ @far_b @far_a n-1 16*(n-1) none
 * pair dead-store @far @far_set n 4*n none
 * pair dead-store @far_set @far n-1 4*(n-1) none
 * pair silent-store @far @far_set n 4*n none
 * pair silent-store @far_set @far n-1 4*(n-1) none
 *
 * Two doubles, 100 and 100.5.
 * pair silent-load~ @double_a @double_b n 16*n all in none
 * pair silent-load~ @double_b @double_a n-1 16*(n-1) all in @double_loop
 * pair dead-store @double @double_set n 16*n none
 * pair dead-store @double_set @double n-1 16*(n-1) none
 * pair silent-store @double @double_set n 16*n none
 * pair silent-store @double_set @double n-1 16*(n-1) none
 *
 * Eight floats at once, 100 and 100.5.
 * pair silent-load~ @wide_a @wide_b n 32*n all in none
 * pair silent-load~ @wide_b @wide_a n-1 32*(n-1) all in @wide_loop
 * pair dead-store @wide @wide_set n 32*n none
 * pair dead-store @wide_set @wide n-1 32*(n-1) none
 * pair silent-store @wide @wide_set n 32*n none
 * pair silent-store @wide_set @wide n-1 32*(n-1) none
 *
 * round loads 8 160 stores 8 136 dead-store 0 silent-store 0 silent-load 128
 * needs avx2
 */
#include "victim.h"

static char cells[4][64] __attribute__((aligned(64)));

/* Registers 0 and 1 hold 100 and 100.5 in every lane (IEEE 754 single, then double precision). */
#define FLOATS                                                                                                         \
    "mov $0x42c80000, %%eax; vmovd %%eax, %%xmm0; vpbroadcastd %%xmm0, %%ymm0\n\t"                                     \
    "mov $0x42c90000, %%eax; vmovd %%eax, %%xmm1; vpbroadcastd %%xmm1, %%ymm1\n\t"
#define DOUBLES                                                                                                        \
    "movabs $0x4059000000000000, %%rax; vmovq %%rax, %%xmm0; vpbroadcastq %%xmm0, %%ymm0\n\t"                          \
    "movabs $0x4059200000000000, %%rax; vmovq %%rax, %%xmm1; vpbroadcastq %%xmm1, %%ymm1\n\t"

/* clang-format off */
VICTIM static void victim_near(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS
        LINE("1: movdqa %%xmm0, (%[p])") /* @near */
        LINE("addps (%[p]), %%xmm2") /* @near_a */
        LINE("movdqa %%xmm1, (%[p])") /* @near_set */
        LINE("mulps (%[p]), %%xmm2") /* @near_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @near_loop */
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "xmm2", "memory", "cc");
}

VICTIM static void victim_far(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS
        LINE("1: movl $0x42c80000, 12(%[p])") /* @far */
        LINE("addps (%[p]), %%xmm2") /* @far_a */
        LINE("movl $0x42cc0000, 12(%[p])") /* @far_set */
        LINE("addps (%[p]), %%xmm2") /* @far_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "xmm2", "memory", "cc");
}

VICTIM static void victim_double(void *p, uint64_t n)
{
    __asm__ volatile(
        DOUBLES
        LINE("1: movdqa %%xmm0, (%[p])") /* @double */
        LINE("addpd (%[p]), %%xmm2") /* @double_a */
        LINE("movdqa %%xmm1, (%[p])") /* @double_set */
        LINE("addpd (%[p]), %%xmm2") /* @double_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @double_loop */
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "xmm2", "memory", "cc");
}

VICTIM static void victim_wide(void *p, uint64_t n)
{
    __asm__ volatile(
        FLOATS
        LINE("1: vmovdqu %%ymm0, (%[p])") /* @wide */
        LINE("vaddps (%[p]), %%ymm2, %%ymm2") /* @wide_a */
        LINE("vmovdqu %%ymm1, (%[p])") /* @wide_set */
        LINE("vaddps (%[p]), %%ymm2, %%ymm2") /* @wide_b */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @wide_loop */
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "xmm2", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_near(cells[0], n);
    victim_far(cells[1], n);
    victim_double(cells[2], n);
    victim_wide(cells[3], n);
    return 0;
}
