/*
 * Instructions that read, modify and write, but whose new value does not depend on the old one: a load and a store
 * each. gcc -Os and clang -Oz store constants in this way.
 *
 * The first @and loads the zeros with which the place begins, and so does @or.
 * pair silent-load @or @and n-1 4*(n-1) none
 * pair silent-load @and @or n 4*n 1/4 in none
 * pair dead-store @or @and n-1 4*(n-1) none
 * pair dead-store @and @or n 4*n none
 * pair silent-store @or @and n-1 4*(n-1) none
 * pair silent-store @and @or n 4*n none
 *
 * One, two and eight bytes.
 * pair silent-load @andb @andb n-1 n-1 all in @andb_loop
 * pair dead-store @andb @andb n-1 n-1 none
 * pair silent-store @andb @andb n-1 n-1 all in @andb_loop
 * pair silent-load @andw @andw n-1 2*(n-1) all in @andb_loop
 * pair dead-store @andw @andw n-1 2*(n-1) none
 * pair silent-store @andw @andw n-1 2*(n-1) all in @andb_loop
 * pair silent-load @andq @andq n-1 8*(n-1) all in @andb_loop
 * pair dead-store @andq @andq n-1 8*(n-1) none
 * pair silent-store @andq @andq n-1 8*(n-1) all in @andb_loop
 *
 * A plain store loads nothing.
 * pair dead-store @mov @mov n-1 4*(n-1) all in @andb_loop
 * pair silent-store @mov @mov n-1 4*(n-1) all in @andb_loop
 *
 * round loads 5 19 stores 6 23 dead-store 4 silent-store 15 silent-load 11
 * modes
 */
#include "victim.h"

static char cells[2][64] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_constants(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: andl $0, (%[p])") /* @and */
        LINE("orl $-1, (%[p])") /* @or */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}

VICTIM static void victim_widths(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: andb $0, (%[p])") /* @andb */
        LINE("andw $0, 9(%[p])") /* @andw */
        LINE("andq $0, 17(%[p])") /* @andq */
        LINE("movl $0, 32(%[p])") /* @mov */
        LINE("dec %[n]")
        LINE("jnz 1b") /* @andb_loop */
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
}
/* clang-format on */

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    victim_constants(cells[0], n);
    victim_widths(cells[1], n);
    return 0;
}
