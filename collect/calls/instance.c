#include "collect/calls/calls.h"

#include "base/clock.h"

/* What waits for the return of the n-th open call, from 0; of two, those of the last two calls wait. */
static enum call_wait instance_wait_for(const struct calls *calls, size_t n)
{
    return calls->wait_count > WAIT_OPEN_2 && n % 2 == 1 ? WAIT_OPEN_2 : WAIT_OPEN;
}

static size_t instance_wait_count(const struct calls *calls)
{
    return calls->wait_count - WAIT_OPEN;
}

static struct open_call *instance_last_open(struct calls *calls)
{
    return &calls->open[calls->open_count - 1];
}

static void instance_write(struct calls *calls, enum trace_instance what, const struct open_call *call)
{
    uint64_t values[INSTANCE_COUNTER_0 + EVENT_COUNTERS_MAX] = {
        [INSTANCE_TIME] = clock_ns(CLOCK_MONOTONIC), [INSTANCE_WHAT] = what, [INSTANCE_NUMBER] = call->number};
    if (what == INSTANCE_RETURN) {
        values[INSTANCE_TOOK] = (uint64_t)(calls->meter.program[METER_WALL] - call->values[METER_WALL]);
        for (size_t i = 0; i < meter_count(); i++)
            values[INSTANCE_COUNTER_0 + i] =
                (uint64_t)(calls->meter.program[METER_COUNTERS + i] - call->values[METER_COUNTERS + i]);
    }
    trace_append(calls->stream, TRACE_INSTANCE, values, sizeof values / sizeof *values);
}

void instance_count(struct calls *calls, enum trace_instance why)
{
    instance_write(calls, why, &(struct open_call){0});
}

/* The last open call ends. What waited for it waits for the one that waited before the two that wait now. */
static void instance_pop(struct calls *calls, enum trace_instance what)
{
    instance_write(calls, what, instance_last_open(calls));
    calls->open_count--;
    size_t count = instance_wait_count(calls);
    enum call_wait which = instance_wait_for(calls, calls->open_count);
    const struct open_call *next = calls->open_count >= count ? &calls->open[calls->open_count - count] : NULL;
    wait_at(calls, which, next && !next->left ? next->frame : (struct call_frame){0});
}

void instance_drop_all(struct calls *calls, enum trace_instance why)
{
    while (calls->open_count > 0)
        instance_pop(calls, why);
}

void instance_sweep(struct calls *calls, void *ucontext)
{
    while (calls->open_count > 0) {
        const struct open_call *call = instance_last_open(calls);
        if (!call->left) {
            /* A call that ran on the stack in front of this location is over; where another stack lies, no unwinder
             * finds it. */
            if (calls_sp(ucontext) <= call->frame.slot)
                return;
            wait_pause(calls);
            uint64_t end = calls_host.frame(ucontext, call->frame.slot);
            wait_resume(calls);
            if (end == 0 || end == call->frame.slot + sizeof(uint64_t))
                return;
        }
        instance_pop(calls, INSTANCE_LEFT);
    }
}

bool instance_choose(struct calls *calls, void *ucontext, uint64_t code, uint64_t slot, uint64_t weight)
{
    uint64_t function = prologue_function(code);
    enum trace_state state;
    while (calls->open_count > 0 && instance_last_open(calls)->frame.slot <= slot)
        instance_pop(calls, INSTANCE_LEFT);
    struct open_call *call = &calls->open[calls->open_count];
    if (calls->open_count == CALLS_OPEN) {
        instance_count(calls, INSTANCE_TOO_MANY);
        return false;
    }
    if (!wait_may_replace(code, wait_address(slot))) {
        instance_count(calls, INSTANCE_REFUSED);
        return false;
    }
    *call = (struct open_call){
        .frame = {slot, wait_address(slot)},
        .number = ++calls->number,
    };
    for (size_t i = 0; i < METER_VALUES; i++)
        call->values[i] = calls->meter.program[i];
    wait_pause(calls);
    size_t depth = calls_host.walk(ucontext, calls->frames, TRACE_STACK_MAX, &state);
    wait_resume(calls);
    if (function != 0)
        calls->frames[0] = (struct trace_raw_frame){.code = function};
    uint64_t values[INSTANCE_ARGUMENT_6 + 1] = {[INSTANCE_TIME] = clock_ns(CLOCK_MONOTONIC),
                                                [INSTANCE_WHAT] = INSTANCE_CALL,
                                                [INSTANCE_NUMBER] = call->number,
                                                [INSTANCE_WEIGHT] = weight};
    if (calls_host.arguments) {
        /* As they are at the first instruction of a function. */
        static const uint8_t order[INSTANCE_ARGUMENTS] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
        for (size_t i = 0; i < INSTANCE_ARGUMENTS; i++)
            values[INSTANCE_ARGUMENT_1 + i] = (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[order[i]];
    }
    size_t count = calls_host.arguments ? sizeof values / sizeof *values : INSTANCE_WEIGHT + 1;
    if (!trace_append_stacks(calls->stream, TRACE_INSTANCE, values, count,
                             &(struct trace_stack){INSTANCE_CONTEXT, calls->frames, depth}, 1))
        return false;
    wait_at(calls, instance_wait_for(calls, calls->open_count), call->frame);
    calls->open_count++;
    return true;
}

void instance_on_slot(struct calls *calls, enum call_wait which, void *ucontext)
{
    size_t n = calls->open_count, count = instance_wait_count(calls);
    while (n > 0 && calls->open_count - n < count && instance_wait_for(calls, n - 1) != which)
        n--;
    if (n == 0 || calls->open_count - n >= count)
        return;
    struct open_call *call = &calls->open[n - 1];
    bool returned = !call->left && calls_pc(ucontext) == call->frame.back &&
                    calls_sp(ucontext) == call->frame.slot + sizeof(uint64_t);
    bool written = *(const uint64_t *)call->frame.slot != call->frame.back; /* NOLINT: the program's stack */
    if (!returned && !written && ++call->vain < CALLS_VAIN)
        return;
    while (calls->open_count > n)
        instance_pop(calls, INSTANCE_LEFT);
    instance_pop(calls, returned ? INSTANCE_RETURN : written ? INSTANCE_LEFT : INSTANCE_GIVEN_UP);
    search_resume(calls, ucontext, returned);
}
