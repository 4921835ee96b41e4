#include "collect/watch/watch.h"

#include <string.h>
#include <ucontext.h>

#include "base/clock.h"
#include "collect/watch/equal.h"

static bool hit_covers_chosen(const struct watchpoint *point, const struct touch *touch)
{
    return point->chosen >= touch->address && point->chosen < touch->address + touch->bytes;
}

/*
 * What the access loaded or stored, over old memory: [from, from + bytes) is the part that is known before and after.
 * What an instruction that changes memory has loaded is known only within the window, since every change of that traps.
 */
struct span {
    uint64_t from;
    unsigned bytes;
    uint8_t value[WATCH_VALUE];
};

static bool hit_value(const struct watchpoint *point, const struct touch *touch, bool loaded, struct span *span)
{
    uint64_t low = point->kept.low, high = low + point->kept.bytes, end = touch->address + touch->bytes;
    bool changed = loaded && touch->store;
    if (changed) {
        low = point->low;
        high = low + point->window;
    }
    span->from = touch->address > low ? touch->address : low;
    if (end > high)
        end = high;
    if (end <= span->from)
        return false;
    span->bytes = (unsigned)(end - span->from);
    const void *from = changed ? point->now + (span->from - point->low) : (const void *)span->from; /* NOLINT */
    memcpy(span->value, from, span->bytes);
    return true;
}

/* The stack of the second access, before its instruction. */
static void hit_walk_second(struct watcher *watcher, const struct touch *touch, void *ucontext)
{
    enum trace_state state;
    greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
    greg_t saved[3] = {registers[REG_RIP], registers[REG_RSP], registers[REG_RBP]};
    touch_rewind(ucontext, touch);
    watcher->second.depth = watch_host.walk(ucontext, watcher->second.frames, TRACE_STACK_MAX, &state);
    registers[REG_RIP] = saved[0];
    registers[REG_RSP] = saved[1];
    registers[REG_RBP] = saved[2];
}

static void hit_write_pair(struct watcher *watcher, const struct watchpoint *point, uint64_t *values, double weight,
                           const struct stack *second)
{
    const struct trace_stack stacks[] = {{TRAP_FIRST, point->stack.frames, point->stack.depth},
                                         {TRAP_SECOND, second->frames, second->depth}};
    /* Weights are whole numbers in the trace: they are rounded randomly, so that their sum is right on average. */
    enum { PARTS = 1 << 20 };
    double whole = (double)(uint64_t)weight;
    values[TRAP_WEIGHT] =
        (uint64_t)whole + (rng_below(&watcher->rng, PARTS) < (uint64_t)((weight - whole) * (double)PARTS));
    values[TRAP_START] = point->start;
    trace_append_stacks(watcher->stream, TRACE_TRAP, values, TRAP_START + 1, stacks, 2);
}

void hit_put(struct watcher *watcher)
{
    hit_write_pair(watcher, &watcher->candidate, watcher->values, watcher->candidate.accesses, &watcher->third);
}

static void hit_record_pair(struct watcher *watcher, struct watchpoint *point, const struct touch *touch, bool wasted,
                            void *ucontext)
{
    bool candidate = point == &watcher->candidate;
    const struct touch *typed = watch_host.config->waste == WASTE_DEAD_STORE ? &point->first : touch;
    uint64_t values[TRAP_START + 1] = {
        [TRAP_TIME] = clock_ns(CLOCK_MONOTONIC),
        [TRAP_WASTE] = watch_host.config->waste,
        [TRAP_VALUES] = equal_is_approximate(typed->real, typed->bytes) ? VALUES_APPROXIMATE : VALUES_PRECISE,
        [TRAP_WASTED] = wasted,
        [TRAP_BYTES] = point->first.bytes,
        [TRAP_SECOND_BYTES] = touch->bytes,
        [TRAP_REGISTER] = candidate ? 0 : (uint64_t)(point - watcher->points) + 1};
    memcpy(&values[TRAP_FIRST_LOW], point->first.text, 2 * sizeof *values);
    memcpy(&values[TRAP_SECOND_LOW], touch->text, 2 * sizeof *values);
    hit_walk_second(watcher, touch, ucontext);
    if (candidate) {
        /* The candidate may still be replaced by another one. */
        watcher->done = true;
        watcher->candidate.armed = false;
        memcpy(watcher->values, values, sizeof watcher->values);
        watcher->third.depth = watcher->second.depth;
        memcpy(watcher->third.frames, watcher->second.frames, watcher->second.depth * sizeof *watcher->second.frames);
        return;
    }
    int index;
    const struct reservoir *reservoir = watch_reservoir(watcher, point, &index);
    hit_write_pair(watcher, point, values, reservoir->weight[index] * point->accesses, &watcher->second);
    watch_disarm(watcher, point);
}

