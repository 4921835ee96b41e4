/*
 * Mappings: earlier accesses to an address are forgotten when it is unmapped, mapped over, or cut off from the heap's
 * end.
 *
 * victim_unmapped, victim_remapped, victim_break: one store and one load of each mapping, at the same addresses in
 * every round: no pair.
 *
 * The mapping that stays is a true positive among these.
 * pair dead-store @stays @stays n-1 8*(n-1) all
 * pair silent-store @stays @stays n-1 8*(n-1) all
 */
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

enum { MAP_BYTES = 1 << 16, MAP_HOW = MAP_PRIVATE | MAP_ANONYMOUS };

/* clang-format off */
VICTIM static void victim_unmapped(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 4093(%[p])")
        LINE("movq 64(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_remapped(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 4093(%[p])")
        LINE("movq 64(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_break(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 64(%[p])")
        LINE("movq 128(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_stays(void *p)
{
    __asm__ volatile(
        LINE("movq $7, (%[p])") /* @stays */
        : : [p] "r"(p) : "memory");
}
/* clang-format on */

static void *map(void *at, int how)
{
    void *p = mmap(at, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_HOW | how, -1, 0);
    if (p == MAP_FAILED)
        exit(1);
    return p;
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    void *stays = map(NULL, 0), *under = map(NULL, 0), *at = map(NULL, 0);
    for (uint64_t i = 0; i < n; i++) {
        munmap(at, MAP_BYTES);
        victim_unmapped(map(at, MAP_FIXED));
        victim_remapped(map(under, MAP_FIXED));
        void *end = sbrk(4096);
        if (end == (void *)-1)
            return 1;
        victim_break(end);
        if (sbrk(-4096) == (void *)-1)
            return 1;
        victim_stays(stays);
    }
    return 0;
}
