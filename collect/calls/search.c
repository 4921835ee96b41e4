#include "collect/calls/calls.h"

#include "base/copy_readable.h"

/* ------------------------------------------------------------------------------------------ the places -- */

/* Waits for the next call of the function that runs. */
static void wait_below(struct calls *calls, void *ucontext)
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

static void wait_for_none(struct calls *calls)
{
    single_step_stop(calls);
    wait_at(calls, WAIT_BELOW, (struct call_frame){0});
    wait_at(calls, WAIT_FRAME, (struct call_frame){0});
}

static void wait_in(struct calls *calls, struct call_frame frame)
{
    calls->search.frame = frame;
    calls->search.leaf = false;
    wait_at(calls, WAIT_FRAME, frame);
}

/* Finds the frame of the function that runs. */
static void look_around(struct calls *calls, void *ucontext)
{
    struct call_frame frame = {0};
    wait_pause(calls);
    calls->search.above_count = 0;
    uint64_t end = calls_host.frame(ucontext, calls_sp(ucontext));
    /* Where the caller is no function but a signal or the start of a thread, there may be no memory. */
    if (end != 0 && end % sizeof end == 0 && copy_readable(&frame.back, end - sizeof end, sizeof frame.back) &&
        wait_may_replace(calls_host.function(calls_pc(ucontext)), stubs_real(frame.back))) {
        frame.slot = end - sizeof end;
        frame.back = stubs_real(frame.back);
    }
    wait_in(calls, frame);
    wait_below(calls, ucontext);
    wait_resume(calls);
}

/* ------------------------------------------------------------------------------------------ a window -- */

static int64_t now_of(const struct calls *calls)
{
    return calls->meter.program[METER_CPU];
}

/* For CALLS_TARGET calls at the rate of the previous windows. */
static int64_t next_length(const struct call_search *search)
{
    double length = search->ns > 0 ? CALLS_TARGET * search->ns / (search->calls + 1) : CALLS_FIRST_NS;
    return length < CALLS_SHORTEST_NS  ? CALLS_SHORTEST_NS
           : length > CALLS_LONGEST_NS ? CALLS_LONGEST_NS
                                       : (int64_t)length;
}

static bool is_past(const struct calls *calls)
{
    return now_of(calls) - calls->search.began > calls->search.length;
}

static void begin(struct calls *calls)
{
    struct call_search *search = &calls->search;
    int64_t now = now_of(calls);
    search->since = now - search->began;
    search->began = now;
    search->length = next_length(search);
    search->active = true;
    search->suspended = false;
    search->seen = search->depth = search->traps = search->steps = 0;
}

void search_end(struct calls *calls)
{
    static const double KEPT = 0.75;
    struct call_search *search = &calls->search;
    if (!search->active)
        return;
    int64_t took = now_of(calls) - search->began;
    search->calls = KEPT * search->calls + search->seen;
    search->ns = KEPT * search->ns + (double)(took < search->length ? took : search->length);
    search->active = false;
    wait_for_none(calls);
}

void search_go_on(struct calls *calls, void *ucontext)
{
    if (calls->search.active && is_past(calls))
        search_end(calls);
    if (!calls->search.active)
        begin(calls);
    if (calls->open_count == 0 || calls->open[calls->open_count - 1].number != calls->search.within)
        calls->search.suspended = false; /* the call has been left */
    if (!calls->search.suspended)
        look_around(calls, ucontext);
}

/* ------------------------------------------------------------------------------------------ calls -- */

/* How many calls this one stands for that the window is cut before; 1: it is not likely to be cut. */
static double cut_of(const struct calls *calls)
{
    enum { LEAST = 8 };
    const struct call_search *search = &calls->search;
    double took = (double)(now_of(calls) - search->began), floor = (double)search->seen * CALLS_FLOOR_NS;
    double doubt = (double)(search->traps * meter_doubt(&calls->meter));
    floor = floor > doubt ? floor : doubt;
    if (search->seen < LEAST)
        return 1;
    double more = (search->seen - 1) / (took > floor ? took : floor) * (double)search->length / CALLS_SEEN;
    return more > 1 ? more : 1;
}

