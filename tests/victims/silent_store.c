/*
 * Silent stores: the value that was last stored at a place is stored again.
 *
 * pair dead-store @same @same n-1 4*(n-1) all in @same_loop
 * pair silent-store @same @same n-1 4*(n-1) all in @same_loop
 *
 * A store whose value is loaded before the next: silent, but not dead.
 * pair dead-store @again @again n-1 4*(n-1) none
 * pair silent-store @again @again n-1 4*(n-1) all in @again_loop
 * pair silent-load @read @read n-1 4*(n-1) all in @again_loop
 *
 * pair dead-store @seven @eight n 4*n all in none
 * pair dead-store @eight @seven n-1 4*(n-1) all in @seven_loop
 * pair silent-store @seven @eight n 4*n none
 * pair silent-store @eight @seven n-1 4*(n-1) none
 *
 * One byte of eight differs.
 * pair dead-store @count @count n-1 8*(n-1) all in @count_loop
 * pair silent-store @count @count n-1 8*(n-1) none
 *
 * victim_zero stores zeros over zeros that were never stored: no pair at all.
 *
 * round loads 1 4 stores 6 32 dead-store 20 silent-store 8 silent-load 4
 * modes
 */
#include "victim.h"

static char cells[4][64] __attribute__((aligned(64)));
static char fresh[VICTIM_ROUNDS_MAX][8] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_same(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl $7, (%[p])") /* @same */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @same_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_again(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl $7, (%[p])") /* @again */
        LINE("movl (%[p]), %%eax") /* @read */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @again_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_alternating(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl $7, (%[p])") /* @seven */
        LINE("movl $8, (%[p])") /* @eight */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @seven_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_counting(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq %[n], (%[p])") /* @count */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @count_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_zero(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $0, (%[p])")
        LINE("add $8, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_same(cells[0], n);
    victim_again(cells[1], n);
    victim_alternating(cells[2], n);
    victim_counting(cells[3], n);
    victim_zero(fresh, n);
    return 0;
}
