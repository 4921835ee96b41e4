/*
 * Stores of mixed sizes, overlapping, misaligned, across pages: all bytes must match; every byte belongs to the pair
 * with the access that it follows. All but the last use new bytes in every round.
 *
 * pair dead-store @low @both n 4*n all in none
 * pair dead-store @high @both 0 4*n all in none
 * pair silent-store @low @both n 4*n all in none
 * pair silent-store @high @both 0 4*n all in none
 *
 * pair dead-store @outer @inner n 4*n all in none
 * pair silent-store @outer @inner n 4*n all in none
 *
 * Eight bytes at 0, eight at 4 (half of them new: nothing wasted), eight at 2 (two of the first, six of the second).
 * pair dead-store @at_0 @at_4 n 4*n none
 * pair dead-store @at_0 @at_2 n 2*n all in none
 * pair dead-store @at_4 @at_2 0 6*n all in none
 * pair silent-store @at_0 @at_4 n 4*n none
 * pair silent-store @at_0 @at_2 n 2*n all in none
 * pair silent-store @at_4 @at_2 0 6*n all in none
 *
 * Eight bytes at 13 modulo 16, and four of them again.
 * pair dead-store @odd @odd_inner n 4*n all in none
 * pair silent-store @odd @odd_inner n 4*n all in none
 *
 * Three bytes on one page, five on the next; two and two.
 * pair dead-store @page @page n-1 8*(n-1) all in @page_loop
 * pair silent-store @page @page n-1 8*(n-1) all in @page_loop
 * pair silent-load @page_load @page_load n-1 4*(n-1) all in @page_loop
 *
 * round loads 1 4 stores 11 72 dead-store 32 silent-store 32 silent-load 4
 */
#include "victim.h"

static char fresh[4][VICTIM_ROUNDS_MAX][32] __attribute__((aligned(4096)));
static char pages[3][4096] __attribute__((aligned(4096)));

/* clang-format off */
VICTIM static void victim_two_halves(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl %k[n], (%[p])") /* @low */
        LINE("movl $0, 4(%[p])") /* @high */
        LINE("movq %[n], (%[p])") /* @both */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "memory", "cc");
}

VICTIM static void victim_inside(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov %[n], %%rax")
        LINE("shl $32, %%rax")
        LINE("movq %%rax, (%[p])") /* @outer */
        LINE("movl %k[n], 4(%[p])") /* @inner */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}

VICTIM static void victim_overlap(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("movabs $0x5a5a5a5a5a5a5a5a, %%rax")
        LINE("1: movq %%rax, (%[p])") /* @at_0 */
        LINE("movq %%rax, 4(%[p])") /* @at_4 */
        LINE("movq %%rax, 2(%[p])") /* @at_2 */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}

VICTIM static void victim_odd(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("movabs $0x5a5a5a5a5a5a5a5a, %%rax")
        LINE("1: movq %%rax, 13(%[p])") /* @odd */
        LINE("movl %%eax, 14(%[p])") /* @odd_inner */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}

VICTIM static void victim_pages(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("movabs $0x5a5a5a5a5a5a5a5a, %%rax")
        LINE("1: movq %%rax, 4093(%[p])") /* @page */
        LINE("movl 8190(%[p]), %%ecx") /* @page_load */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @page_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_two_halves(fresh[0], n);
    victim_inside(fresh[1], n);
    victim_overlap(fresh[2], n);
    victim_odd(fresh[3], n);
    victim_pages(pages, n);
    return 0;
}
