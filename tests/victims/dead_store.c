/*
 * Dead stores, and stores that only seem dead.
 *
 * pair dead-store @first @second n 4*n all in none
 * pair dead-store @second @first n-1 4*(n-1) all in @first_loop
 * pair silent-store @first @second n 4*n none
 * pair silent-store @second @first n-1 4*(n-1) none
 *
 * pair dead-store @kept @kept n-1 4*(n-1) none
 * pair silent-store @kept @kept n-1 4*(n-1) none
 * pair silent-load @use @use n-1 4*(n-1) none
 *
 * One byte of eight, byte 3, is loaded: the store is not dead. That byte is zero in every round.
 * pair dead-store @wide @wide n-1 8*(n-1) none
 * pair silent-store @wide @wide n-1 8*(n-1) none
 * pair silent-load @peek @peek n-1 n-1 all in @wide_loop
 *
 * Half of the bytes were never stored: the other half's store is not dead.
 * pair dead-store @half @whole n 4*n none
 * pair silent-store @half @whole n 4*n none
 *
 * The low half is loaded before it is overwritten, the high one is not. @quad overwrites both halves of the round
 * before; its event belongs to its lowest byte.
 * pair dead-store @quad @low n 4*n none
 * pair dead-store @quad @high n 4*n all in none
 * pair dead-store @low @quad n-1 4*(n-1) all in @quad_loop
 * pair dead-store @high @quad 0 4*(n-1) all in @quad_loop
 * pair silent-store @quad @low n 4*n none
 * pair silent-store @quad @high n 4*n none
 * pair silent-store @low @quad n-1 4*(n-1) none
 * pair silent-store @high @quad 0 4*(n-1) none
 * pair silent-load @low_use @low_use n-1 4*(n-1) none
 *
 * round loads 3 9 stores 9 48 dead-store 20 silent-store 0 silent-load 1
 * modes
 */
#include "victim.h"

static char cells[4][64] __attribute__((aligned(64)));
static char fresh[VICTIM_ROUNDS_MAX][8] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_dead(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl %k[n], (%[p])") /* @first */
        LINE("mov %[n], %%rax")
        LINE("not %%rax")
        LINE("movl %%eax, (%[p])") /* @second */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @first_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_used(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl %k[n], (%[p])") /* @kept */
        LINE("movl (%[p]), %%eax") /* @use */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_peeked(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq %[n], (%[p])") /* @wide */
        LINE("movb 3(%[p]), %%al") /* @peek */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @wide_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_half_new(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl %k[n], (%[p])") /* @half */
        LINE("movq %[n], (%[p])") /* @whole */
        LINE("add $8, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "memory", "cc");
}

VICTIM static void victim_half_dead(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq %[n], (%[p])") /* @quad */
        LINE("movl (%[p]), %%eax") /* @low_use */
        LINE("not %%eax")
        LINE("movl %%eax, (%[p])") /* @low */
        LINE("movl %%eax, 4(%[p])") /* @high */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @quad_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_dead(cells[0], n);
    victim_used(cells[1], n);
    victim_peeked(cells[2], n);
    victim_half_new(fresh, n);
    victim_half_dead(cells[3], n);
    return 0;
}
