#include <errno.h>

#include "base/copy_readable.h"
#include "collect/calls/calls.h"

/* No address: the program may have registers of its own, whose signals carry a word of its choice. */
static const uint64_t OURS = UINT64_C(0xa55a) << 48;

uint64_t wait_word(const void *what)
{
    return OURS | (uint64_t)(uintptr_t)what;
}

bool wait_is_ours(uint64_t word)
{
    return word >> 48 == OURS >> 48;
}

unsigned wait_at_same(const struct calls *calls, enum call_wait which)
{
    unsigned set = 0;
    for (enum call_wait other = WAIT_FRAME; other < WAITS; other++)
        if (calls->armed[other] == calls->armed[which])
            set |= 1U << other;
    return set;
}

enum call_wait wait_of(const struct calls *calls, uint64_t word)
{
    enum call_wait which = WAIT_BELOW;
    while (which < WAITS && (which >= calls->wait_count || word != wait_word(&calls->registers[which])))
        which++;
    return which;
}

int wait_open(struct calls *calls, pid_t tid)
{
    if (!calls_host.stubs) {
        /* A counter finds the calls of counted functions: only their returns are waited for. */
        int error = 0;
        calls->wait_count = calls_host.event.wanted ? WAIT_FRAME : WAIT_BELOW;
        while (!error && calls->wait_count < WAITS) {
            struct debug_register *trap = &calls->registers[calls->wait_count];
            error = debug_register_open(trap, tid, false, wait_word(trap));
            calls->wait_count += !error;
        }
        if (calls->wait_count > WAIT_OPEN)
            return 0;
        wait_close(calls);
        return error;
    }
    if (!stubs_possible())
        return ENOTSUP;
    calls->wait_count = WAITS;
    return 0;
}

int wait_try_registers(void)
{
    struct debug_register traps[WAIT_OPEN + 1];
    size_t count = 0;
    int error = 0;
    while (!error && count <= WAIT_OPEN) {
        error = debug_register_open(&traps[count], 0, false, 0);
        count += !error;
    }
    for (size_t i = 0; i < count; i++)
        debug_register_close(&traps[i]);
    return error;
}

/* Stubs stay: the thread may be gone, with its stack. A return through one goes on as if it were not there. */
void wait_close(struct calls *calls)
{
    for (size_t i = 0; i < calls->wait_count && !calls_host.stubs; i++)
        if (calls->registers[i].event != 0)
            debug_register_close(&calls->registers[i]);
    calls->wait_count = 0;
}

/* ------------------------------------------------------------------------------------------ stubs -- */

static struct call_stub *wait_find_stub(struct calls *calls, uint64_t slot)
{
    for (size_t i = 0; i < WAITS; i++)
        if (calls->stubs[i].slot == slot)
            return &calls->stubs[i];
    return NULL;
}

/* The frame with this slot has been left, and what waited there waits no more. */
static void wait_mark_left(struct calls *calls, uint64_t slot)
{
    for (size_t i = 0; i < WAITS; i++)
        if (calls->armed[i] == slot)
            calls->armed[i] = 0;
    for (size_t i = 0; i < calls->open_count; i++)
        calls->open[i].left |= calls->open[i].frame.slot == slot;
}

static void wait_remove_stub(struct calls *calls, uint64_t slot)
{
    struct call_stub *stub = wait_find_stub(calls, slot);
    if (!stub)
        return;
    if (stub->stub != 0 && !stubs_take(slot, stub->stub))
        wait_mark_left(calls, slot);
    stub->slot = 0;
}

bool wait_may_replace(uint64_t function, uint64_t back)
{
    if (!calls_host.stubs)
        return true;
    uint64_t code = function != 0 ? prologue_function(function) : 0;
    return code != 0 && calls_host.function(code + 1) != 0 && calls_host.function(back) != 0 &&
           prologue_leaves_return(code);
}

uint64_t wait_address(uint64_t slot)
{
    return stubs_real(*(const uint64_t *)slot); /* NOLINT: the program's stack */
}

unsigned wait_returned(struct calls *calls, uint64_t slot)
{
    unsigned set = 0;
    struct call_stub *stub = wait_find_stub(calls, slot);
    if (stub)
        stub->slot = 0;
    for (unsigned i = 0; i < WAITS; i++)
        if (calls->armed[i] == slot) {
            calls->armed[i] = 0;
            set |= 1U << i;
        }
    return set;
}

void wait_put_back(struct calls *calls)
{
    for (struct call_stub *stub = calls->stubs; stub < calls->stubs + WAITS; stub++) {
        if (stub->slot != 0 && stub->stub != 0)
            stubs_take(stub->slot, stub->stub);
        stub->stub = 0;
    }
}

void wait_put_again(struct calls *calls, uint64_t low, uint64_t high)
{
    for (size_t i = 0; i < calls->open_count; i++)
        calls->open[i].left |= calls->open[i].frame.slot >= low && calls->open[i].frame.slot < high;
    for (struct call_stub *stub = calls->stubs; stub < calls->stubs + WAITS; stub++) {
        if (stub->slot == 0 || stub->stub != 0)
            continue;
        bool left = stub->slot >= low && stub->slot < high;
        stub->stub = left ? 0 : stubs_put(stub->slot, stub->real);
        if (stub->stub != 0)
            continue;
        wait_mark_left(calls, stub->slot);
        stub->slot = 0;
    }
}

/* ------------------------------------------------------------------------------------------ either -- */

static bool wait_move_stub(struct calls *calls, enum call_wait which, struct call_frame location)
{
    uint64_t before = calls->armed[which], word;
    calls->armed[which] = 0;
    size_t others = 0; /* that wait there, too */
    for (size_t i = 0; i < WAITS; i++)
        others += calls->armed[i] == before;
    if (before != 0 && before != location.slot && others == 0)
        wait_remove_stub(calls, before);
    if (location.slot == 0)
        return false;
    const struct call_stub *there = wait_find_stub(calls, location.slot);
    if (there && there->stub != 0 && copy_readable(&word, location.slot, sizeof word) && word == there->stub)
        return true;
    /* A frame that has been left without notice may have had the same slot. */
    wait_remove_stub(calls, location.slot);
    struct call_stub *free = wait_find_stub(calls, 0);
    uint64_t stub = free ? stubs_put(location.slot, location.back) : 0;
    if (stub != 0)
        *free = (struct call_stub){location.slot, stub, location.back};
    return stub != 0;
}

void wait_at(struct calls *calls, enum call_wait which, struct call_frame location)
{
    if (calls->closing || (calls->armed[which] == location.slot && !calls_host.stubs))
        return;
    bool waits = location.slot != 0;
    if (calls_host.stubs)
        waits = wait_move_stub(calls, which, location);
    else if (waits)
        waits = debug_register_watch(&calls->registers[which],
                                     (struct debug_place){location.slot, sizeof location.slot, which == WAIT_BELOW});
    else
        debug_register_pause(&calls->registers[which]);
    calls->armed[which] = waits ? location.slot : 0;
}

void wait_pause(struct calls *calls)
{
    if (calls->pauses++ > 0 || calls_host.stubs)
        return;
    for (size_t i = WAIT_FRAME; i < calls->wait_count; i++)
        if (calls->armed[i] != 0)
            debug_register_pause(&calls->registers[i]);
}

void wait_resume(struct calls *calls)
{
    if (--calls->pauses > 0 || calls_host.stubs)
        return;
    for (size_t i = WAIT_FRAME; i < calls->wait_count; i++)
        if (calls->armed[i] != 0)
            debug_register_resume(&calls->registers[i]);
}
