/*
 * Silent loads: the value that was last loaded from a place is loaded again, whatever was stored in between.
 *
 * pair silent-load @reload @reload n-1 4*(n-1) all in @reload_loop
 *
 * Another value is stored, then the old one again.
 * pair silent-load @look @look n-1 4*(n-1) all in @away_loop
 * pair dead-store @away @back n 4*n all in none
 * pair dead-store @back @away n-1 4*(n-1) none
 * pair silent-store @away @back n 4*n none
 * pair silent-store @back @away n-1 4*(n-1) none
 *
 * pair silent-load @left @right n 4*n all in none
 * pair silent-load @right @left n-1 4*(n-1) all in @left_loop
 *
 * The bytes that the instruction reads count, whatever it does with them.
 * pair silent-load @byte @byte n-1 n-1 all in @byte_loop
 * pair silent-load @word @word n-1 2*(n-1) all in @byte_loop
 * pair silent-load @long @long n-1 4*(n-1) all in @byte_loop
 *
 * A conditional move loads even if it does not move.
 * pair silent-load @cmov @cmov n-1 4*(n-1) all in @cmov_loop
 *
 * victim_no_access: addresses that are only computed, hinted or skipped are not accesses.
 *
 * round loads 8 27 stores 2 8 dead-store 4 silent-store 0 silent-load 27
 * modes
 */
#include "victim.h"

static char cells[6][64] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_reload(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl (%[p]), %%eax") /* @reload */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @reload_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_back(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl $9, (%[p])") /* @away */
        LINE("movl $7, (%[p])") /* @back */
        LINE("movl (%[p]), %%eax") /* @look */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @away_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_two_ways(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl (%[p]), %%eax") /* @left */
        LINE("movl (%[p]), %%ecx") /* @right */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @left_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_widths(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movsbl (%[p]), %%eax") /* @byte */
        LINE("movzwl 8(%[p]), %%ecx") /* @word */
        LINE("movslq 16(%[p]), %%rdx") /* @long */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @byte_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_cmov(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: test %[n], %[n]")
        LINE("cmovz (%[p]), %%eax") /* @cmov */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @cmov_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_no_access(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 8(%[p]), %%rax")
        LINE("nopl (%[p])")
        LINE("prefetcht0 (%[p])")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_reload(cells[0], n);
    victim_back(cells[1], n);
    victim_two_ways(cells[2], n);
    victim_widths(cells[3], n);
    victim_cmov(cells[4], n);
    victim_no_access(cells[5], n);
    return 0;
}