/* In thousandths: see calls.h. */
static uint64_t weight_of(const struct calls *calls)
{
    enum { THOUSANDTHS = 1000 };
    const struct call_search *search = &calls->search;
    double weight = THOUSANDTHS * (double)search->since / (double)search->length * CALLS_ONE_OF * cut_of(calls);
    for (unsigned i = 0; i < search->depth; i++)
        weight *= (double)CALLS_ONE_OF / (CALLS_ONE_OF - 1);
    return weight > 1 ? (uint64_t)weight : 1;
}

/* Nothing traps within the chosen call. */
static bool choose(struct calls *calls, void *ucontext)
{
    if (rng_below(&calls->rng, CALLS_ONE_OF) != 0 ||
        !instance_choose(calls, ucontext, calls_pc(ucontext), calls_sp(ucontext), weight_of(calls)))
        return false;
    calls->search.suspended = true;
    calls->search.within = calls->number;
    wait_for_none(calls);
    return true;
}

void search_resume(struct calls *calls, void *ucontext, bool returned)
{
    struct call_search *search = &calls->search;
    if (!search->active || !search->suspended)
        return;
    search->suspended = false;
    if (is_past(calls) || search->seen == CALLS_SEEN)
        search_end(calls);
    else if (returned && search->frame.slot >= calls_sp(ucontext)) {
        wait_in(calls, search->frame);
        wait_below(calls, ucontext);
    } else
        look_around(calls, ucontext);
}

static void follow(struct calls *calls, void *ucontext)
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
    wait_in(calls, (struct call_frame){calls_sp(ucontext), wait_address(calls_sp(ucontext))});
    wait_below(calls, ucontext);
}

static void on_call(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    if (calls_host.is_own && calls_host.is_own(calls_pc(ucontext))) {
        follow(calls, ucontext);
        search->depth--;
        return;
    }
    search->seen++;
    if (choose(calls, ucontext))
        return;
    if (search->seen == CALLS_SEEN)
        search_end(calls);
    else
        follow(calls, ucontext);
}

static void on_return(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    struct call_frame caller = search->above_count > 0 ? search->above[--search->above_count] : (struct call_frame){0};
    search->depth -= search->depth > 0;
    if (caller.slot < calls_sp(ucontext)) {
        look_around(calls, ucontext);
        return;
    }
    wait_in(calls, caller);
    wait_below(calls, ucontext);
}

void search_give_up(struct calls *calls)
{
    search_end(calls);
    instance_count(calls, INSTANCE_NO_CALL);
}

/* Each trap costs the program time: a window that meets many without a call is over, as is one whose time is. */
static bool is_over(struct calls *calls)
{
    if (++calls->search.traps == CALLS_TRAPS)
        search_give_up(calls);
    else if (is_past(calls))
        search_end(calls);
    return !calls->search.active;
}

void search_on_call(struct calls *calls, void *ucontext)
{
    single_step_stop(calls);
    if (calls->search.active && !calls->search.suspended)
        on_call(calls, ucontext);
}

void search_on_below(struct calls *calls, void *ucontext)
{
    struct call_search *search = &calls->search;
    uint64_t stack = calls_sp(ucontext);
    if (!search->active || search->suspended || is_over(calls))
        return;
    if (stack == search->below && prologue_is_called(calls_pc(ucontext), wait_address(stack)))
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
    if (!search->active || search->suspended || is_over(calls))
        return;
    uint64_t stack = calls_sp(ucontext);
    if (stack == frame->slot + sizeof stack && calls_pc(ucontext) == frame->back)
        on_return(calls, ucontext);
    else if (stack > frame->slot)
        look_around(calls, ucontext);
}
