/*
 * Loads of mixed sizes, on new bytes in every round. All bytes are zero unless stated otherwise.
 *
 * pair silent-load @low @both n 4*n all in none
 * pair silent-load @high @both 0 4*n all in none
 *
 * Half of the bytes were never loaded: nothing is wasted.
 * pair silent-load @half @whole n 4*n none
 *
 * One byte of the high half has changed: nothing is wasted, not even in the low half.
 * pair silent-load @before_low @after n 4*n none
 * pair silent-load @before_high @after 0 4*n none
 *
 * pair silent-load @outer @inner n n all in none
 *
 * pair silent-load @at_0 @at_4 n 4*n none
 * pair silent-load @at_0 @at_2 n 2*n all in none
 * pair silent-load @at_4 @at_2 0 6*n all in none
 *
 * round loads 13 77 stores 1 1 dead-store 0 silent-store 0 silent-load 17
 */
#include "victim.h"

static char fresh[5][VICTIM_ROUNDS_MAX][32] __attribute__((aligned(4096)));

/* clang-format off */
VICTIM static void victim_two_halves(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl (%[p]), %%eax") /* @low */
        LINE("movl 4(%[p]), %%ecx") /* @high */
        LINE("movq (%[p]), %%rdx") /* @both */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_half_new(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl (%[p]), %%eax") /* @half */
        LINE("movq (%[p]), %%rcx") /* @whole */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_changed(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl (%[p]), %%eax") /* @before_low */
        LINE("movl 4(%[p]), %%ecx") /* @before_high */
        LINE("movb $1, 7(%[p])")
        LINE("movq (%[p]), %%rdx") /* @after */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_inside(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p]), %%rax") /* @outer */
        LINE("movb 5(%[p]), %%cl") /* @inner */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_overlap(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p]), %%rax") /* @at_0 */
        LINE("movq 4(%[p]), %%rcx") /* @at_4 */
        LINE("movq 2(%[p]), %%rdx") /* @at_2 */
        LINE("add $32, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "rcx", "rdx", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_two_halves(fresh[0], n);
    victim_half_new(fresh[1], n);
    victim_changed(fresh[2], n);
    victim_inside(fresh[3], n);
    victim_overlap(fresh[4], n);
    return 0;
}
