/*
 * Bursts: of 240 instructions 96 are watched without being counted, the next 96 are counted, and 48 are skipped, and so
 * on (Su, dissertation 2020, §3.4.5; burst.h). All loops here take 12 instructions per round, so of any 20 consecutive
 * rounds 8 are counted. Where a burst begins in a loop depends on what precedes it, but each counted round follows a
 * watched one of the same burst: its accesses make their pairs as if all were watched. A round has two blocks of code,
 * because Valgrind unrolls a loop of one block, and bursts begin and end with blocks.
 *
 * n rounds; the two stores, and the two loads, of a round are watched together. Pairs with the round before are one
 * fewer if the loop begins within a burst.
 * pair dead-store @once @twice n*4/10 8*n*4/10 all in none
 * pair silent-store @once @twice n*4/10 8*n*4/10 all in none
 * pair silent-load @use_once @use_twice n*4/10 8*n*4/10 all in none
 * maybe dead-store @twice @once
 * maybe silent-store @twice @once
 * maybe silent-load @use_twice @use_once
 *
 * n+1 rounds, of which n have a round before them.
 * pair dead-store @store @store n*4/10 16*n*4/10 all in @store_loop
 * pair silent-store @store @store n*4/10 16*n*4/10 all in @store_loop
 * pair silent-load @load @load n*4/10 8*n*4/10 all in @store_loop
 * pair silent-load @load_four @load_four n*4/10 4*n*4/10 all in @store_loop
 *
 * The same with a store in each block, of 9 and of 3 instructions: instructions count, not blocks.
 * pair dead-store @long @long n*4/10 8*n*4/10 all in @long_loop
 * pair silent-store @long @long n*4/10 8*n*4/10 all in @long_loop
 * pair dead-store @short @short n*4/10 8*n*4/10 all in @long_loop
 * pair silent-store @short @short n*4/10 8*n*4/10 all in @long_loop
 *
 * Values that change in every round: stores between two bursts are not watched, but change the memory.
 * pair dead-store @count @count n*4/10 8*n*4/10 all in @count_loop
 * pair silent-store @count @count n*4/10 8*n*4/10 none
 * pair dead-store @low @low n*4/10 n*4/10 all in @count_loop
 * pair silent-store @low @low n*4/10 n*4/10 none
 * pair dead-store @low_too @low_too n*4/10 n*4/10 all in @count_loop
 * pair silent-store @low_too @low_too n*4/10 n*4/10 none
 *
 * 4 tenths of 4 loads of 28 bytes, of 8 stores of 58 bytes, all of them dead, and of 48 bytes of silent ones.
 * round loads 2 11 stores 3 23 dead-store 23 silent-store 19 silent-load 11
 *
 * options --burst 192:48
 */
#include "victim.h"

static uint64_t cells[8][8] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_rounds(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $7, (%[p])") /* @once */
        LINE("movq $7, (%[p])") /* @twice */
        LINE("movq 64(%[p]), %%rax") /* @use_once */
        LINE("movq 64(%[p]), %%rax") /* @use_twice */
        LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop")
        LINE("jmp 2f")
        LINE("2: dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_between(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("pxor %%xmm0, %%xmm0")
        LINE("1: movdqu %%xmm0, (%[p])") /* @store */
        LINE("movq 64(%[p]), %%rax") /* @load */
        LINE("movl 72(%[p]), %%eax") /* @load_four */
        LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop")
        LINE("jmp 2f")
        LINE("2: dec %[n]")
        LINE("jnz 1b") /* @store_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "xmm0", "memory", "cc");
}

VICTIM static void victim_parts(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $7, (%[p])") /* @long */
        LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop")
        LINE("jmp 2f")
        LINE("2: movq $7, 64(%[p])") /* @short */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @long_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_counting(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq %[n], (%[p])") /* @count */
        LINE("movb %b[n], 64(%[p])") /* @low */
        LINE("movb %b[n], 65(%[p])") /* @low_too */
        LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop") LINE("nop")
        LINE("jmp 2f")
        LINE("2: dec %[n]")
        LINE("jnz 1b") /* @count_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_rounds(cells[0], n);
    victim_between(cells[2], n + 1);
    victim_parts(cells[4], n + 1);
    victim_counting(cells[6], n + 1);
    return 0;
}
