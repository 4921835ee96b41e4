#include "collect/record/start/engine.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

const char *engine_source_text(enum sampler_source source)
{
    switch (source) {
    case SOURCE_CPU_CLOCK:
        return "cpu-clock perf events";
    case SOURCE_TIMER_THREAD:
        return "timer thread, intervals in wall time";
    case SOURCE_PMU:
        return "hardware counters";
    case SOURCE_EXTERNAL:
        break;
    }
    return "the JVM's own thread";
}

int engine_explain(int error, const char *hardware, struct error_text *message)
{
    const char *name = strerrorname_np(error);
    if (error == EACCES || error == EPERM)
        return error_set(message, STATUS_BAD,
                         "perf events are not permitted (perf_event_open: %s); set kernel.perf_event_paranoid to 1 or "
                         "less, grant CAP_PERFMON, or in a container allow perf_event_open in its seccomp profile",
                         name);
    return error_set(message, STATUS_BAD, "this %s (perf_event_open: %s)",
                     error == ENOSYS ? "kernel has no perf events" : hardware, name ? name : "error");
}

/* ns of CPU time in the unit of a clock; 1 if unknown. */
static double engine_unit_ns(const struct record_clock *clock, double events_per_ns)
{
    return clock->events && events_per_ns > 0 ? 1 / events_per_ns : 1;
}

/* The shortest mean interval of the clocks, in ns of CPU time. */
static double engine_shortest_ns(const struct record_options *options, double events_per_ns)
{
    double shortest = INFINITY;
    for (size_t i = 0; i < options->clock_count; i++) {
        const struct record_clock *clock = &options->clocks[i];
        shortest = fmin(shortest, (double)clock->period * engine_unit_ns(clock, events_per_ns));
    }
    return shortest;
}

/* ---------------------------------------------------------------------------------------------- what a clock costs --
 */

/* The allowed CPU time to open one thread's clock: some programs have thousands of threads. */
static const uint64_t OPEN_MOST_NS = 1000000;
static const double SAMPLE_COST_MOST = 0.01; /* of the interval */
static const double COUNTED_LEAST = 0.9, ASKED_MOST = 3;

/* STATUS_BAD: this clock should not be used if there is another. */
static int engine_find_flaw(const struct record_engine *engine, double interval_ns, struct error_text *flaw)
{
    const struct probe_clock *cost = &engine->cost;
    double share = (double)cost->sample_ns / interval_ns;
    if (cost->open_ns > OPEN_MOST_NS)
        return error_set(flaw, STATUS_BAD, "starting one takes %.1f ms of CPU time for each thread",
                         (double)cost->open_ns / 1e6);
    if (engine->source == SOURCE_PMU && share > SAMPLE_COST_MOST)
        return error_set(flaw, STATUS_BAD, "a tick costs at least %.1f us, which is %.1f %% of the interval of %g ms",
                         (double)cost->sample_ns / 1e3, 100 * share, interval_ns / 1e6);
    if (cost->asked > ASKED_MOST || (cost->asked > 0 && cost->asked < 1 / ASKED_MOST))
        return error_set(flaw, STATUS_BAD, "%.2g ticks came for each one requested", cost->asked);
    return STATUS_GOOD;
}

struct record_clock engine_bearable(const struct record_engine *engine, const struct record_clock *clock,
                                    double max_cost)
{
    assert(max_cost > 0 && max_cost <= 1);
    static const double MOST = 0.25, TARGET = 0.5;
    struct record_clock bearable = *clock;
    bool known = strcmp(clock->name, "safepoint") != 0 && (!clock->events || engine->events_per_ns > 0);
    double limit = fmin(max_cost, MOST),
           interval_ns = (double)clock->period * engine_unit_ns(clock, engine->events_per_ns);
    double share = (double)engine->cost.sample_ns / interval_ns;
    if (known && share > limit)
        for (; share > TARGET * limit; share /= 2) {
            bearable.period *= 2;
            bearable.spread *= 2;
        }
    return bearable;
}

/* Our own errors: engine_explain() handles the others. */
enum { NEVER_EXPIRED = 10000, NOT_CHOSEN };

/* Tries the clock. 0, NEVER_EXPIRED, or an errno value. */
static int engine_try_clock(struct record_engine *engine)
{
    struct sampler_config config = {.source = engine->source,
                                    .clock = "fixed",
                                    .period_ns = 10000000,
                                    .pmu_type = engine->event.type,
                                    .pmu_config = engine->event.config,
                                    .pmu_config1 = engine->event.config1,
                                    .pmu_config2 = engine->event.config2,
                                    .pmu_precise = engine->event.precise,
                                    .pmu_events_per_ns = engine->events_per_ns};
    int error = sampler_probe(&config);
    if (!error)
        error = probe_clock(&config, &engine->cost);
    return error ? error : engine->cost.samples == 0 ? NEVER_EXPIRED : 0;
}

/* ---------------------------------------------------------------------------------------------- hardware counters --
 */

