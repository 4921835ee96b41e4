/*
 * Walks the stack of the interrupted thread with the unwinder of libgcc, which is linked into the agent: on glibc
 * ≥ 2.35 it finds unwind tables through _dl_find_object(), without a lock or an allocation. (libunwind takes
 * dl_iterate_phdr's lock and a lock of its cache, which a forked child may find held for ever.)
 */
#include "collect/native/native.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unwind.h>

/* Functions in which complete stacks end: the entries of program and loader, the starts of threads. */
enum { ROOT_ENTRY, ROOT_MAIN, ROOT_CLONE, ROOT_LOADER, ROOT_THREAD, ROOT_COUNT };
static void *_Atomic roots[ROOT_COUNT];

struct walk {
    struct trace_raw_frame *frames;
    size_t max, depth;
    uintptr_t interrupted; /* where the signal came; 0: found */
    uintptr_t last;        /* the outermost address so far */
    bool cut;
};

/* The agent's own frames in the middle of a stack are those of its wrappers. */
static uintptr_t code_low, code_high;

static bool in_agent(uintptr_t address)
{
    return address >= code_low && address < code_high;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *user)
{
    struct walk *walk = user;
    int exact = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &exact);
    if (walk->interrupted) {
        if (!exact || address != walk->interrupted)
            return _URC_NO_REASON;
        walk->interrupted = 0;
    }
    if (address == 0)
        return _URC_END_OF_STACK;
    /* A return address may be the first of the next line or function. */
    uintptr_t code = exact ? address : address - 1;
    walk->last = code;
    if (walk->depth > 0 && in_agent(code))
        return _URC_NO_REASON;
    if (walk->depth == walk->max) {
        walk->cut = true;
        return _URC_END_OF_STACK;
    }
    walk->frames[walk->depth++] = (struct trace_raw_frame){.code = code};
    return _URC_NO_REASON;
}

static bool is_root(uintptr_t code)
{
    void *function = code ? _Unwind_FindEnclosingFunction((void *)(code + 1)) : NULL;
    for (size_t i = 0; function && i < ROOT_COUNT; i++)
        if (atomic_load(&roots[i]) == function)
            return true;
    return false;
}

size_t walk_stack(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state)
{
    const ucontext_t *interrupted = ucontext;
    uintptr_t address = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    struct walk walk = {.frames = frames, .max = max - 1, .interrupted = address};
    _Unwind_Backtrace(visit, &walk);
    *state = STATE_NATIVE;
    if (walk.depth == 0) /* code without unwind information */
        frames[walk.depth++] = (struct trace_raw_frame){.code = walk.last = address};
    if (walk.cut) {
        frames[walk.depth++] = (struct trace_raw_frame){.code = FRAME_TRUNCATED};
    } else if (!is_root(walk.last)) {
        frames[walk.depth++] = (struct trace_raw_frame){.code = FRAME_UNWALKABLE};
        *state = STATE_UNWALKABLE;
    }
    return walk.depth;
}

static _Unwind_Reason_Code keep_last(struct _Unwind_Context *context, void *user)
{
    *(uintptr_t *)user = _Unwind_GetIP(context);
    return _URC_NO_REASON;
}

/* The function in which the calling thread's stack ends. */
static void *own_root(void)
{
    uintptr_t last = 0;
    _Unwind_Backtrace(keep_last, &last);
    return last ? _Unwind_FindEnclosingFunction((void *)last) : NULL;
}

void walk_prepare(void)
{
    struct dl_find_object agent;
    if (_dl_find_object((void *)(uintptr_t)walk_prepare, &agent) == 0) {
        code_low = (uintptr_t)agent.dlfo_map_start;
        code_high = (uintptr_t)agent.dlfo_map_end;
    }
    /* By entry point and symbol: an entry that has no unwind information of its own is not reached. */
    atomic_store(&roots[ROOT_ENTRY], (void *)getauxval(AT_ENTRY));
    atomic_store(&roots[ROOT_MAIN], dlsym(RTLD_DEFAULT, "__libc_start_main"));
    atomic_store(&roots[ROOT_CLONE], dlsym(RTLD_DEFAULT, "clone"));
    atomic_store(&roots[ROOT_LOADER], own_root());
}

void walk_prepare_in_thread(void *unused)
{
    (void)unused;
    atomic_store(&roots[ROOT_THREAD], own_root());
}
