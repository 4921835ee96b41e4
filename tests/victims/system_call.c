/*
 * System calls: what the kernel reads counts as loaded; what it writes is a last store in the context of the call; its
 * accesses count in no total, and its stores are not dead stores. The calls are made here, so that their context is
 * known.
 *
 * write(2): the store is not dead.
 * pair dead-store @fill @fill n-1 8*(n-1) none
 * pair silent-store @fill @fill n-1 8*(n-1) none
 *
 * read(2) stores zeros over a store that nothing loads; the zeros are loaded, then overwritten. The last load of the
 * bytes remains the program's own.
 *
 * pair dead-store @before @zeros n 8*n all in none
 * pair silent-store @zeros @before n-1 8*(n-1) none
 * maybe silent-store @before @zeros
 * pair silent-load @after @after n-1 8*(n-1) all in @before_loop
 *
 * read(2) stores zeros, and the program stores zeros over them.
 * pair dead-store @over @unused n-1 8*(n-1) all
 * pair silent-store @unused @over n 8*n all in none
 * maybe silent-store @over @unused
 *
 * read(2) stores in pieces of 8 bytes: two over 16 of the program's.
 * pair dead-store @wide @pieces 2*n 16*n all in none
 * pair silent-store @pieces @wide n-1 16*(n-1) none
 * maybe silent-store @wide @pieces
 *
 * Half of 8 bytes is the kernel's when the program overwrites them, and the event belongs to the lower half.
 * pair dead-store @whole @low n-1 4*(n-1) all in @whole_loop
 * pair dead-store @whole @high n-1 4*(n-1) all in @whole_loop
 * pair dead-store @high @whole 0 4*n all in none
 * pair silent-store @whole @high n-1 4*(n-1) none
 * pair silent-store @low @whole n 4*n none
 * pair silent-store @high @whole 0 4*n none
 * maybe silent-store @whole @low
 *
 * A read(2) over what read(2) has stored and nothing has loaded is not attributed to the program.
 *
 * round loads 1 8 stores 6 52 dead-store 44 silent-store - silent-load 8
 * modes
 */
#include <fcntl.h>

#include "victim.h"

static char cells[6][64] __attribute__((aligned(64)));

/* With a `nop` after each call, the context has the same line whether it comes from the call or the next address. */
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
        LINE("jnz 1b") /* @before_loop */
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

VICTIM static void victim_pieces(void *p, long file, uint64_t n)
{
    __asm__ volatile(
        LINE("pcmpeqd %%xmm0, %%xmm0")
        LINE("1: movdqu %%xmm0, (%[p])") /* @wide */
        LINE("xor %%eax, %%eax")
        LINE("mov %[file], %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $16, %%edx")
        LINE("syscall; nop") /* @pieces */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p), [file] "r"(file)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "xmm0", "memory", "cc");
}

VICTIM static void victim_halves(void *p, long file, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%eax, %%eax")
        LINE("mov %[file], %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $4, %%edx")
        LINE("syscall; nop") /* @low */
        LINE("movl $7, 4(%[p])") /* @high */
        LINE("movq $-1, (%[p])") /* @whole */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @whole_loop */
        : [n] "+r"(n) : [p] "r"(p), [file] "r"(file)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory", "cc");
}

VICTIM static void victim_kernel_only(void *p, long file, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%eax, %%eax")
        LINE("mov %[file], %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $64, %%edx")
        LINE("syscall; nop")
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
    victim_pieces(cells[3], source, n);
    victim_halves(cells[4], source, n);
    victim_kernel_only(cells[5], source, n);
    return 0;
}
