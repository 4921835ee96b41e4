#include "collect/calls/chooser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

_Thread_local struct chooser *chooser_self __attribute__((tls_model("initial-exec")));
_Atomic unsigned chooser_epoch;

static struct chooser_host host;
static _Atomic bool choosing;
static _Atomic unsigned at_work;  /* threads that may append */
static _Atomic uint32_t numbers;  /* of the last chosen call in the process */
static _Atomic uint64_t ordinals; /* of the last thread */

/* What the probes of an unchosen call take of each value, in parts of 2^COST_SHIFT. */
enum { COST_SHIFT = 10 };
static uint64_t pass_cost[METER_VALUES];

/* In the location of that of a thread that is not recorded. */
static struct chooser refused = {.ahead = INT64_MAX, .counted_ahead = INT64_MAX};

/* What chosen calls of an empty function take, with nothing subtracted. */
enum { MEASURED = 30 };
struct chooser_sample {
    uint64_t costs[MEASURED][METER_VALUES];
    size_t count;
};
static struct chooser_sample measured;

/* ------------------------------------------------------------------------------------------ threads -- */

static unsigned chooser_current_epoch(void)
{
    return host.by_time ? chooser_time() : atomic_load(&chooser_epoch);
}

static struct chooser *chooser_new(void)
{
    void *memory = mmap(NULL, sizeof(struct chooser), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct chooser *own = memory == MAP_FAILED ? NULL : memory;
    if (!own)
        return NULL;
    own->weight = 1000;
    own->high = UINT64_MAX;
    own->epoch = chooser_current_epoch();
    own->rate.since_ns = clock_ns(CLOCK_MONOTONIC);
    rng_init(&own->rng, host.seed() ^ UINT64_C(0x63686f6f7365), atomic_fetch_add(&ordinals, 1));
    meter_open(&own->meter);
    return own;
}

static void chooser_free(struct chooser *own)
{
    meter_close(&own->meter);
    munmap(own, sizeof *own);
}

/* NULL: none of the thread's calls is chosen. */
static struct chooser *chooser_attach_thread(bool wait)
{
    if (!atomic_load(&choosing))
        return NULL;
    struct trace_stream *stream = host.stream(wait);
    struct chooser *own = stream ? chooser_new() : NULL;
    if (own) {
        own->stream = stream;
        if (host.bounds)
            host.bounds(&own->low, &own->high);
    }
    refused.epoch = chooser_current_epoch(); /* it is tried again in the next one */
    chooser_self = own ? own : &refused;
    return own;
}

/* Whether the calling thread may append; then chooser_end_work() must follow. */
static bool chooser_begin_work(const struct chooser *own)
{
    atomic_fetch_add(&at_work, 1);
    if (atomic_load(&choosing) || own->sample)
        return true;
    atomic_fetch_sub(&at_work, 1);
    return false;
}

static void chooser_end_work(void)
{
    atomic_fetch_sub(&at_work, 1);
}

/* ------------------------------------------------------------------------------------------ waits -- */

/* Counts the calls since the last time, of which this one may be chosen: those that passed cost their probes. */
static void chooser_count_calls(struct chooser *own, bool chosen)
{
    int64_t since =
        own->counted_ahead - own->ahead; /* below 0: a signal handler's call has counted_ahead another wait just now */
    uint64_t calls = since > 0 ? (uint64_t)since : 0, passed = calls > chosen ? calls - chosen : 0;
    own->counted_ahead = own->ahead;
    own->rate.calls += calls;
    for (size_t i = 0; i < METER_COUNTERS + meter_count(); i++)
        own->meter.own[i] += (passed * pass_cost[i] + (1 << (COST_SHIFT - 1))) >> COST_SHIFT;
}

/* Sets k by the rate of calls so far. */
static void chooser_set_weight(struct chooser *own)
{
    static const double WINDOW_NS = 5e7, LONGEST_NS = 2e8;
    struct chooser_rate *rate = &own->rate;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    double ns = (double)(now - rate->since_ns), calls = (double)rate->calls;
    if (ns >= WINDOW_NS) {
        double longest = ns < LONGEST_NS ? ns : LONGEST_NS;
        *rate = (struct chooser_rate){.since_ns = now, .before_ns = longest, .before_calls = calls / ns * longest};
        ns = calls = 0;
    }
    ns += rate->before_ns > 0 ? rate->before_ns : (double)CHOOSER_FIRST / (double)CHOOSER_PER_SECOND * 1e9;
    double k = (rate->before_calls + calls) / ns * (1e9 / (double)CHOOSER_PER_SECOND);
    own->weight = k > 1 ? (uint64_t)(k * 1000) : 1000;
}

static void chooser_start_wait(struct chooser *own)
{
    own->ahead = own->counted_ahead = (int64_t)rng_failures(&own->rng, (double)own->weight / 1000);
}

/* Whether a call that did not simply pass is chosen. */
static bool chooser_call_is_due(struct chooser *own)
{
    bool due = own->ahead < 0;
    if (!own->stream) { /* what probes cost is being measured */
        own->epoch = chooser_current_epoch();
        own->ahead = own->counted_ahead = INT64_MAX;
        return own->sample;
    }
    chooser_count_calls(own, due);
    if (due)
        return true;
    own->epoch = chooser_current_epoch();
    chooser_set_weight(own);
    chooser_start_wait(own);
    due = --own->ahead < 0;
    chooser_count_calls(own, due);
    return due;
}

void chooser_renew(void)
{
    atomic_fetch_add(&chooser_epoch, 1);
}

/* ------------------------------------------------------------------------------------------ instances -- */

static bool chooser_write_end(struct chooser *own, enum trace_instance what, uint64_t number)
{
    uint64_t values[] = {
        [INSTANCE_TIME] = clock_ns(CLOCK_MONOTONIC), [INSTANCE_WHAT] = what, [INSTANCE_NUMBER] = number};
    return trace_append(own->stream, TRACE_INSTANCE, values, sizeof values / sizeof *values);
}

static void chooser_write_values(struct chooser *own, enum trace_instance what, uint64_t number,
                                 const uint64_t took[METER_VALUES])
{
    uint64_t record[INSTANCE_COUNTER_0 + EVENT_COUNTERS_MAX] = {[INSTANCE_TIME] = clock_ns(CLOCK_MONOTONIC),
                                                                [INSTANCE_WHAT] = what,
                                                                [INSTANCE_NUMBER] = number,
                                                                [INSTANCE_TOOK] =
                                                                    took[METER_WALL] - took[METER_STOPPED]};
    for (size_t i = 0; i < meter_count(); i++)
        record[INSTANCE_COUNTER_0 + i] = took[METER_COUNTERS + i];
    trace_append(own->stream, TRACE_INSTANCE, record, sizeof record / sizeof *record);
}

/* Ends the innermost calls, of which nobody has seen an exit, until `keep` are open. */
static void chooser_drop_calls(struct chooser *own, size_t keep, enum trace_instance what)
{
    while (own->open_count > keep)
        chooser_write_end(own, what, own->open[--own->open_count].number);
}

static bool chooser_stack_contains(const struct chooser *own, uint64_t location)
{
    return location >= own->low && location < own->high;
}

/* How many calls are open around this location: those further in have been left. */
static size_t chooser_open_around(const struct chooser *own, uint64_t location)
{
    size_t count = own->open_count;
    while (count > 0 && own->open[count - 1].location < location)
        count--;
    return count;
}

/* The number of the call, which is open now; CHOOSER_PASSED: it can't be. */
static uint32_t chooser_open_call(struct chooser *own, const struct chooser_call *call)
{
    if (!chooser_stack_contains(own, call->location)) { /* nobody could tell when it is left */
        chooser_write_end(own, INSTANCE_NO_CALL, 0);
        return CHOOSER_PASSED;
    }
    chooser_drop_calls(own, chooser_open_around(own, call->location), INSTANCE_LEFT);
    if (own->open_count == CHOOSER_OPEN) {
        chooser_write_end(own, INSTANCE_TOO_MANY, 0);
        return CHOOSER_PASSED;
    }
    uint32_t number = (atomic_fetch_add(&numbers, 1) & INT32_MAX) + 1;
    size_t depth = host.walk(call, own->frames, TRACE_STACK_MAX);
    uint64_t values[] = {[INSTANCE_TIME] = clock_ns(CLOCK_MONOTONIC),
                         [INSTANCE_WHAT] = INSTANCE_CALL,
                         [INSTANCE_NUMBER] = number,
                         [INSTANCE_WEIGHT] = own->weight};
    const struct trace_stack stack = {INSTANCE_CONTEXT, own->frames, depth};
    if (depth == 0 || (!own->sample && !trace_append_stacks(own->stream, TRACE_INSTANCE, values,
                                                            sizeof values / sizeof *values, &stack, 1)))
        return CHOOSER_PASSED;
    struct chosen_call *chosen = &own->open[own->open_count++];
    *chosen = (struct chosen_call){.number = number, .function = call->function, .location = call->location};
    memcpy(chosen->values, own->meter.program, sizeof chosen->values);
    return number;
}

uint32_t chooser_enter(const struct chooser_call *call)
{
    int saved = errno;
    struct chooser *own = chooser_self && chooser_self != &refused ? chooser_self : chooser_attach_thread(false);
    uint32_t number = CHOOSER_PASSED;
    if (own && !own->inside) {
        own->inside = true;
        if (chooser_call_is_due(own)) {
            if (chooser_begin_work(own)) {
                meter_enter(&own->meter, METER_TRAP);
                number = chooser_open_call(own, call);
                chooser_end_work();
                chooser_set_weight(own);
                chooser_start_wait(own);
                meter_leave(&own->meter, METER_TRAP, 0);
            } else {
                chooser_start_wait(own);
            }
        }
        own->inside = false;
    } else if (own) { /* the recorder's own call: it is not chosen, and the wait begins anew */
        chooser_start_wait(own);
    }
    errno = saved;
    return number;
}

void chooser_leave(uint32_t number)
{
    int saved = errno;
    struct chooser *own = chooser_self;
    size_t at = own ? own->open_count : 0;
    while (at > 0 && own->open[at - 1].number != number)
        at--;
    if (at == 0 || own->inside)
        return;
    own->inside = true;
    chooser_count_calls(own, false);
    if (chooser_begin_work(own)) {
        meter_enter(&own->meter, METER_TRAP);
        /* Calls that began after it have been left without the probe of an exit. */
        uint64_t took[METER_VALUES];
        const struct chosen_call *call = &own->open[at - 1];
        chooser_drop_calls(own, at, INSTANCE_LEFT);
        for (size_t i = 0; i < METER_VALUES; i++)
            took[i] = (uint64_t)(own->meter.program[i] - call->values[i]);
        own->open_count = at - 1;
        if (!own->sample)
            chooser_write_values(own, INSTANCE_RETURN, call->number, took);
        else if (own->sample->count < MEASURED)
            memcpy(own->sample->costs[own->sample->count++], took, sizeof took);
        chooser_end_work();
        meter_leave(&own->meter, METER_TRAP, 0);
    }
    own->inside = false;
    errno = saved;
}

void chooser_pass_at(uint64_t function, uint64_t location)
{
    struct chooser *own = chooser_self;
    struct chosen_call *last = own && own->open_count > 0 && !own->inside ? &own->open[own->open_count - 1] : NULL;
    if (last && last->function == function && location < last->location && location >= own->low)
        last->inner++;
}

void chooser_leave_at(uint64_t function, uint64_t location, bool above)
{
    struct chooser *own = chooser_self;
    if (!own || own->open_count == 0 || own->inside || !chooser_stack_contains(own, location))
        return;
    size_t around = chooser_open_around(own, location);
    bool gone = above && around < own->open_count && own->open[around].function == function;
    size_t at = gone ? around + 1 : around;
    if (at == 0 || own->open[at - 1].function != function)
        return;
    if (!gone && own->open[at - 1].inner > 0)
        own->open[at - 1].inner--;
    else
        chooser_leave(own->open[at - 1].number);
}

void chooser_forget(void)
{
    struct chooser *own = chooser_self;
    chooser_self = NULL;
    atomic_store(&at_work, 0);
    atomic_store(&ordinals, 0);
    if (own && own != &refused)
        chooser_free(own);
}

void chooser_begin_thread(void)
{
    if (!chooser_self)
        chooser_attach_thread(true);
}

void chooser_end_thread(void)
{
    struct chooser *own = chooser_self;
    chooser_self = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    if (!own || own == &refused)
        return;
    if (chooser_begin_work(own)) {
        chooser_drop_calls(own, 0, INSTANCE_UNFINISHED);
        chooser_end_work();
    }
    chooser_free(own);
}

bool chooser_pause(void)
{
    struct chooser *own = chooser_self;
    if (!own || own == &refused || own->inside)
        return false;
    own->inside = true;
    meter_enter(&own->meter, METER_TICK);
    return true;
}

bool chooser_tick_begins(void)
{
    return chooser_self && chooser_self->open_count > 0 && chooser_pause();
}

void chooser_tick_ends(bool begun, uint64_t delivery_ns)
{
    if (begun)
        chooser_resume(delivery_ns);
}

void chooser_resume(uint64_t outside_ns)
{
    struct chooser *own = chooser_self;
    meter_leave(&own->meter, METER_TICK, outside_ns);
    own->inside = false;
}

/* ------------------------------------------------------------------------------------------ cost -- */

enum { BATCHES = 30, PAIRS = 400, WARM_UP = 50 };

static int chooser_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of 30 values, counted from 0: the median lies between these two in 95.7 % of cases (binomial, n = 30, p = 1/2). */
enum { LOW_RANK = 9, HIGH_RANK = 20 };
_Static_assert(BATCHES == 30, "the ranks hold for 30");

json_t *chooser_prepare(const struct chooser_host *given)
{
    host = *given;
    struct chooser *own = chooser_new();
    if (!own)
        return NULL;
    chooser_self = own;
    own->ahead = own->counted_ahead = INT64_MAX;
    /* What the probes of calls that pass take: the medians of batches. */
    static double taken[METER_VALUES][BATCHES];
    uint64_t before[METER_VALUES], after[METER_VALUES], begun = clock_ns(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < WARM_UP || clock_ns(CLOCK_MONOTONIC) - begun < host.warm_up_ns; i++)
        host.pairs(PAIRS);
    for (unsigned b = 0; b < BATCHES; b++) {
        meter_read(&own->meter, before);
        host.pairs(PAIRS);
        meter_read(&own->meter, after);
        for (size_t i = 0; i < METER_COUNTERS + meter_count(); i++)
            taken[i][b] = (double)(int64_t)(after[i] - before[i]) / (double)PAIRS;
    }
    for (size_t i = 0; i < METER_COUNTERS + meter_count(); i++) {
        qsort(taken[i], BATCHES, sizeof *taken[i], chooser_compare_doubles);
        double median = (taken[i][BATCHES / 2 - 1] + taken[i][BATCHES / 2]) / 2;
        pass_cost[i] = median > 0 ? (uint64_t)(median * (1 << COST_SHIFT)) : 0;
    }
    const double *wall = taken[METER_WALL];
    json_t *cost = json_pack("{s:f, s:f, s:f}", "pair_ns", (wall[BATCHES / 2 - 1] + wall[BATCHES / 2]) / 2, "lo_ns",
                             wall[LOW_RANK], "hi_ns", wall[HIGH_RANK]);
    own->sample = &measured;
    for (unsigned i = 0; i < WARM_UP + MEASURED; i++) {
        own->ahead = own->counted_ahead = 0;
        measured.count = i < WARM_UP ? 0 : measured.count;
        host.pairs(1);
    }
    chooser_self = NULL;
    chooser_free(own);
    return cost;
}

void chooser_begin(void)
{
    atomic_store(&choosing, true);
    struct chooser *own = chooser_self ? chooser_self : chooser_attach_thread(true);
    for (size_t i = 0; own && i < measured.count; i++) {
        chooser_write_values(own, INSTANCE_COST, 0, measured.costs[i]);
        struct meter_cost cost = {0};
        memcpy(cost.whole, measured.costs[i], sizeof cost.whole);
        meter_learn(&own->meter, METER_TRAP, &cost);
        chooser_write_values(own, INSTANCE_SUBTRACTED, 0, own->meter.cost[METER_TRAP].whole);
    }
}

bool chooser_stop(void)
{
    enum { PATIENCE_NS = 1000000000, PAUSE_NS = 50000 };
    uint64_t until = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    atomic_store(&choosing, false);
    while (atomic_load(&at_work) > 0 && clock_ns(CLOCK_MONOTONIC) < until)
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    return atomic_load(&at_work) == 0;
}
