/* One watchpoint: from the access that was chosen to a register, and to its end. */
#include "collect/watch/watch.h"

#include <string.h>

#include "base/clock.h"
#include "base/copy_readable.h"

enum { PAGE = 4096 };

void watch_count(struct watcher *watcher, enum trace_outcome outcome)
{
    uint64_t values[] = {[WATCH_TIME] = clock_ns(CLOCK_MONOTONIC), [WATCH_OUTCOME] = outcome, [WATCH_COUNT] = 1};
    trace_append(watcher->stream, TRACE_WATCH, values, sizeof values / sizeof *values);
}

struct reservoir *watch_reservoir(struct watcher *watcher, const struct watchpoint *point, int *index)
{
    size_t at = (size_t)(point - watcher->points);
    bool elsewhere = at >= watcher->elsewhere_first && at < watcher->elsewhere_first + watcher->elsewhere.count;
    *index = (int)(at - (elsewhere ? watcher->elsewhere_first : watcher->stack_first));
    return elsewhere ? &watcher->elsewhere : &watcher->stack;
}

void watch_disarm(struct watcher *watcher, struct watchpoint *point)
{
    int index;
    point->armed = false;
    if (point->trap.fd < 0)
        return;
    watch_pause(point);
    if (point == watcher->guard)
        return;
    if (watcher->guard && watcher->guard->armed && point->frame) {
        watcher->guard->armed = false;
        watch_pause(watcher->guard);
    }
    struct reservoir *reservoir = watch_reservoir(watcher, point, &index);
    reservoir_release(reservoir, index);
}

void watch_give_up(struct watcher *watcher, struct watchpoint *point, enum trace_outcome outcome)
{
    watch_disarm(watcher, point);
    watch_count(watcher, outcome);
}

void watch_sweep(struct watcher *watcher, uint64_t stack_pointer)
{
    enum { RED_ZONE = 128 };
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed && watcher->points[i].frame &&
            watcher->points[i].chosen < stack_pointer - RED_ZONE)
            watch_give_up(watcher, &watcher->points[i], OUTCOME_FRESH);
}

/* ------------------------------------------------------------------------------------------ a sample -- */

/* [address, address + bytes) and its surroundings within the same pages, up to WATCH_VALUE bytes. */
bool watch_read(uint64_t address, unsigned bytes, struct memory *memory)
{
    enum { BEFORE = 16 };
    if (bytes == 0 || bytes > WATCH_VALUE)
        return false;
    uint64_t floor = address / PAGE * PAGE, ceiling = (address + bytes - 1) / PAGE * PAGE + PAGE;
    uint64_t space = (WATCH_VALUE - bytes) < BEFORE ? WATCH_VALUE - bytes : BEFORE;
    memory->low = address - floor < space ? floor : address - space;
    uint64_t rest = ceiling - memory->low;
    memory->bytes = rest < WATCH_VALUE ? (unsigned)rest : WATCH_VALUE;
    return copy_readable(memory->value, memory->low, memory->bytes);
}

void watch_fill(struct watcher *watcher, struct watchpoint *point)
{
    const struct touch *first = &point->first;
    point->first = watcher->sampled;
    /* A byte of the access, and the largest aligned part of the access around it that a register can watch. */
    uint64_t end = first->address + first->bytes;
    point->chosen = first->address + rng_below(&watcher->rng, first->bytes);
    point->low = point->chosen / WATCH_WINDOW * WATCH_WINDOW;
    for (point->window = WATCH_WINDOW;
         point->window > 1 && (point->low < first->address || point->low + point->window > end);) {
        point->window /= 2;
        point->low = point->chosen / point->window * point->window;
    }
    point->loaded = point->ignored = 0;
    if (watch_host.config->waste != WASTE_SILENT_LOAD)
        watch_read(point->first.address, point->first.bytes, &point->kept);
    else
        point->kept = watcher->before;
    memcpy(point->now, (const void *)point->low, point->window); /* NOLINT: the program's memory */
    point->stack.depth = watcher->pending.depth;
    memcpy(point->stack.frames, watcher->pending.frames, watcher->pending.depth * sizeof *watcher->pending.frames);
    point->trap.fd = -1;
    point->writes = system_writes(&watcher->io);
    point->frame = watcher->frame;
    point->armed = true;
    point->writes_only = watch_host.config->waste == WASTE_SILENT_STORE;
}

void watch_offer(struct watcher *watcher)
{
    const struct watchpoint *candidate = &watcher->candidate;
    struct watchpoint *guard = watcher->guard;
    bool replaced, shared = watcher->elsewhere_first == watcher->stack_first;
    bool stack = candidate->frame && !shared;
    int index = reservoir_offer(stack ? &watcher->stack : &watcher->elsewhere, &watcher->rng, &replaced);
    if (index == RESERVOIR_NONE) {
        watch_count(watcher, OUTCOME_DECLINED);
        return;
    }
    if (replaced)
        watch_count(watcher, OUTCOME_REPLACED);
    if (replaced && guard && (stack || shared))
        watch_disarm(watcher, guard);
    struct watchpoint *point = &watcher->points[index + (int)(stack ? watcher->stack_first : watcher->elsewhere_first)];
    struct debug_register trap = point->trap;
    memcpy(point, candidate,
           offsetof(struct watchpoint, stack.frames) + candidate->stack.depth * sizeof *candidate->stack.frames);
    point->trap = trap;
    bool armed = watch_arm(point, point->writes_only);
    if (armed && guard && point->frame > WATCH_NO_FRAME) {
        /* A store over its return address shows that the frame is gone. */
        guard->low = point->frame - sizeof(uint64_t);
        guard->window = sizeof(uint64_t);
        armed = watch_arm(guard, true);
    }
    if (!armed)
        watch_give_up(watcher, point, OUTCOME_BLOCKED);
}
