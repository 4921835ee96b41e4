/*
 * Packed fused multiply-add, rounding and conversion make one load each, although VEX has one statement per lane. If a
 * lane changes in every round, the whole load is not silent.
 *
 * The stored values are powers of two (or infinite, or zeros), each half or twice the one before.
 * pair dead-store @poke @poke n-1 4*(n-1) none
 * pair silent-store @poke @poke n-1 4*(n-1) none
 * pair silent-load~ @fma @fma n-1 32*(n-1) none
 * pair silent-load~ @fma_same @fma_same n-1 16*(n-1) all in @poke_loop
 *
 * pair dead-store @poke_round @poke_round n-1 4*(n-1) none
 * pair silent-store @poke_round @poke_round n-1 4*(n-1) none
 * pair silent-load~ @round @round n-1 16*(n-1) none
 * pair silent-load~ @round_same @round_same n-1 16*(n-1) all in @round_loop
 *
 * 8 bytes are two lanes.
 * pair dead-store @poke_high @poke_high n-1 4*(n-1) none
 * pair silent-store @poke_high @poke_high n-1 4*(n-1) none
 * pair silent-load~ @convert @convert n-1 8*(n-1) none
 * pair silent-load~ @convert_same @convert_same n-1 8*(n-1) all in @round_loop
 *
 * A masked load is one per lane: bytes that the mask excludes are not accessed.
 * pair silent-load @masked @masked 8*(n-1) 32*(n-1) all in @masked_loop
 *
 * round loads 14 128 stores 3 12 dead-store 0 silent-store 0 silent-load 72
 * needs avx2 fma sse4_1
 * modes
 */
#include "victim.h"

static char cells[3][128] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_fma(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov %k[n], %%eax")
        LINE("shl $23, %%eax")
        LINE("mov %%eax, 28(%[p])") /* @poke */
        LINE("vfmadd231ps (%[p]), %%ymm0, %%ymm1") /* @fma */
        LINE("vfmadd213pd 33(%[p]), %%xmm0, %%xmm1") /* @fma_same */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @poke_loop */
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_round(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov %k[n], %%eax")
        LINE("shl $23, %%eax")
        LINE("mov %%eax, (%[p])") /* @poke_round */
        LINE("mov %%eax, 68(%[p])") /* @poke_high */
        LINE("roundps $1, (%[p]), %%xmm1") /* @round */
        LINE("roundpd $1, 32(%[p]), %%xmm1") /* @round_same */
        LINE("cvtps2pd 64(%[p]), %%xmm1") /* @convert */
        LINE("cvtps2pd 96(%[p]), %%xmm1") /* @convert_same */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @round_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm1", "memory", "cc");
}

VICTIM static void victim_masked(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("vpcmpeqd %%ymm2, %%ymm2, %%ymm2")
        LINE("1: vpmaskmovd (%[p]), %%ymm2, %%ymm1") /* @masked */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @masked_loop */
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "xmm1", "xmm2", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_fma(cells[0], n);
    victim_round(cells[1], n);
    victim_masked(cells[2], n);
    return 0;
}
