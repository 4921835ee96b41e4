/*
 * Accesses that an instruction makes in addition to, or instead of, its plain operand.
 *
 * A push from memory loads there and stores on the stack; a pop into memory does the reverse.
 * pair silent-load @push_from @push_from n-1 8*(n-1) all in @push_from_loop
 * pair dead-store @push_from @push_from n-1 8*(n-1) none
 * pair silent-store @push_from @push_from n-1 8*(n-1) all in @push_from_loop
 * pair silent-load @pop @pop n-1 8*(n-1) all in @push_from_loop
 * pair dead-store @push @push n-1 8*(n-1) none
 * pair silent-store @push @push n-1 8*(n-1) all in @push_loop
 * pair silent-load @pop_into @pop_into n-1 8*(n-1) all in @push_loop
 * pair dead-store @pop_into @pop_into n-1 8*(n-1) all in @push_loop
 * pair silent-store @pop_into @pop_into n-1 8*(n-1) all in @push_loop
 *
 * leave pops the frame pointer.
 * pair dead-store @enter @enter n-1 8*(n-1) none
 * pair silent-store @enter @enter n-1 8*(n-1) all in @enter_loop
 * pair silent-load @leave @leave n-1 8*(n-1) all in @enter_loop
 *
 * An indirect call loads the address that it calls (the return address is forgotten on return).
 * pair silent-load @call @call n-1 8*(n-1) all in @call_loop
 *
 * 16 bytes are copied from the end to the beginning.
 * pair silent-load @down @down 16*(n-1) 16*(n-1) all in @down_loop
 * pair dead-store @down @down 16*(n-1) 16*(n-1) all in @down_loop
 * pair silent-store @down @down 16*(n-1) 16*(n-1) all in @down_loop
 *
 * Stores that bypass the caches, a load that swaps bytes, a string comparison.
 * pair dead-store @movnti @movnti n-1 4*(n-1) all in @movnti_loop
 * pair silent-store @movnti @movnti n-1 4*(n-1) all in @movnti_loop
 * pair dead-store @movntdq @movntdq n-1 16*(n-1) all in @movnti_loop
 * pair silent-store @movntdq @movntdq n-1 16*(n-1) all in @movnti_loop
 * pair silent-load @movbe @movbe n-1 4*(n-1) all in @movnti_loop
 * pair silent-load @pcmpistri @pcmpistri n-1 16*(n-1) all in @movnti_loop
 *
 * round loads 24 84 stores 23 76 dead-store 44 silent-store 68 silent-load 76
 * needs movbe sse4_2
 */
#include "victim.h"

static char cells[4][64] __attribute__((aligned(64)));

VICTIM static void victim_nothing(void)
{
}
static void (*const volatile target)(void) = victim_nothing;

/* clang-format off */
VICTIM static void victim_push_from(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: pushq (%[p])") /* @push_from */
        LINE("pop %%rax") /* @pop */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @push_from_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_pop_into(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $7, %%eax")
        LINE("1: push %%rax") /* @push */
        LINE("popq (%[p])") /* @pop_into */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @push_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_leave(uint64_t n)
{
    __asm__ volatile(
        LINE("1: push %%rbp") /* @enter */
        LINE("mov %%rsp, %%rbp")
        LINE("sub $64, %%rsp")
        LINE("leave") /* @leave */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @enter_loop */
        : [n] "+r"(n) : : "memory", "cc");
}

VICTIM static void victim_call(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("sub $128, %%rsp")
        LINE("1: call *(%[p])") /* @call */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @call_loop */
        LINE("add $128, %%rsp")
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_down(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("std")
        LINE("1: lea 47(%[p]), %%rdi")
        LINE("lea 15(%[p]), %%rsi")
        LINE("mov $16, %%ecx")
        LINE("rep movsb") /* @down */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @down_loop */
        LINE("cld")
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_moves(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $7, %%eax")
        LINE("pxor %%xmm0, %%xmm0")
        LINE("1: movnti %%eax, (%[p])") /* @movnti */
        LINE("movntdq %%xmm0, 16(%[p])") /* @movntdq */
        LINE("movbe 32(%[p]), %%edx") /* @movbe */
        LINE("pcmpistri $0, 48(%[p]), %%xmm0") /* @pcmpistri */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @movnti_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "rdx", "xmm0", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_push_from(cells[0], n);
    victim_pop_into(cells[1], n);
    victim_leave(n);
    victim_call((const void *)&target, n);
    victim_down(cells[2], n);
    victim_moves(cells[3], n);
    return 0;
}
