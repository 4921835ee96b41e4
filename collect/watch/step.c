#include "collect/watch/watch.h"

#include <string.h>
#include <ucontext.h>

#include "base/clock.h"
#include "collect/watch/equal.h"

enum { TRAP_FLAG = 0x100, SPINS_MAX = 100, OWN_MAX = 400, RED_ZONE = 128, STACK_MAX = 1 << 28 };

extern void *__libc_stack_end; /* the dynamic linker's */

static greg_t *step_flags(void *ucontext)
{
    return &((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL];
}

void step_end(struct watcher *watcher, void *ucontext)
{
    watcher->stepping = false;
    *step_flags(ucontext) &= ~(greg_t)TRAP_FLAG;
}

/* ------------------------------------------------------------------------------------------ the end -- */

static void step_finish_window(struct watcher *watcher, void *ucontext, enum trace_outcome nothing)
{
    unsigned seen = watcher->seen[VALUES_PRECISE] + watcher->seen[VALUES_APPROXIMATE];
    step_end(watcher, ucontext);
    /* All accesses of the window so far. */
    const unsigned *events = watcher->seen, *bytes = watcher->seen_bytes;
    uint64_t values[] = {[RANGE_TIME] = clock_ns(CLOCK_MONOTONIC),
                         [RANGE_START] = watcher->start,
                         [RANGE_END] = watcher->at,
                         [RANGE_INSTRUCTIONS] = watcher->passed,
                         [RANGE_EVENTS] = events[VALUES_PRECISE] + events[VALUES_APPROXIMATE],
                         [RANGE_BYTES] = bytes[VALUES_PRECISE] + bytes[VALUES_APPROXIMATE],
                         [RANGE_APPROX_EVENTS] = events[VALUES_APPROXIMATE],
                         [RANGE_APPROX_BYTES] = bytes[VALUES_APPROXIMATE]};
    trace_append(watcher->stream, TRACE_RANGE, values, sizeof values / sizeof *values);
    if (seen == 0) {
        watch_count(watcher, nothing);
        return;
    }
    watcher->candidate.accesses = seen;
    watcher->candidate.start = watcher->start;
    if (watcher->done)
        hit_put(watcher);
    else if (watcher->candidate.armed)
        watch_offer(watcher);
    else if (watcher->voided)
        watch_count(watcher, OUTCOME_FRESH);
}

/* ------------------------------------------------------------------------------------------ on the way -- */

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* the linker's, as the next */
extern const char etext[] __attribute__((visibility("hidden")));

static void step_check_point(struct watcher *watcher, struct watchpoint *point, void *ucontext)
{
    for (unsigned t = 0; t < watcher->next_count && point->armed; t++) {
        const struct touch *touch = &watcher->next[t];
        if (touch->address < point->low + point->window && point->low < touch->address + touch->bytes)
            hit_decide(watcher, point, touch, ucontext);
    }
}

/*
 * The last of n accesses so far becomes the sampled one with probability 1/n, times the number that it represents: in
 * the end all have the same probability.
 *
 * A step of a long repeated string instruction is one element of it, but processors handle some 32 bytes of these per
 * cycle while they hit the cache, and some 8 if much is still to come, which is in no cache or in pages that the kernel
 * has just allocated; in a cycle they execute about two other instructions. A clock that counts instructions hardly
 * ever finds such an instruction, so nothing can represent it there.
 */
static void step_consider_access(struct watcher *watcher, const struct touch *touch, void *ucontext)
{
    enum { LONG = 512, HUGE = 1 << 16, CACHED = 16, UNCACHED = 4 };
    enum trace_state state;
    unsigned class = equal_is_approximate(touch->real, touch->bytes) ? VALUES_APPROXIMATE : VALUES_PRECISE;
    uint64_t left = touch->left * touch->bytes;
    unsigned at_once = left >= HUGE ? UNCACHED : CACHED;
    bool fast = !watch_host.counts_events() && left >= LONG && touch->bytes < at_once;
    unsigned accesses = fast ? at_once / touch->bytes : 1; /* that this one represents */
    watcher->seen[class] += accesses;
    watcher->seen_bytes[class] += accesses * touch->bytes;
    unsigned seen = watcher->seen[VALUES_PRECISE] + watcher->seen[VALUES_APPROXIMATE];
    if (rng_below(&watcher->rng, seen) >= accesses || !watch_read(touch->address, touch->bytes, &watcher->before))
        return;
    watcher->sampled = *touch;
    watcher->chosen = true;
    /* The end of the stack frame that contains the place. The thread's own block, at the end of its stack, is not in a
     * frame. */
    uint64_t pointer = (uint64_t)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
    uint64_t top = (uint64_t)(uintptr_t)__builtin_thread_pointer();
    if (top < pointer || top - pointer > STACK_MAX) /* the first thread's is elsewhere */
        top = (uint64_t)(uintptr_t)__libc_stack_end;
    watcher->frame = 0;
    if (watch_host.frame && touch->address >= pointer - RED_ZONE && touch->address < top && pointer <= top) {
        uint64_t end = watch_host.frame(ucontext, touch->address);
        watcher->frame = end ? end : WATCH_NO_FRAME;
    }
    watcher->pending.depth = watch_host.walk(ucontext, watcher->pending.frames, TRACE_STACK_MAX, &state);
}

/*
 * Whether the tick came in a long string instruction at the first byte of a page: it has just returned from a page
 * fault. The kernel ends one with interrupts off, so a tick from the kernel's time comes when the program continues:
 * far more of them than the instruction's own time accounts for.
 */
static bool step_is_after_fault(const struct watcher *watcher)
{
    enum { PAGE = 4096 };
    for (unsigned i = 0; i < watcher->next_count; i++)
        if (watcher->next[i].address % PAGE == 0 && watcher->next[i].left >= PAGE / watcher->next[i].bytes)
            return true;
    return false;
}

/* Examines the next instruction and lets it run. */
static void step_advance(struct watcher *watcher, void *ucontext)
{
    unsigned length = 0;
    const uint8_t *code = (const uint8_t *)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP]; /* NOLINT */
    watcher->next_count = touch_next(ucontext, watcher->next, &length);
    if (watcher->next_count == X86_ACCESS_UNKNOWN)
        watcher->next_count = 0;
    watcher->at = (uint64_t)(uintptr_t)code;
    watcher->returned = length > 0 && (code[0] == 0xc3 || code[0] == 0xc2);
    watcher->called = length > 1 && (code[0] == 0xe8 || (code[0] == 0xff && (code[1] & 0x38) == 0x10));
    watcher->repeated = length > 1 && code[0] >= 0xf2 && code[0] <= 0xf3;
    if (length == 0 || !x86_may_step(code, length) || (watcher->passed == 0 && step_is_after_fault(watcher))) {
        step_finish_window(watcher, ucontext, OUTCOME_SYSTEM);
        return;
    }
    /* Whether code is of our own functions that interpose the program's (free, write). */
    bool counts = watcher->at < (uint64_t)(uintptr_t)__ehdr_start || watcher->at >= (uint64_t)(uintptr_t)etext ||
                  watcher->own++ >= OWN_MAX;
    if (counts && watcher->skip == 0 && watcher->left == 0) {
        step_finish_window(watcher, ucontext, OUTCOME_NO_ACCESS);
        return;
    }
    if (counts && watcher->skip > 0)
        watcher->skip--;
    else if (counts) {
        /* The next instruction is one of the window. */
        watcher->left--;
        for (unsigned i = 0; i < watcher->next_count; i++)
            if (watch_host.config->waste == WASTE_SILENT_LOAD ? watcher->next[i].load : watcher->next[i].store)
                step_consider_access(watcher, &watcher->next[i], ucontext);
    }
    watcher->passed++;
    *step_flags(ucontext) |= TRAP_FLAG;
}

