/*
 * listing2 ROUNDS - Listing 2 of JXPerf: sums all elements of an array twice, one pass after the other, so that many
 * samples lie between the two loads of an element. All loads of an element but the first are silent.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 1 << 22 };
static uint32_t array[ELEMENTS];

#define STEP "imul $3, %%ecx, %%ecx\n\t"

/* Some work for each element, all in registers. The load is mov (%rdi), %ecx. Each step depends on the previous one, so
 * a pass takes dozens of ms. */
__attribute__((noipa)) static uint32_t victim_sum(const uint32_t *at, const uint32_t *end)
{
    uint32_t sum = 0;
    __asm__ volatile(
        "1: movl (%[at]), %%ecx\n\tadd %[sum], %%ecx\n\t" STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
        "mov %%ecx, %[sum]\n\tadd $4, %[at]\n\tcmp %[end], %[at]\n\tjb 1b"
        : [at] "+D"(at), [sum] "+r"(sum)
        : [end] "r"(end)
        : "rcx", "memory", "cc");
    return sum;
}

int main(int argc, char **argv)
{
    uint32_t sum = 0;
    for (int round = argc > 1 ? atoi(argv[1]) : 10; round > 0; round--) {
        sum += victim_sum(array, array + ELEMENTS);
        sum += victim_sum(array, array + ELEMENTS);
    }
    printf("%u\n", sum);
    return 0;
}
