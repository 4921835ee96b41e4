/*
 * Spatial load redundancy of mappings between threads, and of what threads use as stacks.
 *
 * A thread maps a block and loads from it n times; main, after it has ended, n times, too, and the first of them has
 * another thread's load before it.
 * pair spatial-load @there* @there* n-1 8*(n-1) all of @shared_map
 * pair spatial-load @here* @here* n-1 8*(n-1) all of @shared_map
 *
 * Then another thread unmaps it, and maps a block there: another object, of which main's second load is the first that
 * makes a pair.
 * pair spatial-load @anew* @anew_again* 1 8 all in none of @other_map
 *
 * victim_stack, in a thread with the stack of pthread_create, and in one with a block that the program has mapped: the
 * stack is not an object. Nor is what the program maps as a stack (MAP_STACK), as some coroutines' are.
 *
 * The rest of a mapping of which a part is the alternate stack of signal handlers is an object.
 * pair spatial-load @data* @data* n-1 8*(n-1) all of @alternate_map
 *
 * mode spatial-load
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "victim.h"

enum { STACK = 1 << 18, BLOCK = 1 << 16, HOW = MAP_PRIVATE | MAP_ANONYMOUS };

static uint64_t rounds;
static char *block;

/* clang-format off */
VICTIM static void victim_there(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p],%[n],8), %%rax") /* @there */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_here(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p],%[n],8), %%rax") /* @here */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_anew(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax") /* @anew */
        LINE("movq 128(%[p]), %%rax") /* @anew_again */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_stack(uint64_t n)
{
    __asm__ volatile(
        LINE("movq $7, -16(%%rsp)")
        LINE("movq $7, -8(%%rsp)")
        LINE("1: movq -16(%%rsp), %%rax")
        LINE("movq -8(%%rsp), %%rcx")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_declared(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax")
        LINE("movq 128(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_data(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p],%[n],8), %%rax") /* @data */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}
/* clang-format on */

static void *must(void *p)
{
    if (p == MAP_FAILED)
        exit(1);
    return p;
}

static void *mapping(void *unused)
{
    (void)unused;
    block = must(mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, HOW, -1, 0)); /* @shared_map */
    victim_there(block, rounds);
    return NULL;
}

static void *replacing(void *unused)
{
    (void)unused;
    munmap(block, BLOCK);
    must(mmap(block, BLOCK, PROT_READ | PROT_WRITE, HOW | MAP_FIXED, -1, 0)); /* @other_map */
    return NULL;
}

static void *stacked(void *unused)
{
    (void)unused;
    victim_stack(rounds);
    return NULL;
}

static void handle(int number)
{
    (void)number;
    victim_stack(rounds);
}

static void run(void *(*routine)(void *), const pthread_attr_t *how)
{
    pthread_t thread;
    if (pthread_create(&thread, how, routine, NULL) != 0 || pthread_join(thread, NULL) != 0)
        exit(1);
}

static void alternate(void)
{
    char *both = must(mmap(NULL, STACK + BLOCK, PROT_READ | PROT_WRITE, HOW, -1, 0)); /* @alternate_map */
    stack_t stack = {.ss_sp = both, .ss_size = STACK};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0 || raise(SIGUSR1) != 0)
        exit(1);
    victim_data(both + STACK, rounds);
}

int main(int argc, char **argv)
{
    pthread_attr_t own;
    rounds = VICTIM_ROUNDS(argc, argv);
    run(mapping, NULL);
    victim_here(block, rounds);
    run(replacing, NULL);
    victim_anew(block);
    run(stacked, NULL);
    void *stack = must(mmap(NULL, STACK, PROT_READ | PROT_WRITE, HOW, -1, 0));
    if (pthread_attr_init(&own) != 0 || pthread_attr_setstack(&own, stack, STACK) != 0)
        return 1;
    run(stacked, &own);
    victim_declared(must(mmap(NULL, STACK, PROT_READ | PROT_WRITE, HOW | MAP_STACK, -1, 0)));
    alternate();
    return 0;
}
