/*
 * The stack: what was popped is forgotten. On return that is everything below the stack pointer, otherwise everything
 * more than 128 bytes below it: the x86-64 ABI leaves those 128 bytes to a function that calls no other.
 *
 * victim_frame: a store to a local variable and a load, in n calls: no pair. victim_far: 512 bytes are allocated and
 * freed in n rounds: no pair.
 *
 * Push and pop: the slot stays within the 128 bytes.
 * pair dead-store @push @push n-1 8*(n-1) none
 * pair silent-store @push @push n-1 8*(n-1) all in @push_loop
 * pair silent-load @pop @pop n-1 8*(n-1) all in @push_loop
 *
 * The last eight bytes inside them, and (victim_edge's first store: no pair) the first ones outside.
 * pair dead-store @kept @kept n-1 8*(n-1) all in @edge_loop
 * pair silent-store @kept @kept n-1 8*(n-1) all in @edge_loop
 *
 * Below the stack pointer, in two calls: what the first one leaves is forgotten when it returns.
 * pair dead-store @red @red 2*(n-1) 16*(n-1) all in @red_loop
 * pair silent-store @red @red 2*(n-1) 16*(n-1) all in @red_loop
 *
 * A call in assembly: its return address is a store, the return is a load, and both are forgotten.
 *
 * round loads 4 32 stores 9 72 dead-store 24 silent-store 32 silent-load 8
 */
#include "victim.h"

/* clang-format off */
VICTIM static void victim_frame(void)
{
    __asm__ volatile(
        LINE("sub $24, %%rsp")
        LINE("movq $7, 8(%%rsp)")
        LINE("movq 8(%%rsp), %%rax")
        LINE("add $24, %%rsp")
        : : : "rax", "memory", "cc");
}

VICTIM static void victim_far(uint64_t n)
{
    __asm__ volatile(
        LINE("1: sub $512, %%rsp")
        LINE("movq $7, (%%rsp)")
        LINE("add $512, %%rsp")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : : "memory", "cc");
}

VICTIM static void victim_pushed(uint64_t n)
{
    __asm__ volatile(
        LINE("mov $7, %%eax")
        LINE("1: push %%rax") /* @push */
        LINE("pop %%rcx") /* @pop */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @push_loop */
        : [n] "+r"(n) : : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_edge(uint64_t n)
{
    __asm__ volatile(
        LINE("1: sub $136, %%rsp")
        LINE("movq $7, (%%rsp)")
        LINE("movq $7, 8(%%rsp)") /* @kept */
        LINE("add $136, %%rsp")
        LINE("dec %[n]")
        LINE("jnz 1b") /* @edge_loop */
        : [n] "+r"(n) : : "memory", "cc");
}

VICTIM static void victim_red(uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $7, -16(%%rsp)") /* @red */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @red_loop */
        : [n] "+r"(n) : : "memory", "cc");
}

VICTIM static void victim_call(uint64_t n)
{
    __asm__ volatile(
        LINE("jmp 1f")
        LINE("2: ret")
        LINE("1: call 2b")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : : "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    for (uint64_t i = 0; i < n; i++)
        victim_frame();
    victim_far(n);
    victim_pushed(n);
    victim_edge(n);
    victim_red(n);
    victim_red(n);
    victim_call(n);
    return 0;
}