/* An inconclusive trap: re-arm, or give up. */
static void hit_wait_on(struct watcher *watcher, struct watchpoint *point)
{
    memcpy(point->now, (const void *)point->low, point->window); /* NOLINT: the program's memory */
    if (++point->ignored < WATCH_IGNORED)
        watch_resume(point);
    else
        watch_give_up(watcher, point, OUTCOME_GIVEN_UP);
}

static void hit_after_dead(struct watcher *watcher, struct watchpoint *point, const struct touch *touch, void *ucontext)
{
    unsigned mask = 0; /* of the window's bytes that the access covers */
    for (unsigned i = 0; i < point->window; i++)
        if (point->low + i >= touch->address && point->low + i < touch->address + touch->bytes)
            mask |= 1u << i;
    bool chosen = hit_covers_chosen(point, touch);
    if (touch->load)
        point->loaded |= mask;
    if (touch->store && chosen) {
        bool dead = (point->loaded & mask) == 0;
        if (touch->system && !dead)
            watch_give_up(watcher, point, OUTCOME_KERNEL);
        /* The thread has called write(2) or its kin since the first store, whose reads are not seen. */
        else if (dead && point->loaded == 0 && watcher->io.fd >= 0 && system_writes(&watcher->io) != point->writes)
            watch_give_up(watcher, point, OUTCOME_UNSEEN);
        else
            hit_record_pair(watcher, point, touch, dead, ucontext);
        return;
    }
    if (touch->store)
        point->loaded &= ~mask;
    /* It is not dead, whatever comes; the next store over it completes the pair. */
    if (touch->load && chosen && !point->writes_only)
        watch_arm(point, true);
    else
        hit_wait_on(watcher, point);
}

/* Whether a load or a store repeats the value of the first access of its kind. */
static void hit_after_silent(struct watcher *watcher, struct watchpoint *point, const struct touch *touch,
                             void *ucontext)
{
    struct span span;
    bool loads = watch_host.config->waste == WASTE_SILENT_LOAD;
    if (touch->system && !loads) {
        /* What the kernel has written is compared with the next store; it has the weight of the store before it. */
        watch_read(point->first.address, point->first.bytes, &point->kept);
        if (hit_covers_chosen(point, touch)) {
            hit_walk_second(watcher, touch, ucontext);
            point->first.code = touch->code;
            memcpy(point->first.text, touch->text, sizeof point->first.text);
            point->stack.depth = watcher->second.depth;
            memcpy(point->stack.frames, watcher->second.frames, watcher->second.depth * sizeof *watcher->second.frames);
        }
        hit_wait_on(watcher, point);
        return;
    }
    bool same_kind = loads ? touch->load : touch->store;
    bool known = same_kind && hit_value(point, touch, loads, &span);
    uint8_t *before = known ? point->kept.value + (span.from - point->kept.low) : NULL;
    if (same_kind && hit_covers_chosen(point, touch)) {
        bool repeats = known && equal_values(before, span.value, span.bytes,
                                             span.bytes == touch->bytes ? touch->real : X86_REAL_NONE,
                                             watch_host.config->fp_tolerance);
        hit_record_pair(watcher, point, touch, repeats, ucontext);
        return;
    }
    if (known) /* of those bytes, this is the last access */
        memcpy(before, span.value, span.bytes);
    hit_wait_on(watcher, point);
}

void hit_decide(struct watcher *watcher, struct watchpoint *point, const struct touch *touch, void *ucontext)
{
    watch_pause(point);
    if (watch_host.config->waste == WASTE_DEAD_STORE)
        hit_after_dead(watcher, point, touch, ucontext);
    else
        hit_after_silent(watcher, point, touch, ucontext);
}

void hit_take(struct watcher *watcher, struct watchpoint *point, void *ucontext)
{
    struct touch touch;
    watch_pause(point);
    if (!system_before(ucontext, point, &touch) && !touch_before(ucontext, point, &touch)) {
        watch_give_up(watcher, point, OUTCOME_UNKNOWN);
        return;
    }
    /* Without a guard a store may be the first of another call; in any case another frame may be there by now. */
    bool unknown = point->frame == WATCH_NO_FRAME;
    bool other = point->frame && touch.store && (!watcher->guard || unknown);
    if (!other && point->frame && !unknown)
        other = watch_host.frame(ucontext, touch.address) != point->frame;
    if (other)
        watch_give_up(watcher, point, OUTCOME_FRESH);
    else
        hit_decide(watcher, point, &touch, ucontext);
}
