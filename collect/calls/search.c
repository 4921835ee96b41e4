#include "collect/calls/calls.h"

/* ------------------------------------------------------------------------------------------ the registers -- */

static uint64_t word_at(uint64_t slot)
{
    return *(const uint64_t *)slot; /* NOLINT: the program's stack */
}

/* Waits for the next call of the function that runs. */
static void wait_below(struct calls *calls, const void *ucontext)
{
    struct call_search *search = &calls->search;
    uint64_t stack = prologue_stack(calls_pc(ucontext), calls_sp(ucontext));
    search->below = search->leaf || stack % sizeof stack != 0 ? 0 : stack - sizeof stack;
    calls_arm(calls, REGISTER_BELOW, search->below, true);
}

static void wait_in(struct calls *calls, struct call_frame frame)
{
    calls->search.frame = frame;
    calls->search.leaf = false;
    calls_arm(calls, REGISTER_FRAME, frame.slot, false);
}

/* Finds the frame of the function that runs. */
static void look_around(struct calls *calls, void *ucontext)
{
    struct call_frame frame = {0};
    calls_pause(calls);
    calls->search.above_count = 0;
    uint64_t end = calls_host.frame(ucontext, calls_sp(ucontext));
    if (end != 0 && end % sizeof end == 0) {
        frame.slot = end - sizeof end;
        frame.back = word_at(frame.slot);
    }
    wait_in(calls, frame);
    wait_below(calls, ucontext);
    calls_resume(calls);
}

/* ------------------------------------------------------------------------------------------ a search -- */

static unsigned draw_ahead(struct calls *calls)
{
    return CALLS_AHEAD_LEAST + (unsigned)draw_below(&calls->draw, CALLS_AHEAD_MOST - CALLS_AHEAD_LEAST + 1);
}

void search_go_on(struct calls *calls, void *ucontext)
{
    uint64_t now = calls->meter.program[METER_CPU];
    if (!calls->search.active) {
        calls->search = (struct call_search){
            .active = true, .wanted = draw_ahead(calls), .began = now, .since = now - calls->searched};
        calls->searched = now;
    }
    look_around(calls, ucontext);
}

void search_end(struct calls *calls)
{
    calls->search.active = false;
    calls_arm(calls, REGISTER_BELOW, 0, true);
    calls_arm(calls, REGISTER_FRAME, 0, false);
}

/* In thousandths, since the previous search: see calls.h. */
static uint64_t weight_of(const struct calls *calls)
{
    enum { THOUSANDTHS = 1000 };
    const struct call_search *search = &calls->search;
    double took = (double)(calls->meter.program[METER_CPU] - search->began);
    double floor = (double)search->seen * CALLS_FLOOR_NS, rate = (search->seen - 1) / (took > floor ? took : floor);
    double weight = THOUSANDTHS * rate * (double)search->since;
    return weight > 1 ? (uint64_t)weight : 1;
}

static void on_call(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    bool is_own = calls_host.is_own && calls_host.is_own(calls_pc(ucontext));
    if (++search->seen >= search->wanted && !is_own) {
        uint64_t weight = weight_of(calls);
        search_end(calls);
        instance_choose(calls, ucontext, weight);
        return;
    }
    if (search->above_count == CALLS_FRAMES) {
        search->above_count--;
        for (size_t i = 0; i < search->above_count; i++)
            search->above[i] = search->above[i + 1];
    }
    search->above[search->above_count++] = search->frame;
    wait_in(calls, (struct call_frame){calls_sp(ucontext), word_at(calls_sp(ucontext))});
    wait_below(calls, ucontext);
}

static void on_return(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    struct call_frame caller = search->above_count > 0 ? search->above[--search->above_count] : (struct call_frame){0};
    if (caller.slot < calls_sp(ucontext)) {
        look_around(calls, ucontext);
        return;
    }
    wait_in(calls, caller);
    wait_below(calls, ucontext);
}

/* Each trap costs the program time: a search that meets many without a call is over. */
static bool is_over(struct calls *calls)
{
    if (++calls->search.traps < CALLS_TRAPS)
        return false;
    search_end(calls);
    instance_count(calls, INSTANCE_NO_CALL);
    return true;
}

void search_on_below(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    uint64_t stack = calls_sp(ucontext);
    if (!search->active || is_over(calls))
        return;
    if (stack == search->below && prologue_is_called(calls_pc(ucontext), word_at(stack)))
        on_call(calls, ucontext);
    else if (search->frame.slot != 0 && stack > search->frame.slot)
        look_around(calls, ucontext);
    else {
        search->leaf = stack > search->below;
        wait_below(calls, ucontext);
    }
}

void search_on_frame(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    const struct call_frame *frame = &search->frame;
    if (!search->active || is_over(calls))
        return;
    uint64_t stack = calls_sp(ucontext);
    if (stack == frame->slot + sizeof stack && calls_pc(ucontext) == frame->back)
        on_return(calls, ucontext);
    else if (stack > frame->slot)
        look_around(calls, ucontext);
}
