/*
 * Spatial load redundancy, by data object: a load of the same value as the previous load of the same object, at any
 * address. The first load of an object has no previous one.
 *
 * Listing 3.2 of the dissertation: int A[4] = {1, 1, 1, 15}: two of four loads, in every pass.
 * pair spatial-load @listing @listing 4*n-1 16*n-4 2*n/8*n of listing_3_2
 *
 * The same array on the heap.
 * pair spatial-load @heap* @heap* 4*n-1 16*n-4 2*n/8*n of @block
 *
 * Two objects in turn, whose values are equal throughout: each is compared with itself.
 * pair spatial-load @twin_a @twin_a n-1 4*(n-1) all of twin_a
 * pair spatial-load @twin_b @twin_b n-1 4*(n-1) all of twin_b
 *
 * Another size is another value: eight bytes of zeros after four.
 * pair spatial-load @four @eight n 8*n none of mixed
 * pair spatial-load @eight @four n-1 4*(n-1) none of mixed
 *
 * Floats of 100 and 100.5 side by side.
 * pair spatial-load~ @float @float 2*n-1 8*n-4 all of floats
 *
 * An object without an initial value, in .bss: four zeros.
 * pair spatial-load @bss @bss 4*n-1 16*n-4 all of zeros
 *
 * victim_stack: the stack is not an object.
 *
 * mode spatial-load
 */
#include "victim.h"

static int listing_3_2[4] = {1, 1, 1, 15};
static int twin_a[2] = {3, 3}, twin_b[2] = {3, 3};
static uint64_t mixed[2];
static float floats[2] = {100, 100.5F};
static int zeros[4];

/* clang-format off */
VICTIM static void victim_listing(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%ecx, %%ecx")
        LINE("2: movl (%[p],%%rcx,4), %%eax") /* @listing */
        LINE("inc %%ecx")
        LINE("cmp $4, %%ecx")
        LINE("jne 2b")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_heap(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%ecx, %%ecx")
        LINE("2: movl (%[p],%%rcx,4), %%eax") /* @heap */
        LINE("inc %%ecx")
        LINE("cmp $4, %%ecx")
        LINE("jne 2b")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_twins(const void *p, const void *q, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl (%[p]), %%eax") /* @twin_a */
        LINE("movl 4(%[q]), %%ecx") /* @twin_b */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p), [q] "r"(q) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_mixed(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl (%[p]), %%eax") /* @four */
        LINE("movq 8(%[p]), %%rcx") /* @eight */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_floats(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%ecx, %%ecx")
        LINE("2: addss (%[p],%%rcx,4), %%xmm0") /* @float */
        LINE("xor $1, %%ecx")
        LINE("jnz 2b")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "xmm0", "memory", "cc");
}

VICTIM static void victim_bss(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%ecx, %%ecx")
        LINE("2: movl (%[p],%%rcx,4), %%eax") /* @bss */
        LINE("inc %%ecx")
        LINE("cmp $4, %%ecx")
        LINE("jne 2b")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_stack(uint64_t n)
{
    __asm__ volatile(
        LINE("movq $7, -16(%%rsp)")
        LINE("movq $7, -8(%%rsp)")
        LINE("1: movq -16(%%rsp), %%rax")
        LINE("movq -8(%%rsp), %%rcx")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : : "rax", "rcx", "memory", "cc");
}
/* clang-format on */

static void heap_block(uint64_t n)
{
    int *block = malloc(sizeof listing_3_2); /* @block */
    if (!block)
        exit(1);
    for (int k = 0; k < 4; k++)
        block[k] = k < 3 ? 1 : 15;
    victim_heap(block, n);
    free(block);
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_listing(listing_3_2, n);
    heap_block(n);
    victim_twins(twin_a, twin_b, n);
    victim_mixed(mixed, n);
    victim_floats(floats, n);
    victim_bss(zeros, n);
    victim_stack(n);
    return 0;
}
