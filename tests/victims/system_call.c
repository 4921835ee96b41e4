/*
 * System calls: what the kernel reads has been loaded; what it writes is a last store in the context of the call; its
 * accesses count in no total. The calls are made here, so that their context is known.
 *
 * write(2): the store is not dead.
 * pair dead-store @fill @fill n-1 8*(n-1) none
 * pair silent-store @fill @fill n-1 8*(n-1) none
 *
 * read(2) puts zeros over a store that nobody loaded; the zeros are loaded, then stored over. The last load of the
 * bytes remains the program's own.
 *
 * pair dead-store @before @zeros n 8*n all in none
 * pair dead-store @zeros @before n-1 8*(n-1) none
 * pair silent-store @zeros @before n-1 8*(n-1) none
 * maybe silent-store @before @zeros
 * pair silent-load @after @after n-1 8*(n-1) all in @before
 *
 * read(2) puts zeros, the program stores zeros over them.
 * pair dead-store @unused @over n 8*n all in none
 * pair dead-store @over @unused n-1 8*(n-1) all
 * pair silent-store @unused @over n 8*n all in none
 * maybe silent-store @over @unused
 *
 * round loads 1 8 stores 3 24 dead-store 24 silent-store - silent-load 8
 */
#include <fcntl.h>

#include "victim.h"

static char cells[3][64] __attribute__((aligned(64)));

/* A `nop` behind each call: its address is on the same line, whichever of the two the context is taken from. */
/* clang-format off */
VICTIM static void victim_write(void *p, long file, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq %[n], (%[p])") /* @fill */
        LINE("mov $1, %%eax")
        LINE("mov %[file], %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $8, %%edx")
        LINE("syscall; nop")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p), [file] "r"(file)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory", "cc");
}

VICTIM static void victim_read(void *p, long file, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $7, (%[p])") /* @before */
        LINE("xor %%eax, %%eax")
        LINE("mov %[file], %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $8, %%edx")
        LINE("syscall; nop") /* @zeros */
        LINE("movq (%[p]), %%rax") /* @after */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p), [file] "r"(file)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory", "cc");
}

VICTIM static void victim_unused(void *p, long file, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%eax, %%eax")
        LINE("mov %[file], %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $8, %%edx")
        LINE("syscall; nop") /* @unused */
        LINE("movq $0, (%[p])") /* @over */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p), [file] "r"(file)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    int sink = open("/dev/null", O_WRONLY), source = open("/dev/zero", O_RDONLY);
    if (sink < 0 || source < 0)
        return 1;
    victim_write(cells[0], sink, n);
    victim_read(cells[1], source, n);
    victim_unused(cells[2], source, n);
    return 0;
}
