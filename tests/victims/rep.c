/*
 * String instructions: one access per element.
 *
 * 64 bytes, never loaded.
 * pair dead-store @stos @stos 64*(n-1) 64*(n-1) all in @stos_loop
 * pair silent-store @stos @stos 64*(n-1) 64*(n-1) all in @stos_loop
 *
 * Four elements of four bytes, whose value counts the rounds.
 * pair dead-store @stosl @stosl 4*(n-1) 16*(n-1) all in @stosl_loop
 * pair silent-store @stosl @stosl 4*(n-1) 16*(n-1) none
 *
 * Eight elements of eight bytes, copied.
 * pair silent-load @movs @movs 8*(n-1) 64*(n-1) all in @movs_loop
 * pair dead-store @movs @movs 8*(n-1) 64*(n-1) all in @movs_loop
 * pair silent-store @movs @movs 8*(n-1) 64*(n-1) all in @movs_loop
 *
 * 15 bytes, each copied to the next address: the next element loads each store but the last.
 * pair silent-load @spread @spread 15*(n-1) 15*(n-1) all in @spread_loop
 * pair dead-store @spread @spread 15*(n-1) 15*(n-1) n-1/n-1 in @spread_loop
 * pair silent-store @spread @spread 15*(n-1) 15*(n-1) all in @spread_loop
 *
 * 16 bytes are searched without success, twice 16 are compared and equal, and one element of eight bytes is loaded.
 * pair silent-load @scas @scas 16*(n-1) 16*(n-1) all in @scas_loop
 * pair silent-load @cmps @cmps 32*(n-1) 32*(n-1) all in @cmps_loop
 * pair silent-load @lods @lods n-1 8*(n-1) all in @lods_loop
 *
 * Of three bytes that are compared, the second differs: two elements, four loads.
 * pair silent-load @differs @differs 4*(n-1) 4*(n-1) all in @differs_loop
 *
 * 100 bytes are copied, neither from nor to an aligned address, and 40 from the last to the first.
 * pair silent-load @many @many 100*(n-1) 100*(n-1) all in @many_loop
 * pair dead-store @many @many 100*(n-1) 100*(n-1) all in @many_loop
 * pair silent-store @many @many 100*(n-1) 100*(n-1) all in @many_loop
 * pair silent-load @back @back 40*(n-1) 40*(n-1) all in @back_loop
 * pair dead-store @back @back 40*(n-1) 40*(n-1) all in @back_loop
 * pair silent-store @back @back 40*(n-1) 40*(n-1) all in @back_loop
 *
 * 200,003 bytes, three times, whatever n is.
 * pair silent-load @large @large 400006 400006 all in @large_loop
 * pair dead-store @large @large 400006 400006 all in @large_loop
 * pair silent-store @large @large 400006 400006 all in @large_loop
 *
 * victim_none: no element, no access.
 *
 * round loads 216 279 stores 231 299 dead-store 285 silent-store 283 silent-load 279
 */
#include "victim.h"

static char cells[9][2][64] __attribute__((aligned(64)));
static char pages[2][4][4096] __attribute__((aligned(4096)));
static char large[2][0x40000] __attribute__((aligned(4096)));

/* clang-format off */
VICTIM static void victim_stos(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $7, %%eax")
        LINE("1: mov %[p], %%rdi")
        LINE("mov $64, %%ecx")
        LINE("rep stosb") /* @stos */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @stos_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "rdi", "memory", "cc");
}

VICTIM static void victim_stosl(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov %[p], %%rdi")
        LINE("mov $4, %%ecx")
        LINE("mov %[n], %%rax")
        LINE("rep stosl") /* @stosl */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @stosl_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "rdi", "memory", "cc");
}

VICTIM static void victim_movs(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 64(%[p]), %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $8, %%ecx")
        LINE("rep movsq") /* @movs */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @movs_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_spread(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 1(%[p]), %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $15, %%ecx")
        LINE("rep movsb") /* @spread */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @spread_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_scas(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("mov $7, %%eax")
        LINE("1: mov %[p], %%rdi")
        LINE("mov $16, %%ecx")
        LINE("repne scasb") /* @scas */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @scas_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "rdi", "memory", "cc");
}

VICTIM static void victim_cmps(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 64(%[p]), %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $16, %%ecx")
        LINE("repe cmpsb") /* @cmps */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @cmps_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_lods(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: mov %[p], %%rsi")
        LINE("lodsq") /* @lods */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @lods_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rsi", "memory", "cc");
}

VICTIM static void victim_differs(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 64(%[p]), %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("mov $3, %%ecx")
        LINE("repe cmpsb") /* @differs */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @differs_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_many(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 0x1001(%[p]), %%rdi")
        LINE("lea 3(%[p]), %%rsi")
        LINE("mov $100, %%ecx")
        LINE("rep movsb") /* @many */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @many_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_back(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 0x1040(%[p]), %%rdi")
        LINE("lea 0x40(%[p]), %%rsi")
        LINE("mov $40, %%ecx")
        LINE("std")
        LINE("rep movsb") /* @back */
        LINE("cld")
        LINE("dec %[n]")
        LINE("jnz 1b") /* @back_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_large(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 0x40006(%[p]), %%rdi")
        LINE("lea 1(%[p]), %%rsi")
        LINE("mov $200003, %%ecx")
        LINE("rep movsb") /* @large */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @large_loop */
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}

VICTIM static void victim_none(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: lea 64(%[p]), %%rdi")
        LINE("mov %[p], %%rsi")
        LINE("xor %%ecx, %%ecx")
        LINE("rep movsb")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rcx", "rsi", "rdi", "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    cells[7][1][1] = 1;
    victim_stos(cells[0], n);
    victim_stosl(cells[1], n);
    victim_movs(cells[2], n);
    victim_spread(cells[3], n);
    victim_scas(cells[4], n);
    victim_cmps(cells[5], n);
    victim_lods(cells[6], n);
    victim_differs(cells[7], n);
    victim_many(pages[0][1], n);
    victim_back(pages[1][1], n);
    victim_large(large, 3);
    victim_none(cells[8], n);
    return 0;
}
