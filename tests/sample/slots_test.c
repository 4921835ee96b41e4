/*
 * slots_test.c - the slots of threads: a new one touches no memory but its own, and those that were released come back.
 */
#include "collect/sample/slots.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"

enum { BLOCK = 256, MANY = 2 * BLOCK + 3 };

static size_t visited;

static void count_slot(struct slot *slot, void *user)
{
    visited += slot != user;
}

static size_t count_others(struct slot *slot)
{
    visited = 0;
    slots_each(count_slot, slot);
    return visited;
}

/* How many of the pages of the slots behind this one, in its block, are in memory. */
static size_t touched(const struct slot *slot)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
    uintptr_t begin = ((uintptr_t)(slot + 1) + page - 1) / page * page, end = (uintptr_t)(slot + BLOCK) / page * page;
    unsigned char resident;
    for (; begin < end; begin += page)
        count += mincore((void *)begin, page, &resident) == 0 && (resident & 1); /* NOLINT: an address */
    return count;
}

int main(void)
{
    struct slot *slots[MANY + 1], *first = slots_take(1000);
    ok(first && slots_of_tid(1000) == first, "a slot is found by its thread");
    is_u64(touched(first), 0, "  the pages of the next ones are not in memory");
    is_u64(count_others(NULL), 1, "  it is the only one");
    is_u64(touched(first), 0, "  which can be found out without them");
    ok(slots_holds(first + 1) && !slots_holds((char *)first + 1), "slots are known that were never used");
    ok(slots_hold_stack(first->stack) && slots_hold_stack(first->stack + SLOT_STACK_BYTES - 1) &&
           !slots_hold_stack(first->stack + SLOT_STACK_BYTES),
       "the stack of a slot is known");
    for (int i = 0; i < MANY; i++)
        slots[i] = slots_take(2000 + i);
    is_u64(count_others(first), MANY, "more slots than a block has");
    bool found = true;
    for (int i = 0; i < MANY; i++)
        found &= slots[i] && slots_of_tid(2000 + i) == slots[i] && slots_hold_stack(slots[i]->stack);
    ok(found, "  each is found");
    slots_release(slots[5]);
    slots_release(slots[BLOCK + 7]);
    is_u64(count_others(first), MANY - 2, "two are released");
    ok(!slots_of_tid(2005) && slots_hold_stack(slots[5]->stack),
       "  their threads have none, but their stacks are known");
    ok(slots_take(3000) == slots[BLOCK + 7] && slots_take(3001) == slots[5], "  the last one comes back first");
    slots[MANY] = slots_take(3002);
    is_u64(count_others(first), MANY + 1, "  then there is a new one");
    slots_reset();
    is_u64(count_others(NULL), 0, "after a fork none is in use");
    ok(slots_take(4000) && count_others(NULL) == 1, "  and they are used again");
    return done_testing();
}
