#include "collect/calls/calls.h"

#include "base/copy_readable.h"

/* ------------------------------------------------------------------------------------------ the places -- */

/* Waits for the next call of the function that runs. */
static void search_wait_below(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    if (calls_host.stubs) {
        single_step_to_call(calls, ucontext);
        return;
    }
    uint64_t stack = prologue_stack(calls_pc(ucontext), calls_sp(ucontext));
    search->below = search->leaf || stack % sizeof stack != 0 ? 0 : stack - sizeof stack;
    wait_at(calls, WAIT_BELOW, (struct call_frame){.slot = search->below});
}

static void search_wait_for_none(struct calls *calls)
{
    single_step_stop(calls);
    wait_at(calls, WAIT_BELOW, (struct call_frame){0});
    wait_at(calls, WAIT_FRAME, (struct call_frame){0});
}

static void search_wait_in(struct calls *calls, struct call_frame frame)
{
    calls->search.frame = frame;
    calls->search.leaf = false;
    wait_at(calls, WAIT_FRAME, frame);
}

/* Finds the frame of the function that runs. */
static void search_find_frame(struct calls *calls, void *ucontext)
{
    struct call_frame frame = {0};
    wait_pause(calls);
    calls->search.above_count = 0;
    uint64_t end = calls_host.frame(ucontext, calls_sp(ucontext));
    /* Where the caller is not a function but a signal or the start of a thread, there may be no memory. */
    if (end != 0 && end % sizeof end == 0 && copy_readable(&frame.back, end - sizeof end, sizeof frame.back) &&
        wait_may_replace(calls_host.function(calls_pc(ucontext)), stubs_real(frame.back))) {
        frame.slot = end - sizeof end;
        frame.back = stubs_real(frame.back);
    }
    search_wait_in(calls, frame);
    search_wait_below(calls, ucontext);
    wait_resume(calls);
}

/* ------------------------------------------------------------------------------------------ a window -- */

static int64_t search_now_ns(const struct calls *calls)
{
    return calls->meter.program[METER_CPU];
}

static bool search_is_past(const struct calls *calls)
{
    return search_now_ns(calls) - calls->search.began > calls->search.length;
}

void search_end(struct calls *calls)
{
    static const double KEPT = 0.75;
    struct call_search *search = &calls->search;
    if (!search->active)
        return;
    int64_t took = search_now_ns(calls) - search->began;
    search->calls = KEPT * search->calls + search->seen;
    search->ns = KEPT * search->ns + (double)(took < search->length ? took : search->length);
    search->active = false;
    search_wait_for_none(calls);
}

void search_go_on(struct calls *calls, void *ucontext)
{
    if (calls->search.active && search_is_past(calls))
        search_end(calls);
    if (!calls->search.active) {
        struct call_search *search = &calls->search;
        int64_t now = search_now_ns(calls);
        search->since = now - search->began;
        search->began = now;
        /* For CALLS_TARGET calls at the rate of the previous windows. */
        double length = search->ns > 0 ? CALLS_TARGET * search->ns / (search->calls + 1) : CALLS_FIRST_NS;
        search->length = length < CALLS_SHORTEST_NS  ? CALLS_SHORTEST_NS
                         : length > CALLS_LONGEST_NS ? CALLS_LONGEST_NS
                                                     : (int64_t)length;
        search->active = true;
        search->suspended = false;
        search->seen = search->depth = search->traps = search->steps = 0;
    }
    if (calls->open_count == 0 || calls->open[calls->open_count - 1].number != calls->search.within)
        calls->search.suspended = false; /* the call has been left */
    if (!calls->search.suspended)
        search_find_frame(calls, ucontext);
}

/* ------------------------------------------------------------------------------------------ calls -- */

