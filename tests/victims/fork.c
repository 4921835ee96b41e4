/*
 * fork and exec: a child continues with the accesses before the fork, each process counts its own pairs, and a new
 * program starts without any.
 *
 * The parent's stores and loads before the fork are last accesses both for the parent and for the child.
 * pair dead-store @before* @in_child* n 8*n all in none
 * pair silent-store @before* @in_child* n 8*n all in none
 * pair dead-store @before* @in_parent* n 8*n all in none
 * pair silent-store @before* @in_parent* n 8*n none
 * pair silent-load @before_use* @child_use* n 8*n all in none
 * pair silent-load @before_use* @parent_use* n 8*n all in none
 *
 * Pairs before the fork, or before exec, count once; the child of a vfork changes nothing before it becomes another
 * program. Three programs run this: the first, the one that its child becomes, and the one that the child's child
 * becomes by vfork. Each starts without accesses.
 * pair dead-store @program @program 3*(n-1) 4*3*(n-1) all
 * pair silent-store @program @program 3*(n-1) 4*3*(n-1) all
 * pair silent-load @program_use @program_use 3*(n-1) 4*3*(n-1) all
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static char cells[VICTIM_ROUNDS_MAX][16] __attribute__((aligned(64)));
static char cell[64] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void victim_before(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $7, (%[p])") /* @before */
        LINE("movq 8(%[p]), %%rax") /* @before_use */
        LINE("add $16, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}

VICTIM static void victim_child(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $7, (%[p])") /* @in_child */
        LINE("movq 8(%[p]), %%rax") /* @child_use */
        LINE("add $16, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}

VICTIM static void victim_parent(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq $8, (%[p])") /* @in_parent */
        LINE("movq 8(%[p]), %%rax") /* @parent_use */
        LINE("add $16, %[p]")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n), [p] "+r"(p) : : "rax", "memory", "cc");
}

VICTIM static void victim_program(void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movl $7, (%[p])") /* @program */
        LINE("movl 8(%[p]), %%eax") /* @program_use */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}
/* clang-format on */

static int finish(pid_t child)
{
    int status = 1;
    waitpid(child, &status, 0);
    return status != 0;
}

static int run(char **argv, uint64_t n)
{
    victim_before(cells, n);
    pid_t child = fork();
    if (child == 0) {
        victim_child(cells, n);
        execl(argv[0], argv[0], argv[1], "child", (char *)NULL);
        _exit(127);
    }
    victim_parent(cells, n);
    return finish(child);
}

static int run_child(char **argv)
{
    pid_t child = vfork();
    if (child == 0) {
        execl(argv[0], argv[0], argv[1], "grandchild", (char *)NULL);
        _exit(127);
    }
    return finish(child);
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    const char *who = argc > 2 ? argv[2] : "parent";
    victim_program(cell, n);
    if (strcmp(who, "grandchild") == 0)
        return 0;
    return strcmp(who, "child") == 0 ? run_child(argv) : run(argv, n);
}
