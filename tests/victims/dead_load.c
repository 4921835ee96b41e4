/*
 * A load whose value nothing uses is still a load.
 *
 * Into a register that is overwritten at once; into one that the next load overwrites; in a comparison whose result is
 * not used.
 * pair silent-load @unused @unused n-1 8*(n-1) all in @unused_loop
 * pair silent-load @covered @covered n-1 8*(n-1) all in @unused_loop
 * pair silent-load @covering @covering n-1 8*(n-1) all in @unused_loop
 * pair silent-load @compared @compared n-1 4*(n-1) all in @unused_loop
 *
 * It prevents a store from being dead.
 * pair dead-store @stored @stored n-1 8*(n-1) none
 * pair silent-store @stored @stored n-1 8*(n-1) none
 * pair silent-load @dropped @dropped n-1 8*(n-1) none
 *
 * round loads 5 36 stores 1 8 dead-store 0 silent-store 0 silent-load 28
 * modes
 */
#include "victim.h"

static char cells[2][64] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_unused(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p]), %%rax") /* @unused */
        LINE("mov $7, %%eax")
        LINE("movq 8(%[p]), %%rcx") /* @covered */
        LINE("movq 16(%[p]), %%rcx") /* @covering */
        LINE("cmpl $0, 24(%[p])") /* @compared */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @unused_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_dropped(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq %[n], (%[p])") /* @stored */
        LINE("movq (%[p]), %%rax") /* @dropped */
        LINE("xor %%eax, %%eax")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_unused(cells[0], n);
    victim_dropped(cells[1], n);
    return 0;
}
