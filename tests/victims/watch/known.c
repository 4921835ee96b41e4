/*
 * known ROUNDS - memory accesses whose waste is derived on paper, for sampling. In every round of victim_round()
 *   loads   4 bytes that never change, 4 that always do, 8 that never change: 12 of 16 bytes are silent, 75 %
 *   stores  4 bytes twice, always the same value and never loaded: dead and silent; 4 that are loaded and change: 8 of
 *           12 bytes are dead, and the same are silent, 66.7 %
 * In every round of victim_calls() a local variable is stored in one call after the other, at the same place. Each call
 * has a new variable, so there is no pair. The volatile pointer keeps the store.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    int same, changes, twice, filler;
    int64_t wide;
} cell;

__attribute__((noipa)) static void victim_round(uint64_t n)
{
    __asm__ volatile("1: movl (%[p]), %%eax\n\t"
                     "movl %k[n], 4(%[p])\n\t"
                     "movl 4(%[p]), %%ecx\n\t"
                     "movl $7, 8(%[p])\n\t"
                     "movq 16(%[p]), %%rdx\n\t"
                     "movl $7, 8(%[p])\n\t"
                     "dec %[n]\n\t"
                     "jnz 1b"
                     : [n] "+r"(n)
                     : [p] "r"(&cell)
                     : "rax", "rcx", "rdx", "memory", "cc");
}

__attribute__((noipa)) static void victim_local(void)
{
    __asm__ volatile("sub $24, %%rsp\n\tmovq $9, 8(%%rsp)\n\tmovq 8(%%rsp), %%rax\n\tadd $24, %%rsp" ::
                         : "rax", "memory", "cc");
}

__attribute__((noipa)) static void victim_calls(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        victim_local();
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    if (argc > 2)
        victim_calls(n);
    else
        victim_round(n);
    puts("done");
    return 0;
}
