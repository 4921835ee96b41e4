/*
 * Heap blocks: earlier accesses to a block's bytes are forgotten when it is allocated, freed or grown. Every round
 * allocates what the previous round freed, so each access would otherwise pair with that of the previous round. The
 * places lie after an allocator's data in a free block.
 *
 * malloc, two stores and two loads, free: pairs within the block only.
 * pair dead-store @one @two n 8*n all in none
 * pair silent-store @one @two n 8*n all in none
 * pair silent-load @look @look_again n 8*n all in none
 *
 * victim_calloc: a zero stored over the zeros of calloc, and one load of them: no pair.
 *
 * realloc from 64 to 4096 bytes: the grown part is new.
 * pair dead-store @grown_one @grown_two n 8*n all in none
 * pair silent-store @grown_one @grown_two n 8*n none
 *
 * One block that stays: a true positive among these.
 * pair dead-store @stays @stays n-1 8*(n-1) all
 * pair silent-store @stays @stays n-1 8*(n-1) all
 */
#include "victim.h"

/* clang-format off */
VICTIM static void victim_malloc(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 32(%[p])") /* @one */
        LINE("movq $7, 32(%[p])") /* @two */
        LINE("movq 32(%[p]), %%rax") /* @look */
        LINE("movq 32(%[p]), %%rcx") /* @look_again */
        : : [p] "r"(p) : "rax", "rcx", "memory");
}

VICTIM static void victim_calloc(void *p)
{
    __asm__ volatile(
        LINE("movq $0, 32(%[p])")
        LINE("movq 40(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_realloc(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 2048(%[p])") /* @grown_one */
        LINE("movq $8, 2048(%[p])") /* @grown_two */
        : : [p] "r"(p) : "memory");
}

VICTIM static void victim_stays(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 32(%[p])") /* @stays */
        : : [p] "r"(p) : "memory");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    void *stays = malloc(64);
    for (uint64_t i = 0; stays && i < n; i++) {
        void *p = malloc(64), *q = calloc(1, 64), *r = malloc(64);
        void *grown = r ? realloc(r, 4096) : NULL;
        if (!p || !q || !grown)
            return 1;
        victim_malloc(p);
        victim_calloc(q);
        victim_realloc(grown);
        victim_stays(stays);
        free(p);
        free(q);
        free(grown);
    }
    free(stays);
    return 0;
}