/* 0; NOT_CHOSEN with a message; or an errno value. */
static int engine_try_event(const char *name, const struct record_options *options, struct record_engine *engine,
                            struct error_text *why)
{
    struct pmu_rate rate = {0};
    bool asked = strcmp(options->engine, "pmu") == 0;
    *engine = (struct record_engine){.name = "pmu", .source = SOURCE_PMU};
    if (pmu_encode(name, &engine->event, why) != 0)
        return ENOENT;
    int error = pmu_calibrate(&engine->event, &rate);
    if (error && error != ERANGE && error != EBUSY && error != ENODATA)
        return error;
    int doubt = 0; /* why a counter whose rate is known can't be used, or should not */
    if (error == ERANGE)
        doubt = error_set(why, NOT_CHOSEN, "they count %.3g events per nanosecond, more than any processor can",
                          rate.events_per_ns);
    else if (error == EBUSY)
        doubt =
            error_set(why, NOT_CHOSEN, "another user has them, such as the kernel's watchdog (perf_event_open: EBUSY)");
    else if (error == ENODATA)
        doubt = error_set(why, NOT_CHOSEN, "they stand still");
    else if (rate.counted < COUNTED_LEAST)
        doubt = error_set(why, NOT_CHOSEN, "others use them too: they count for only %.0f %% of the time",
                          100 * rate.counted);
    if (error || (doubt && !asked))
        return NOT_CHOSEN;
    engine->events_per_ns = rate.events_per_ns;
    error = engine_try_clock(engine);
    if (error == NEVER_EXPIRED || error == ETIME)
        return error_set(why, NOT_CHOSEN, "%s",
                         error == ETIME ? "a test of them did not end within 3 s" : "they count, but do not interrupt");
    if (!error && !doubt)
        doubt = engine_find_flaw(engine, engine_shortest_ns(options, rate.events_per_ns), why);
    if (!error && doubt && asked)
        engine->warning = *why;
    return !error && doubt && !asked ? NOT_CHOSEN : error;
}

/* The first usable hardware event that this machine's PMU has and this process may count. */
static int engine_try_pmu(const struct record_options *options, struct record_engine *engine,
                          struct error_text *message)
{
    int first = ENOENT;
    bool unfit = false;
    const char *const *name = options->watch ? pmu_instruction_events() : pmu_clock_events();
    for (; *name; name++) {
        struct error_text why;
        int error = engine_try_event(*name, options, engine, &why);
        if (!error)
            return STATUS_GOOD;
        if (error == NOT_CHOSEN && !unfit) {
            error_set(message, STATUS_BAD, "this machine's hardware counters (%.60s) are not used: %.800s", *name,
                      why.text);
            unfit = true;
        } else if (error != NOT_CHOSEN && first == ENOENT) {
            first = error;
        }
    }
    return unfit ? STATUS_BAD : engine_explain(first, "machine has no hardware counters", message);
}

/* ---------------------------------------------------------------------------------------------- the choice -- */

int engine_can_watch(struct error_text *message)
{
    const struct watch_config config = {.wanted = true, .registers = 1};
    struct error_text reason;
    int error = watch_probe(&config);
    if (!error)
        return STATUS_GOOD;
    if (error == ENOSPC)
        error_set(&reason, STATUS_BAD, "all debug registers are taken");
    else if (error == EINVAL || error == E2BIG)
        error_set(&reason, STATUS_BAD, "this kernel is older than 5.13");
    else if (error == EIO)
        error_set(&reason, STATUS_BAD,
                  "this machine's debug registers can be set, but accesses do not trap, as on some virtual machines");
    else
        engine_explain(error, "machine has no debug registers that perf events can use", &reason);
    return error_set(message, STATUS_BAD, "no watchpoints: %.800s; engines exact and rewrite need none", reason.text);
}

void engine_be_external(struct record_engine *engine, const char *name)
{
    *engine = (struct record_engine){
        .name = name, .source = SOURCE_EXTERNAL, .calls_by = strcmp(name, "exact") == 0 ? name : NULL};
}

int engine_choose(const struct record_options *options, struct record_engine *engine, struct error_text *message)
{
    struct error_text no_pmu = {""}, flaw = {""};
    if (strcmp(options->engine, "soft") != 0 && engine_try_pmu(options, engine, &no_pmu) == STATUS_GOOD)
        return STATUS_GOOD;
    if (strcmp(options->engine, "pmu") == 0)
        return error_set(message, STATUS_BAD, "engine pmu: %.800s", no_pmu.text);
    *engine = (struct record_engine){.name = "soft", .source = SOURCE_CPU_CLOCK};
    int error = engine_try_clock(engine);
    if (!error && engine_find_flaw(engine, engine_shortest_ns(options, 0), &flaw) == STATUS_GOOD) {
        engine->reason = no_pmu;
        return STATUS_GOOD;
    }
    engine->source = SOURCE_TIMER_THREAD;
    engine->cost = (struct probe_clock){0};
    if (error == NEVER_EXPIRED || error == ETIME)
        error_set(&engine->reason, STATUS_BAD, "the kernel's cpu-clock perf events do not tick");
    else if (error)
        engine_explain(error, "kernel has no cpu-clock perf event", &engine->reason);
    else
        error_set(&engine->reason, STATUS_BAD, "cpu-clock perf events are not used: %.800s", flaw.text);
    return STATUS_GOOD;
}
