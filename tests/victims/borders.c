/*
 * Accesses of 2 to 32 bytes that begin anywhere before a border and end after it: borders of 8 and of 512 bytes and of
 * pages in turn, and before each every number of bytes that the size allows. All use new bytes in every round.
 *
 * Two stores don't overlap: the last 3 of the first one's 4 bytes, and all but the last 3 of the second one's, are the
 * access @whole, which thus follows both. @over begins 4 bytes after @whole and ends one byte after the second: one of
 * its bytes is new, so nothing is wasted. Then the same with loads. With two bytes there is only one of each.
 *
 * pair dead-store @head_2 @whole_2 n n all in none
 * pair dead-store @tail_2 @whole_2 0 n all in none
 * pair dead-store @tail_2 @over_2 n n none
 * pair silent-store @head_2 @whole_2 n n all in none
 * pair silent-store @tail_2 @whole_2 0 n all in none
 * pair silent-store @tail_2 @over_2 n n none
 * pair silent-load @load_head_2 @load_whole_2 n n all in none
 * pair silent-load @load_tail_2 @load_whole_2 0 n all in none
 * pair silent-load @load_tail_2 @load_over_2 n n none
 *
 * pair dead-store @head_4 @whole_4 n 3*n all in none
 * pair dead-store @tail_4 @whole_4 0 n all in none
 * pair dead-store @tail_4 @over_4 n 3*n none
 * pair silent-store @head_4 @whole_4 n 3*n all in none
 * pair silent-store @tail_4 @whole_4 0 n all in none
 * pair silent-store @tail_4 @over_4 n 3*n none
 * pair silent-load @load_head_4 @load_whole_4 n 3*n all in none
 * pair silent-load @load_tail_4 @load_whole_4 0 n all in none
 * pair silent-load @load_tail_4 @load_over_4 n 3*n none
 *
 * pair dead-store @head_8 @whole_8 n 3*n all in none
 * pair dead-store @tail_8 @whole_8 0 5*n all in none
 * pair dead-store @whole_8 @over_8 n 4*n none
 * pair dead-store @tail_8 @over_8 0 3*n none
 * pair silent-store @head_8 @whole_8 n 3*n all in none
 * pair silent-store @tail_8 @whole_8 0 5*n all in none
 * pair silent-store @whole_8 @over_8 n 4*n none
 * pair silent-store @tail_8 @over_8 0 3*n none
 * pair silent-load @load_head_8 @load_whole_8 n 3*n all in none
 * pair silent-load @load_tail_8 @load_whole_8 0 5*n all in none
 * pair silent-load @load_whole_8 @load_over_8 n 4*n none
 * pair silent-load @load_tail_8 @load_over_8 0 3*n none
 *
 * pair dead-store @head_16 @whole_16 n 3*n all in none
 * pair dead-store @tail_16 @whole_16 0 13*n all in none
 * pair dead-store @whole_16 @over_16 n 12*n none
 * pair dead-store @tail_16 @over_16 0 3*n none
 * pair silent-store @head_16 @whole_16 n 3*n all in none
 * pair silent-store @tail_16 @whole_16 0 13*n all in none
 * pair silent-store @whole_16 @over_16 n 12*n none
 * pair silent-store @tail_16 @over_16 0 3*n none
 * pair silent-load @load_head_16 @load_whole_16 n 3*n all in none
 * pair silent-load @load_tail_16 @load_whole_16 0 13*n all in none
 * pair silent-load @load_whole_16 @load_over_16 n 12*n none
 * pair silent-load @load_tail_16 @load_over_16 0 3*n none
 *
 * pair dead-store @head_32 @whole_32 n 3*n all in none
 * pair dead-store @tail_32 @whole_32 0 29*n all in none
 * pair dead-store @whole_32 @over_32 n 28*n none
 * pair dead-store @tail_32 @over_32 0 3*n none
 * pair silent-store @head_32 @whole_32 n 3*n all in none
 * pair silent-store @tail_32 @whole_32 0 29*n all in none
 * pair silent-store @whole_32 @over_32 n 28*n none
 * pair silent-store @tail_32 @over_32 0 3*n none
 * pair silent-load @load_head_32 @load_whole_32 n 3*n all in none
 * pair silent-load @load_tail_32 @load_whole_32 0 29*n all in none
 * pair silent-load @load_whole_32 @load_over_32 n 28*n none
 * pair silent-load @load_tail_32 @load_over_32 0 3*n none
 *
 * needs avx
 * modes
 */
#include <sys/mman.h>

#include "victim.h"

enum { PAGE = 4096, AREA_BYTES = (VICTIM_ROUNDS_MAX + 1) * PAGE };