/* In thousandths: see calls.h. */
static uint64_t search_call_weight(const struct calls *calls)
{
    enum { THOUSANDTHS = 1000, LEAST = 8 };
    const struct call_search *search = &calls->search;
    double took = (double)(search_now_ns(calls) - search->began), floor = (double)search->seen * (double)CALLS_FLOOR_NS;
    double doubt = (double)(search->traps * meter_doubt(&calls->meter));
    floor = floor > doubt ? floor : doubt;
    double weight = THOUSANDTHS * (double)search->since / (double)search->length * CALLS_ONE_OF;
    if (search->seen >= LEAST) {
        /* It stands for the calls that the window is cut before. */
        double more = (search->seen - 1) / (took > floor ? took : floor) * (double)search->length / CALLS_SEEN;
        weight *= more > 1 ? more : 1;
    }
    for (unsigned i = 0; i < search->depth; i++)
        weight *= (double)CALLS_ONE_OF / (CALLS_ONE_OF - 1);
    return weight > 1 ? (uint64_t)weight : 1;
}

void search_resume(struct calls *calls, void *ucontext, bool returned)
{
    struct call_search *search = &calls->search;
    if (!search->active || !search->suspended)
        return;
    search->suspended = false;
    if (search_is_past(calls) || search->seen == CALLS_SEEN)
        search_end(calls);
    else if (returned && search->frame.slot >= calls_sp(ucontext)) {
        search_wait_in(calls, search->frame);
        search_wait_below(calls, ucontext);
    } else
        search_find_frame(calls, ucontext);
}

static void search_follow_call(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    if (!wait_may_replace(calls_pc(ucontext), wait_address(calls_sp(ucontext)))) /* then for the return of its caller */
        return;
    if (search->above_count == CALLS_FRAMES) {
        search->above_count--;
        for (size_t i = 0; i < search->above_count; i++)
            search->above[i] = search->above[i + 1];
    }
    search->above[search->above_count++] = search->frame;
    search->depth++;
    search_wait_in(calls, (struct call_frame){calls_sp(ucontext), wait_address(calls_sp(ucontext))});
    search_wait_below(calls, ucontext);
}

static void search_enter_call(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    if (calls_host.is_own && calls_host.is_own(calls_pc(ucontext))) {
        search_follow_call(calls, ucontext);
        search->depth--;
        return;
    }
    search->seen++;
    if (rng_below(&calls->rng, CALLS_ONE_OF) == 0 &&
        instance_choose(calls, ucontext, calls_pc(ucontext), calls_sp(ucontext), search_call_weight(calls))) {
        /* Nothing traps within the chosen call. */
        search->suspended = true;
        search->within = calls->number;
        search_wait_for_none(calls);
    } else if (search->seen == CALLS_SEEN) {
        search_end(calls);
    } else {
        search_follow_call(calls, ucontext);
    }
}

void search_give_up(struct calls *calls)
{
    search_end(calls);
    instance_count(calls, INSTANCE_NO_CALL);
}

/* Each trap costs the program time: a window that meets many without a call is over, as is one whose time is. */
static bool search_is_over(struct calls *calls)
{
    if (++calls->search.traps == CALLS_TRAPS)
        search_give_up(calls);
    else if (search_is_past(calls))
        search_end(calls);
    return !calls->search.active;
}

void search_on_call(struct calls *calls, void *ucontext)
{
    single_step_stop(calls);
    if (calls->search.active && !calls->search.suspended)
        search_enter_call(calls, ucontext);
}

void search_on_below(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    uint64_t stack = calls_sp(ucontext);
    if (!search->active || search->suspended || search_is_over(calls))
        return;
    if (stack == search->below && prologue_is_called(calls_pc(ucontext), wait_address(stack)))
        search_enter_call(calls, ucontext);
    else if (search->frame.slot != 0 && stack > search->frame.slot)
        search_find_frame(calls, ucontext);
    else {
        search->leaf = stack > search->below;
        search_wait_below(calls, ucontext);
    }
}

void search_on_frame(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    const struct call_frame *frame = &search->frame;
    if (!search->active || search->suspended || search_is_over(calls))
        return;
    uint64_t stack = calls_sp(ucontext);
    bool returned = stack == frame->slot + sizeof stack && calls_pc(ucontext) == frame->back;
    if (returned) {
        struct call_frame caller = {0};
        if (search->above_count > 0)
            caller = search->above[--search->above_count];
        search->depth -= search->depth > 0;
        if (caller.slot >= stack) {
            search_wait_in(calls, caller);
            search_wait_below(calls, ucontext);
            return;
        }
    }
    if (returned || stack > frame->slot)
        search_find_frame(calls, ucontext);
}
