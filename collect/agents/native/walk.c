/*
 * Walks the stack of the interrupted thread with libgcc's unwinder, which is linked into the agent: with glibc ≥ 2.35
 * it finds unwind tables through _dl_find_object(), without a lock or an allocation. (libunwind takes dl_iterate_phdr's
 * lock and a lock of its cache, which a forked child may find held for ever.)
 */
#include "collect/agents/native/native.h"

#include <dlfcn.h>
#include <ucontext.h>
#include <unwind.h>

struct walk {
    struct trace_raw_frame *frames;
    size_t max, depth;
    uintptr_t interrupted; /* where the signal arrived; 0: found */
    bool cut, complete;
    struct announced last;
};

/* The code from which the dynamic linker calls constructors of libraries: their stacks end there without a mark. */
static uintptr_t loader;

/* The agent's own frames in the middle of a stack belong to its wrappers. */
static uintptr_t code_low, code_high;

bool walk_is_own(uint64_t address)
{
    return address >= code_low && address < code_high;
}

static _Unwind_Reason_Code walk_visit_frame(struct _Unwind_Context *context, void *user)
{
    struct walk *walk = user;
    int exact = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &exact);
    if (walk->interrupted) {
        if (!exact || address != walk->interrupted)
            return _URC_NO_REASON;
        walk->interrupted = 0;
    }
    /* The functions that begin a program or a thread have no caller: their return address is undefined, and the
     * unwinder returns 0 for it. A stack that it can't follow ends in another address. */
    walk->complete = address == 0 || address == loader;
    if (address == 0)
        return _URC_END_OF_STACK;
    /* A return address may be the first address of the next line or function. */
    uintptr_t code = exact ? address : address - 1;
    if (walk->depth > 0 && walk_is_own(code))
        return _URC_NO_REASON;
    if (walk->depth == walk->max) {
        walk->cut = true;
        return _URC_END_OF_STACK;
    }
    walk->frames[walk->depth++] = (struct trace_raw_frame){.code = code};
    if (sampler_is_outside())
        announce_code(code, &walk->last);
    return _URC_NO_REASON;
}

static void walk_unwind(void *walk)
{
    _Unwind_Backtrace(walk_visit_frame, walk);
}

static void walk_announce_first(void *user)
{
    struct walk *walk = user;
    if (sampler_is_outside())
        announce_code(walk->frames[0].code, &walk->last);
}

size_t native_walk_stack(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state)
{
    const ucontext_t *interrupted = ucontext;
    uintptr_t address = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    struct walk walk = {.frames = frames, .max = max - 1, .interrupted = address};
    if (!guard_run(walk_unwind, &walk))
        walk.complete = false;
    *state = STATE_NATIVE;
    if (walk.depth == 0) {
        frames[walk.depth++] = (struct trace_raw_frame){.code = address};
        guard_run(walk_announce_first, &walk);
    }
    if (walk.cut) {
        frames[walk.depth++] = (struct trace_raw_frame){.code = FRAME_TRUNCATED};
    } else if (!walk.complete) {
        frames[walk.depth++] = (struct trace_raw_frame){.code = FRAME_UNWALKABLE};
        *state = STATE_UNWALKABLE;
    }
    return walk.depth;
}

/* As walk_visit_frame(), from this function on: its own frame, and those of the hook that has called it, are the
 * agent's. */
static _Unwind_Reason_Code walk_visit_caller(struct _Unwind_Context *context, void *user)
{
    struct walk *walk = user;
    return walk_is_own(_Unwind_GetIP(context) - 1) ? _URC_NO_REASON : walk_visit_frame(context, walk);
}

static void walk_unwind_callers(void *walk)
{
    _Unwind_Backtrace(walk_visit_caller, walk);
}

size_t walk_callers(struct trace_raw_frame *frames, size_t max)
{
    struct walk walk = {.frames = frames, .max = max - 1};
    if (!guard_run(walk_unwind_callers, &walk))
        walk.complete = false;
    if (walk.cut)
        frames[walk.depth++] = (struct trace_raw_frame){.code = FRAME_TRUNCATED};
    else if (!walk.complete)
        frames[walk.depth++] = (struct trace_raw_frame){.code = FRAME_UNWALKABLE};
    return walk.depth;
}

static _Unwind_Reason_Code walk_visit_outermost(struct _Unwind_Context *context, void *user)
{
    uintptr_t address = _Unwind_GetIP(context);
    if (address != 0)
        *(uintptr_t *)user = address;
    return _URC_NO_REASON;
}

void walk_prepare(void)
{
    _Unwind_Backtrace(walk_visit_outermost, &loader);
    struct dl_find_object agent;
    if (_dl_find_object((void *)(uintptr_t)walk_prepare, &agent) == 0) {
        code_low = (uintptr_t)agent.dlfo_map_start;
        code_high = (uintptr_t)agent.dlfo_map_end;
    }
}

/* Uses the unwind tables, which separate each function from the next. Parts that the compiler has moved away are
 * separate functions there. */
uint64_t walk_function(uint64_t code)
{
    return (uint64_t)(uintptr_t)_Unwind_FindEnclosingFunction((void *)code); /* NOLINT: an address of the program */
}

struct holder {
    uintptr_t interrupted; /* 0: found */
    uint64_t address, end;
};

/* _Unwind_GetCFA() of a frame's context gives the stack pointer in it: the end of the frame that it has called. */
static _Unwind_Reason_Code walk_find_frame_end(struct _Unwind_Context *context, void *user)
{
    struct holder *holder = user;
    int exact = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &exact);
    if (holder->interrupted) {
        if (exact && address == holder->interrupted)
            holder->interrupted = 0;
        return _URC_NO_REASON;
    }
    holder->end = (uint64_t)_Unwind_GetCFA(context);
    return holder->end > holder->address ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void walk_unwind_for_end(void *holder)
{
    _Unwind_Backtrace(walk_find_frame_end, holder);
}

uint64_t walk_frame(void *ucontext, uint64_t address)
{
    struct holder holder = {.interrupted = (uintptr_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP],
                            .address = address};
    return guard_run(walk_unwind_for_end, &holder) && holder.end > address ? holder.end : 0;
}
