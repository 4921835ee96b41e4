/*
 * Redundancy scopes: the outermost loop that iterated between the two accesses.
 *
 * Listing 3.10 of the dissertation: B[i] in the inner loop; scope: the inner loop. Eight elements, n times each.
 * pair silent-load @b @b 8*(n-1) 32*(n-1) all in @b_inner
 *
 * Listing 3.11: A[k], k counted by the inner loop; scope: the outer loop. Eight elements.
 * pair silent-load @a @a 8*(n-1) 32*(n-1) all in @a_outer
 *
 * Listing 3.9: a linear search through the nine doubles x, n times. x(i+1) is loaded again as x(i) by the next step of
 * the inner loop; the first one as x(i), the last one as x(i+1) by the next step of the outer loop.
 * pair silent-load~ @x_next @x_this 7*n 56*n all in @search_inner
 * pair silent-load~ @x_this @x_next 7*(n-1) 56*(n-1) all in @search_outer
 * pair silent-load~ @x_this @x_this n-1 8*(n-1) all in @search_outer
 * pair silent-load~ @x_next @x_next n-1 8*(n-1) all in @search_outer
 *
 * In one step of the loop, and from one step to the next.
 * pair dead-store @step_1 @step_2 n 4*n all in none
 * pair dead-store @step_2 @step_1 n-1 4*(n-1) all in @step_1_loop
 * pair silent-store @step_1 @step_2 n 4*n none
 * pair silent-store @step_2 @step_1 n-1 4*(n-1) none
 *
 * The loop is in the caller.
 * pair silent-load @called<@calls @called<@calls n-1 4*(n-1) all in @calling
 *
 * Two loops, one after the other (Listing 2 of JXPerf): no loop is around both. Sixteen elements, which the second loop
 * loads in reverse order.
 * pair silent-load @first_loop @second_loop 16 64 all in none
 *
 * Three loops around a load that only the middle one repeats.
 * pair silent-load @nested @nested 4*(n-1) 16*(n-1) all in @middle
 */
#include "victim.h"

static int array[7][16];
static double x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

/* clang-format off */
VICTIM static void victim_listing_3_10(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("xor %%ecx, %%ecx")
        LINE("1: xor %%edx, %%edx") /* @b_outer */
        LINE("2: nop")
        LINE("movl (%[p],%%rcx,4), %%eax") /* @b */
        LINE("inc %%rdx")
        LINE("cmp %[n], %%rdx")
        LINE("jne 2b") /* @b_inner */
        LINE("inc %%ecx")
        LINE("cmp $8, %%ecx")
        LINE("jne 1b")
        : : [n] "r"(n), [p] "r"(p) : "rax", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_listing_3_11(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%ecx, %%ecx")
        LINE("2: nop") /* @a_inner */
        LINE("movl (%[p],%%rcx,4), %%eax") /* @a */
        LINE("inc %%ecx")
        LINE("cmp $8, %%ecx")
        LINE("jne 2b")
        LINE("dec %[n]")
        LINE("jnz 1b") /* @a_outer */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_listing_3_9(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $100, %%eax")
        LINE("cvtsi2sd %%eax, %%xmm0")
        LINE("1: xor %%ecx, %%ecx")
        LINE("2: nop")
        LINE("comisd (%[p],%%rcx,8), %%xmm0") /* @x_this */
        LINE("jb 3f")
        LINE("comisd 8(%[p],%%rcx,8), %%xmm0") /* @x_next */
        LINE("jbe 4f") /* @search_inner */
        LINE("3: inc %%ecx")
        LINE("cmp $8, %%ecx")
        LINE("jne 2b")
        LINE("4: dec %[n]")
        LINE("jnz 1b") /* @search_outer */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "xmm0", "memory", "cc");
}

VICTIM static void victim_steps(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl %k[n], (%[p])") /* @step_1 */
        LINE("movl $0, (%[p])") /* @step_2 */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @step_1_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM void victim_called(void);
VICTIM void victim_called(void)
{
    __asm__ volatile(
        LINE("movl (%%rdi), %%eax") /* @called */
        : : : "rax", "memory");
}

VICTIM static void victim_calling(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("sub $128, %%rsp")
        LINE("1: mov %[p], %%rdi")
        LINE("call victim_called") /* @calls */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @calling */
        LINE("add $128, %%rsp")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rdi", "memory", "cc");
}

VICTIM static void victim_listing_2(const void *p)
{
    __asm__ volatile(
        LINE("xor %%ecx, %%ecx")
        LINE("1: movl (%[p],%%rcx,4), %%eax") /* @first_loop */
        LINE("inc %%ecx")
        LINE("cmp $16, %%ecx")
        LINE("jne 1b")
        LINE("2: movl -4(%[p],%%rcx,4), %%eax") /* @second_loop */
        LINE("dec %%ecx")
        LINE("jnz 2b")
        : : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_nested(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $1, %%edx")
        LINE("1: nop") /* @outermost */
        LINE("2: xor %%ecx, %%ecx")
        LINE("3: movl (%[p],%%rcx,4), %%eax") /* @nested */
        LINE("inc %%ecx")
        LINE("cmp $4, %%ecx")
        LINE("jne 3b")
        LINE("dec %[n]")
        LINE("jnz 2b") /* @middle */
        LINE("dec %%edx")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "rdx", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_listing_3_10(array[0], n);
    victim_listing_3_11(array[1], n);
    victim_listing_3_9(x, n);
    victim_steps(array[3], n);
    victim_calling(array[4], n);
    victim_listing_2(array[5]);
    victim_nested(array[6], n);
    return 0;
}
