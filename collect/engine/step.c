#include "collect/engine/watch.h"

#include <string.h>
#include <ucontext.h>

#include "collect/engine/state.h"

enum { TRAP_FLAG = 0x100 };

static greg_t *flags_of(void *ucontext)
{
    return &((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL];
}

void step_end(struct watcher *watcher, void *ucontext)
{
    watcher->step = STEP_NONE;
    *flags_of(ucontext) &= ~(greg_t)TRAP_FLAG;
}

static void give_up(struct watcher *watcher, void *ucontext, enum trace_outcome outcome)
{
    step_end(watcher, ucontext);
    watch_count(watcher, outcome);
}

/*
 * Instructions after which the thread could not be stepped any more, or would be stepped for ever: a system call may
 * block SIGTRAP, and the kernel ends a process that is stepped then; pushf and popf copy the flag.
 */
static bool is_off_limits(const uint8_t *code, unsigned length)
{
    unsigned at = 0;
    while (at + 1 < length && (code[at] == 0x66 || (code[at] & 0xf0) == 0x40 || code[at] == 0xf2 || code[at] == 0xf3))
        at++;
    uint8_t opcode = code[at];
    return opcode == 0x9c || opcode == 0x9d || (opcode >= 0xcc && opcode <= 0xcf) || opcode == 0xf1 ||
           (opcode == 0x0f && at + 1 < length && (code[at + 1] == 0x05 || code[at + 1] == 0x34));
}

static bool is_wanted(const struct touch *touch)
{
    return sampler.config.watch.waste == WASTE_SILENT_LOAD ? touch->load : touch->store;
}

/* What a step runs over may touch what is watched: the trap of the register and the one of the step are one signal. */
static void look_at_points(struct watcher *watcher, void *ucontext)
{
    for (size_t i = 0; i < watcher->count; i++) {
        struct watchpoint *point = &watcher->points[i];
        for (unsigned t = 0; t < watcher->next_count && point->armed; t++) {
            const struct touch *touch = &watcher->next[t];
            if (touch->address < point->low + point->window && point->low < touch->address + touch->bytes)
                hit_decide(watcher, point, touch, ucontext);
        }
    }
}

/* The access to be sampled is the next instruction's: what is known only before it. */
static void choose(struct watcher *watcher, const struct touch *touch, void *ucontext)
{
    enum trace_state state;
    watcher->sampled = *touch;
    watcher->step = STEP_SAMPLED;
    if (!watch_read(touch->address, touch->bytes, &watcher->before))
        watcher->step = STEP_SEARCH;
    watcher->stack.depth = sampler.hooks.walk(ucontext, watcher->stack.frames, TRACE_STACK_MAX, &state);
}

/* Looks at the instruction that comes next and lets it run. */
static void advance(struct watcher *watcher, void *ucontext)
{
    unsigned length = 0;
    const uint8_t *code = (const uint8_t *)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP]; /* NOLINT */
    watcher->next_count = touch_next(ucontext, watcher->next, &length);
    watcher->at = (uint64_t)(uintptr_t)code;
    watcher->repeated = length > 1 && code[0] >= 0xf2 && code[0] <= 0xf3;
    if (watcher->next_count == X86_ACCESS_UNKNOWN)
        watcher->next_count = 0;
    if (length == 0 || is_off_limits(code, length)) {
        give_up(watcher, ucontext, OUTCOME_SYSTEM);
        return;
    }
    if (watcher->budget-- == 0) {
        give_up(watcher, ucontext, OUTCOME_NO_ACCESS);
        return;
    }
    for (unsigned i = 0; i < watcher->next_count && watcher->step == STEP_SEARCH; i++)
        if (is_wanted(&watcher->next[i]) && --watcher->left == 0)
            choose(watcher, &watcher->next[i], ucontext);
    *flags_of(ucontext) |= TRAP_FLAG;
}

void step_begin(struct watcher *watcher, void *ucontext)
{
    unsigned ahead = sampler.config.watch.ahead;
    if (sigismember(&((ucontext_t *)ucontext)->uc_sigmask, SIGTRAP) == 1 || *flags_of(ucontext) & TRAP_FLAG) {
        watch_count(watcher, OUTCOME_BLOCKED);
        return;
    }
    watcher->step = STEP_SEARCH;
    watcher->left = 1 + (unsigned)draw_below(&watcher->draw, ahead);
    watcher->budget = ahead * WATCH_STEPS;
    advance(watcher, ucontext);
}

/* The trap of a register and that of the step have come as two signals after all. */
static bool has_not_moved(const struct watcher *watcher, void *ucontext)
{
    return (uint64_t)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] == watcher->at && !watcher->repeated;
}

void step_on(struct watcher *watcher, void *ucontext)
{
    if (has_not_moved(watcher, ucontext)) {
        if (watcher->budget-- == 0)
            give_up(watcher, ucontext, OUTCOME_NO_ACCESS);
        return;
    }
    look_at_points(watcher, ucontext);
    if (watcher->step == STEP_SAMPLED) {
        step_end(watcher, ucontext);
        watch_offer(watcher);
    } else {
        advance(watcher, ucontext);
    }
}
