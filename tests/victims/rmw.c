/*
 * Read-modify-write and atomic instructions: one load, then one store; a compare-and-swap that fails only loads.
 *
 * pair silent-load @add @add n-1 4*(n-1) none
 * pair dead-store @add @add n-1 4*(n-1) none
 * pair silent-store @add @add n-1 4*(n-1) none
 *
 * pair silent-load @or @or n-1 4*(n-1) all in @or_loop
 * pair dead-store @or @or n-1 4*(n-1) none
 * pair silent-store @or @or n-1 4*(n-1) all in @or_loop
 *
 * One, two and eight bytes.
 * pair silent-load @addb @addb n-1 n-1 all in @addb_loop
 * pair dead-store @addb @addb n-1 n-1 none
 * pair silent-store @addb @addb n-1 n-1 all in @addb_loop
 * pair silent-load @orw @orw n-1 2*(n-1) all in @addb_loop
 * pair dead-store @orw @orw n-1 2*(n-1) none
 * pair silent-store @orw @orw n-1 2*(n-1) all in @addb_loop
 * pair silent-load @xorq @xorq n-1 8*(n-1) all in @addb_loop
 * pair dead-store @xorq @xorq n-1 8*(n-1) none
 * pair silent-store @xorq @xorq n-1 8*(n-1) all in @addb_loop
 *
 * Five is exchanged for the zero that was there, then for the five of the exchange before.
 * pair silent-load @xchg @xchg n-1 4*(n-1) n-2/4*(n-2) in @xchg_loop
 * pair dead-store @xchg @xchg n-1 4*(n-1) none
 * pair silent-store @xchg @xchg n-1 4*(n-1) all in @xchg_loop
 *
 * pair silent-load @lock_add @lock_add n-1 4*(n-1) all in @lock_add_loop
 * pair dead-store @lock_add @lock_add n-1 4*(n-1) none
 * pair silent-store @lock_add @lock_add n-1 4*(n-1) all in @lock_add_loop
 *
 * pair silent-load @xadd @xadd n-1 4*(n-1) none
 * pair dead-store @xadd @xadd n-1 4*(n-1) none
 * pair silent-store @xadd @xadd n-1 4*(n-1) none
 *
 * Compare-and-swap: seven for seven, then one that fails; likewise for 16 bytes.
 * pair silent-load @wins @wins n-1 4*(n-1) all in @wins_loop
 * pair dead-store @wins @wins n-1 4*(n-1) none
 * pair silent-store @wins @wins n-1 4*(n-1) all in @wins_loop
 * pair silent-load @fails @fails n-1 4*(n-1) all in @fails_loop
 * pair silent-load @wins16 @wins16 n-1 16*(n-1) all in @wins16_loop
 * pair dead-store @wins16 @wins16 n-1 16*(n-1) none
 * pair silent-store @wins16 @wins16 n-1 16*(n-1) all in @wins16_loop
 * pair silent-load @fails16 @fails16 n-1 16*(n-1) all in @fails16_loop
 *
 * A store is dead until a failing compare-and-swap loads it.
 * pair dead-store @set @set n-1 4*(n-1) none
 * pair silent-store @set @set n-1 4*(n-1) none
 * pair silent-load @probe @probe n-1 4*(n-1) none
 *
 * round loads 13 75 stores 11 55 dead-store 0 silent-store 43 silent-load 63
 * modes
 */
#include "victim.h"

static char cells[7][64] __attribute__((aligned(64)));
static uint32_t sevens[4] __attribute__((aligned(64))) = {7, 7, 7, 7};
static uint64_t pairs[2][2] __attribute__((aligned(64))) = {{7, 7}, {7, 7}};

/* clang-format off */
VICTIM static void victim_add(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: addl $1, (%[p])") /* @add */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_or(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: orl $0, (%[p])") /* @or */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @or_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_widths(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: addb $0, (%[p])") /* @addb */
        LINE("orw $0, 8(%[p])") /* @orw */
        LINE("xorq $0, 16(%[p])") /* @xorq */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @addb_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_xchg(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov $5, %%eax")
        LINE("xchg %%eax, (%[p])") /* @xchg */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @xchg_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_lock_add(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lock addl $0, (%[p])") /* @lock_add */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @lock_add_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_xadd(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov $1, %%eax")
        LINE("lock xadd %%eax, (%[p])") /* @xadd */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_wins(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov $7, %%eax")
        LINE("mov $7, %%ecx")
        LINE("lock cmpxchg %%ecx, (%[p])") /* @wins */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @wins_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_fails(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov $1, %%eax")
        LINE("mov $9, %%ecx")
        LINE("lock cmpxchg %%ecx, (%[p])") /* @fails */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @fails_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_wins16(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov $7, %%eax")
        LINE("mov $7, %%edx")
        LINE("mov $7, %%ebx")
        LINE("mov $7, %%ecx")
        LINE("lock cmpxchg16b (%[p])") /* @wins16 */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @wins16_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rbx", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_fails16(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov $1, %%eax")
        LINE("mov $7, %%edx")
        LINE("mov $9, %%ebx")
        LINE("mov $9, %%ecx")
        LINE("lock cmpxchg16b (%[p])") /* @fails16 */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @fails16_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rbx", "rcx", "rdx", "memory", "cc");
}

VICTIM static void victim_probed(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl %k[n], (%[p])") /* @set */
        LINE("xor %%eax, %%eax")
        LINE("lock cmpxchg %%ecx, (%[p])") /* @probe */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_add(cells[0], n);
    victim_or(cells[1], n);
    victim_widths(cells[2], n);
    victim_xchg(cells[3], n);
    victim_lock_add(cells[4], n);
    victim_xadd(cells[5], n);
    victim_wins(&sevens[0], n);
    victim_fails(&sevens[2], n);
    victim_wins16(pairs[0], n);
    victim_fails16(pairs[1], n);
    victim_probed(cells[6], n);
    return 0;
}
