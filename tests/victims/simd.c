/*
 * Vector accesses of 16 and 32 bytes, misaligned by one, and of single elements of a vector register.
 *
 * pair dead-store @store16 @store16 n-1 16*(n-1) none
 * pair silent-store @store16 @store16 n-1 16*(n-1) all in @store16_loop
 * pair silent-load @load16 @load16 n-1 16*(n-1) all in @store16_loop
 *
 * Two halves, then the whole of them; in the next round the halves overwrite the whole.
 * pair dead-store @half_a @full n 16*n all in none
 * pair dead-store @half_b @full 0 16*n all in none
 * pair dead-store @full @half_a n-1 16*(n-1) all in @half_a_loop
 * pair dead-store @full @half_b n-1 16*(n-1) all in @half_a_loop
 * pair silent-store @half_a @full n 16*n all in none
 * pair silent-store @half_b @full 0 16*n all in none
 * pair silent-store @full @half_a n-1 16*(n-1) all in @half_a_loop
 * pair silent-store @full @half_b n-1 16*(n-1) all in @half_a_loop
 *
 * The last of 32 bytes changes in every round.
 * pair silent-load @load32 @load32 n-1 32*(n-1) none
 * pair dead-store @poke @poke n-1 n-1 none
 * pair silent-store @poke @poke n-1 n-1 none
 *
 * pair silent-load @insert @insert n-1 4*(n-1) all in @lane
 * pair dead-store @extract @extract n-1 n-1 all in @lane
 * pair silent-store @extract @extract n-1 n-1 all in @lane
 *
 * round loads 3 52 stores 6 82 dead-store 65 silent-store 81 silent-load 20
 * needs avx2
 */
#include "victim.h"

static char cells[4][64] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_16(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("pcmpeqd %%xmm0, %%xmm0")
        LINE("1: movdqu %%xmm0, 1(%[p])") /* @store16 */
        LINE("movdqu 1(%[p]), %%xmm1") /* @load16 */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @store16_loop */
        : [n] "+r"(n) : [p] "r"(p) : "xmm0", "xmm1", "memory", "cc");
}

VICTIM static void victim_32(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("vpcmpeqd %%ymm0, %%ymm0, %%ymm0")
        LINE("1: vmovdqu %%xmm0, 1(%[p])") /* @half_a */
        LINE("vmovdqu %%xmm0, 17(%[p])") /* @half_b */
        LINE("vmovdqu %%ymm0, 1(%[p])") /* @full */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @half_a_loop */
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "xmm0", "memory", "cc");
}

VICTIM static void victim_poked(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: vmovdqu 1(%[p]), %%ymm0") /* @load32 */
        LINE("movb %b[n], 32(%[p])") /* @poke */
        LINE("dec %[n]")
        LINE("jnz 1b")
        LINE("vzeroupper")
        : [n] "+r"(n) : [p] "r"(p) : "xmm0", "memory", "cc");
}

VICTIM static void victim_lanes(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: pxor %%xmm0, %%xmm0")
        LINE("pinsrd $1, (%[p]), %%xmm0") /* @insert */
        LINE("pextrb $3, %%xmm0, 9(%[p])") /* @extract */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @lane */
        : [n] "+r"(n) : [p] "r"(p) : "xmm0", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_16(cells[0], n);
    victim_32(cells[1], n);
    victim_poked(cells[2], n);
    victim_lanes(cells[3], n);
    return 0;
}