void step_begin(struct watcher *watcher, void *ucontext)
{
    const struct watch_config *config = watch_host.config;
    if (sigismember(&((ucontext_t *)ucontext)->uc_sigmask, SIGTRAP) == 1 || *step_flags(ucontext) & TRAP_FLAG) {
        watch_count(watcher, OUTCOME_BLOCKED);
        return;
    }
    watcher->stepping = true;
    watcher->skip = (unsigned)rng_below(&watcher->rng, config->ahead);
    watcher->left = config->window;
    watcher->spins = watcher->passed = watcher->own = 0;
    watcher->start = (uint64_t)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
    memset(watcher->seen, 0, sizeof watcher->seen);
    memset(watcher->seen_bytes, 0, sizeof watcher->seen_bytes);
    watcher->chosen = watcher->done = watcher->voided = watcher->candidate.armed = false;
    step_advance(watcher, ucontext);
}

/* Gives up what the step has left below the stack pointer: everything after a return, otherwise everything beyond the
 * red zone. */
static void step_sweep_stack(struct watcher *watcher, void *ucontext)
{
    uint64_t pointer = (uint64_t)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
    struct watchpoint *candidate = &watcher->candidate;
    uint64_t low = watcher->returned ? pointer : pointer - RED_ZONE;
    watch_sweep(watcher, low + RED_ZONE);
    bool address = watcher->called && candidate->chosen - pointer < sizeof pointer; /* gone by the next call */
    if (candidate->armed && candidate->frame && (candidate->chosen < low || address)) {
        candidate->armed = false;
        watcher->voided = true;
    }
}

void step_on(struct watcher *watcher, void *ucontext)
{
    /* If it has not moved, the trap of a register and that of the step have come as two signals. */
    if ((uint64_t)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] == watcher->at && !watcher->repeated &&
        watcher->spins++ < SPINS_MAX)
        return;
    /* A step may execute a watched access: the trap of the register and that of the step are one signal. */
    for (size_t i = 0; i < watcher->count; i++)
        step_check_point(watcher, &watcher->points[i], ucontext);
    step_check_point(watcher, &watcher->candidate, ucontext);
    step_sweep_stack(watcher, ucontext);
    if (watcher->chosen) {
        watch_fill(watcher, &watcher->candidate);
        watcher->chosen = watcher->done = watcher->voided = false;
        step_sweep_stack(watcher, ucontext);
    }
    step_advance(watcher, ucontext);
}
