/*
 * Calling contexts: one instruction reached by several call paths has several contexts.
 *
 * By two callers.
 * pair dead-store @shared<@left @shared<@right n 4*n all in none
 * pair dead-store @shared<@right @shared<@left n-1 4*(n-1) all
 * pair silent-store @shared<@left @shared<@right n 4*n all in none
 * pair silent-store @shared<@right @shared<@left n-1 4*(n-1) all
 *
 * From two places of one caller.
 * pair dead-store @callee<@place_1 @callee<@place_2 n 4*n all in none
 * pair dead-store @callee<@place_2 @callee<@place_1 n-1 4*(n-1) all
 * pair silent-store @callee<@place_1 @callee<@place_2 n 4*n all in none
 * pair silent-store @callee<@place_2 @callee<@place_1 n-1 4*(n-1) all
 *
 * By recursion.
 * pair dead-store @deep @deep<@again n 4*n all in none
 * pair dead-store @deep<@again @deep<@again<@again n 4*n all in none
 * pair dead-store @deep<@again<@again @deep n-1 4*(n-1) all
 * pair silent-store @deep @deep<@again n 4*n all in none
 * pair silent-store @deep<@again @deep<@again<@again n 4*n all in none
 * pair silent-store @deep<@again<@again @deep n-1 4*(n-1) all
 *
 * Through a pointer.
 * pair dead-store @pointed<@pointer @pointed<@pointer n-1 4*(n-1) all
 * pair silent-store @pointed<@pointer @pointed<@pointer n-1 4*(n-1) all
 *
 * A tail call leaves the function that jumps, but not its caller.
 * pair dead-store @tail* @tail* n-1 4*(n-1) all
 * pair silent-store @tail* @tail* n-1 4*(n-1) all
 * pair dead-store @after_tail<@calls @after_tail<@calls n-1 4*(n-1) all
 * pair silent-store @after_tail<@calls @after_tail<@calls n-1 4*(n-1) all
 *
 * Inlined into one function at two places.
 * pair dead-store @inlined<@inline_1 @inlined<@inline_2 n 4*n all in none
 * pair dead-store @inlined<@inline_2 @inlined<@inline_1 n-1 4*(n-1) all
 * pair silent-store @inlined<@inline_1 @inlined<@inline_2 n 4*n all in none
 * pair silent-store @inlined<@inline_2 @inlined<@inline_1 n-1 4*(n-1) all
 */
#include "victim.h"

static char cells[7][64] __attribute__((aligned(64)));

/* After a call, so that this is not a tail call. */
#define HERE __asm__ volatile("")

/* clang-format off */
VICTIM static void victim_shared(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @shared */
        : : [p] "r"(p) : "memory");
}

VICTIM static void victim_callee(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @callee */
        : : [p] "r"(p) : "memory");
}

VICTIM static void victim_deep(void *p, int more)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @deep */
        : : [p] "r"(p) : "memory");
    if (more > 0)
        victim_deep(p, more - 1); /* @again */
    HERE;
}

VICTIM static void victim_pointed(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @pointed */
        : : [p] "r"(p) : "memory");
}

VICTIM void victim_tail(void *p);
VICTIM void victim_tail(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @tail */
        : : [p] "r"(p) : "memory");
}

VICTIM static void victim_after_tail(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @after_tail */
        : : [p] "r"(p) : "memory");
}
/* clang-format on */

VICTIM static void victim_left(void *p)
{
    victim_shared(p); /* @left */
    HERE;
}

VICTIM static void victim_right(void *p)
{
    victim_shared(p); /* @right */
    HERE;
}

VICTIM static void victim_twice(void *p)
{
    victim_callee(p); /* @place_1 */
    victim_callee(p); /* @place_2 */
    HERE;
}

VICTIM static void victim_pointer(void (*function)(void *), void *p)
{
    function(p); /* @pointer */
    HERE;
}

__attribute__((naked, noipa)) static void victim_jump(void *p)
{
    __asm__("jmp victim_tail");
}

VICTIM static void victim_calls(void *p, void *q)
{
    victim_jump(p);
    victim_after_tail(q); /* @calls */
    HERE;
}

__attribute__((always_inline)) static inline void victim_inlined(void *p)
{
    *(volatile int *)p = 7; /* @inlined */
}

VICTIM static void victim_inlining(void *p)
{
    victim_inlined(p); /* @inline_1 */
    victim_inlined(p); /* @inline_2 */
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    for (uint64_t i = 0; i < n; i++) {
        victim_left(cells[0]);
        victim_right(cells[0]);
        victim_twice(cells[1]);
        victim_deep(cells[2], 2);
        victim_pointer(victim_pointed, cells[3]);
        victim_calls(cells[4], cells[5]);
        victim_inlining(cells[6]);
    }
    return 0;
}
