/*
 * mremap: pages that move keep their accesses; added pages start without any, and so does the place that was left. And
 * a mapping of which some pages are mapped again.
 *
 * Each round begins with a mapping of two pages, moves it to a place of three, alternately below and above the tool's
 * table of pages (2^38), stores and loads there the same values as before, across the pages' border and into the new
 * page, and maps the place that was left, where nothing is known.
 *
 * pair dead-store @first @again n 8*n all in none
 * pair silent-store @first @again n 8*n all in none
 * pair dead-store @border @border_again n 8*n all in none
 * pair silent-store @border @border_again n 8*n all in none
 * pair silent-load @use @use_again n 4*n all in none
 *
 * Four bytes of the last old page, four of the new one: half of the store has no predecessor.
 * pair dead-store @last @into n 4*n none
 * pair silent-store @last @into n 4*n none
 *
 * A byte that was loaded stays loaded: the store is not dead.
 * pair dead-store @read @read_again n 4*n none
 * pair silent-store @read @read_again n 4*n all in none
 * pair silent-load @read_use @read_use_again n 4*n all in none
 *
 * A mapping shrinks, and the part that was cut off is mapped again: the remaining part stays known.
 * pair dead-store @stays @stays n-1 4*(n-1) all
 * pair silent-store @stays @stays n-1 4*(n-1) all
 *
 * The middle one of three pages is unmapped and mapped again: half of each store across its ends stays known.
 * pair dead-store @head @head n-1 4*(n-1) none
 * pair silent-store @head @head n-1 4*(n-1) none
 * pair dead-store @tail @tail n-1 4*(n-1) none
 * pair silent-store @tail @tail n-1 4*(n-1) none
 * pair silent-load @beside @beside n-1 8*(n-1) all
 */
#include <sys/mman.h>

#include "victim.h"

enum { PAGE = 4096 };

/* clang-format off */
VICTIM static void victim_before(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 64(%[p])") /* @first */
        LINE("movq $7, 4091(%[p])") /* @border */
        LINE("movl $7, 8188(%[p])") /* @last */
        LINE("movl 128(%[p]), %%eax") /* @use */
        LINE("movl $7, 256(%[p])") /* @read */
        LINE("movl 256(%[p]), %%eax") /* @read_use */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_moved(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 64(%[p])") /* @again */
        LINE("movq $7, 4091(%[p])") /* @border_again */
        LINE("movq $7, 8188(%[p])") /* @into */
        LINE("movl 128(%[p]), %%eax") /* @use_again */
        LINE("movl $7, 256(%[p])") /* @read_again */
        LINE("movl 256(%[p]), %%eax") /* @read_use_again */
        LINE("movq $7, 8256(%[p])")
        LINE("movl 8320(%[p]), %%eax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_left(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 64(%[p])")
        LINE("movq $7, 4091(%[p])")
        LINE("movl 128(%[p]), %%eax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_shrunk(void *p)
{
    __asm__ volatile(
        LINE("movl $7, 4092(%[p])") /* @stays */
        LINE("movl $7, 4096(%[p])")
        LINE("movl 4160(%[p]), %%eax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_middle(void *p)
{
    __asm__ volatile(
        LINE("movq $7, 4092(%[p])") /* @head */
        LINE("movq $7, 8188(%[p])") /* @tail */
        LINE("movq 64(%[p]), %%rax") /* @beside */
        LINE("movq 4160(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}
/* clang-format on */

static void must(int right)
{
    if (!right)
        exit(1);
}

static void *map(void *at, size_t pages)
{
    void *p = mmap(at, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    must(p != MAP_FAILED);
    return p;
}

static void *resized(void *p, size_t before, size_t after, void *at)
{
    void *q = mremap(p, before * PAGE, after * PAGE, at ? MREMAP_MAYMOVE | MREMAP_FIXED : 0, at);
    must(q != MAP_FAILED);
    return q;
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    char *old = map(NULL, 2), *near = map(NULL, 3), *far = (char *)(UINT64_C(1) << 40), *middle = map(NULL, 3);
    char *shrinks = map(NULL, 2);
    for (uint64_t i = 0; i < n; i++) {
        char *p = map(old, 2);
        victim_before(p);
        victim_moved(resized(p, 2, 3, i % 2 ? far : near));
        victim_left(map(old, 2));
        must(resized(shrinks, 2, 1, NULL) == shrinks);
        map(shrinks + PAGE, 1);
        victim_shrunk(shrinks);
        munmap(middle + PAGE, PAGE);
        map(middle + PAGE, 1);
        victim_middle(middle);
    }
    return 0;
}