/* clang-format off */
VICTIM static void victim_2(void *p)
{
    __asm__ volatile(
        LINE("mov $0x5a5a, %%eax")
        LINE("movb %%al, (%[p])") /* @head_2 */
        LINE("movw %%ax, 1(%[p])") /* @tail_2 */
        LINE("movw %%ax, (%[p])") /* @whole_2 */
        LINE("movw %%ax, 2(%[p])") /* @over_2 */
        LINE("movb (%[p]), %%al") /* @load_head_2 */
        LINE("movw 1(%[p]), %%ax") /* @load_tail_2 */
        LINE("movw (%[p]), %%ax") /* @load_whole_2 */
        LINE("movw 2(%[p]), %%ax") /* @load_over_2 */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_4(void *p)
{
    __asm__ volatile(
        LINE("mov $0x5a5a5a5a, %%eax")
        LINE("movl %%eax, -1(%[p])") /* @head_4 */
        LINE("movl %%eax, 3(%[p])") /* @tail_4 */
        LINE("movl %%eax, (%[p])") /* @whole_4 */
        LINE("movl %%eax, 4(%[p])") /* @over_4 */
        LINE("movl -1(%[p]), %%eax") /* @load_head_4 */
        LINE("movl 3(%[p]), %%eax") /* @load_tail_4 */
        LINE("movl (%[p]), %%eax") /* @load_whole_4 */
        LINE("movl 4(%[p]), %%eax") /* @load_over_4 */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_8(void *p)
{
    __asm__ volatile(
        LINE("movabs $0x5a5a5a5a5a5a5a5a, %%rax")
        LINE("movl %%eax, -1(%[p])") /* @head_8 */
        LINE("movq %%rax, 3(%[p])") /* @tail_8 */
        LINE("movq %%rax, (%[p])") /* @whole_8 */
        LINE("movq %%rax, 4(%[p])") /* @over_8 */
        LINE("movl -1(%[p]), %%eax") /* @load_head_8 */
        LINE("movq 3(%[p]), %%rax") /* @load_tail_8 */
        LINE("movq (%[p]), %%rax") /* @load_whole_8 */
        LINE("movq 4(%[p]), %%rax") /* @load_over_8 */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_16(void *p)
{
    __asm__ volatile(
        LINE("mov $-1, %%eax")
        LINE("pcmpeqd %%xmm0, %%xmm0")
        LINE("movl %%eax, -1(%[p])") /* @head_16 */
        LINE("movdqu %%xmm0, 3(%[p])") /* @tail_16 */
        LINE("movdqu %%xmm0, (%[p])") /* @whole_16 */
        LINE("movdqu %%xmm0, 4(%[p])") /* @over_16 */
        LINE("movl -1(%[p]), %%eax") /* @load_head_16 */
        LINE("movdqu 3(%[p]), %%xmm0") /* @load_tail_16 */
        LINE("movdqu (%[p]), %%xmm0") /* @load_whole_16 */
        LINE("movdqu 4(%[p]), %%xmm0") /* @load_over_16 */
        : : [p] "r"(p) : "rax", "xmm0", "memory");
}

VICTIM static void victim_32(void *p)
{
    __asm__ volatile(
        LINE("xor %%eax, %%eax")
        LINE("vpxor %%xmm0, %%xmm0, %%xmm0")
        LINE("movl %%eax, -1(%[p])") /* @head_32 */
        LINE("vmovdqu %%ymm0, 3(%[p])") /* @tail_32 */
        LINE("vmovdqu %%ymm0, (%[p])") /* @whole_32 */
        LINE("vmovdqu %%ymm0, 4(%[p])") /* @over_32 */
        LINE("movl -1(%[p]), %%eax") /* @load_head_32 */
        LINE("vmovdqu 3(%[p]), %%ymm0") /* @load_tail_32 */
        LINE("vmovdqu (%[p]), %%ymm0") /* @load_whole_32 */
        LINE("vmovdqu 4(%[p]), %%ymm0") /* @load_over_32 */
        LINE("vzeroupper")
        : : [p] "r"(p) : "rax", "xmm0", "memory");
}
/* clang-format on */

/* A round's access begins 1 to size−1 bytes before its border, near which no other round accesses. */
static char *place(char *area, uint64_t round, uint64_t size)
{
    static const uint64_t borders[] = {1096, 512, PAGE}; /* 1096 = 2 · 512 + 9 · 8 */
    return area + round * PAGE + borders[round % 3] - 1 - round / 3 % (size - 1);
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    static void (*const victims[])(void *) = {victim_2, victim_4, victim_8, victim_16, victim_32};
    for (unsigned i = 0; i < sizeof victims / sizeof *victims; i++) {
        char *area = mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED)
            return 1;
        for (uint64_t round = 0; round < n; round++)
            victims[i](place(area, round, UINT64_C(2) << i));
        munmap(area, AREA_BYTES);
    }
    return 0;
}
