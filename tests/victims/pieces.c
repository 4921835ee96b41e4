/*
 * Eight bytes accessed in smaller and smaller pieces: two of 4 bytes, one of 4 across their border, one of 2, one of 1;
 * then all at once: bytes 0 and 1 follow the word, 2, 4 and 5 the access across, 3 the byte, 6 and 7 the second half.
 * The halves of eight bytes nearby do not change meanwhile. Each round uses 512 new bytes, with stores first.
 *
 * pair dead-store @low @across n 2*n all in none
 * pair dead-store @high @across 0 2*n all in none
 * pair dead-store @low @word n 2*n all in none
 * pair dead-store @across @byte n n all in none
 * pair dead-store @word @quad n 2*n all in none
 * pair dead-store @across @quad 0 3*n all in none
 * pair dead-store @byte @quad 0 n all in none
 * pair dead-store @high @quad 0 2*n all in none
 * pair dead-store @near_low @near_quad n 4*n all in none
 * pair dead-store @near_high @near_quad 0 4*n all in none
 *
 * pair silent-store @low @across n 2*n all in none
 * pair silent-store @high @across 0 2*n all in none
 * pair silent-store @low @word n 2*n all in none
 * pair silent-store @across @byte n n all in none
 * pair silent-store @word @quad n 2*n all in none
 * pair silent-store @across @quad 0 3*n all in none
 * pair silent-store @byte @quad 0 n all in none
 * pair silent-store @high @quad 0 2*n all in none
 * pair silent-store @near_low @near_quad n 4*n all in none
 * pair silent-store @near_high @near_quad 0 4*n all in none
 *
 * pair silent-load @load_low @load_across n 2*n all in none
 * pair silent-load @load_high @load_across 0 2*n all in none
 * pair silent-load @load_low @load_word n 2*n all in none
 * pair silent-load @load_across @load_byte n n all in none
 * pair silent-load @load_word @load_quad n 2*n all in none
 * pair silent-load @load_across @load_quad 0 3*n all in none
 * pair silent-load @load_byte @load_quad 0 n all in none
 * pair silent-load @load_high @load_quad 0 2*n all in none
 * pair silent-load @load_near_low @load_near_quad n 4*n all in none
 * pair silent-load @load_near_high @load_near_quad 0 4*n all in none
 *
 * round loads 9 39 stores 9 39 dead-store 23 silent-store 23 silent-load 23
 * modes
 */
#include "victim.h"

static char fresh[VICTIM_ROUNDS_MAX][512] __attribute__((aligned(4096)));

/* clang-format off */
VICTIM static void victim_stores(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("xor %%eax, %%eax")
        LINE("1: movl %%eax, (%[p])") /* @low */
        LINE("movl %%eax, 4(%[p])") /* @high */
        LINE("movl %%eax, 64(%[p])") /* @near_low */
        LINE("movl %%eax, 68(%[p])") /* @near_high */
        LINE("movl %%eax, 2(%[p])") /* @across */
        LINE("movw %%ax, (%[p])") /* @word */
        LINE("movb %%al, 3(%[p])") /* @byte */
        LINE("movq %%rax, (%[p])") /* @quad */
        LINE("movq %%rax, 64(%[p])") /* @near_quad */
        LINE("add $512, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}

VICTIM static void victim_loads(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("xor %%eax, %%eax")
        LINE("1: movl (%[p]), %%eax") /* @load_low */
        LINE("movl 4(%[p]), %%eax") /* @load_high */
        LINE("movl 64(%[p]), %%eax") /* @load_near_low */
        LINE("movl 68(%[p]), %%eax") /* @load_near_high */
        LINE("movl 2(%[p]), %%eax") /* @load_across */
        LINE("movw (%[p]), %%ax") /* @load_word */
        LINE("movb 3(%[p]), %%al") /* @load_byte */
        LINE("movq (%[p]), %%rax") /* @load_quad */
        LINE("movq 64(%[p]), %%rax") /* @load_near_quad */
        LINE("add $512, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_stores(fresh, n);
    victim_loads(fresh, n);
    return 0;
}
