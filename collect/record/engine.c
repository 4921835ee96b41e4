#include "collect/record/engine.h"

#include <errno.h>
#include <stdio.h>
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

/* What an errno value of perf_event_open() means to a user, and what to do. */
static void explain(int error, const char *hardware, char reason[RECORD_WHY_MAX])
{
    const char *name = strerrorname_np(error);
    if (error == EACCES || error == EPERM)
        snprintf(
            reason, RECORD_WHY_MAX,
            "perf events are not permitted (perf_event_open: %s); set kernel.perf_event_paranoid to 1 or less, grant "
            "CAP_PERFMON, or in a container allow perf_event_open in its seccomp profile",
            name);
    else
        snprintf(reason, RECORD_WHY_MAX, "this %s (perf_event_open: %s)",
                 error == ENOSYS ? "kernel has no perf events" : hardware, name ? name : "error");
}

static int probe(const struct record_engine *engine)
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
    return sampler_probe(&config);
}

/* The first hardware event that this machine's PMU has and this process may count. */
static int try_pmu(bool instructions, struct record_engine *engine, char reason[RECORD_WHY_MAX])
{
    int error = ENOENT;
    const char *const *name = instructions ? pmu_instruction_events() : pmu_clock_events();
    for (; *name; name++) {
        struct record_engine candidate = {.name = "pmu", .source = SOURCE_PMU};
        const char *why;
        if (pmu_encode(*name, &candidate.event, &why) != 0)
            continue;
        error = pmu_measure(&candidate.event, &candidate.events_per_ns);
        if (error == 0)
            error = probe(&candidate);
        if (error == 0) {
            *engine = candidate;
            return 0;
        }
    }
    explain(error, "machine has no hardware counters", reason);
    return -1;
}

static void choose_soft(struct record_engine *engine, const char *no_pmu)
{
    *engine = (struct record_engine){.name = "soft", .source = SOURCE_CPU_CLOCK};
    int error = probe(engine);
    if (error) {
        engine->source = SOURCE_TIMER_THREAD;
        explain(error, "kernel has no cpu-clock perf event", engine->reason);
    } else {
        snprintf(engine->reason, sizeof engine->reason, "%.800s", no_pmu);
    }
}

int engine_can_watch(char problem[RECORD_WHY_MAX])
{
    const struct watch_config config = {.wanted = true, .registers = 1};
    char reason[RECORD_WHY_MAX];
    int error = watch_probe(&config);
    if (!error)
        return 0;
    if (error == ENOSPC)
        snprintf(reason, sizeof reason, "all debug registers are taken");
    else if (error == EINVAL || error == E2BIG)
        snprintf(reason, sizeof reason, "this kernel is older than 5.13");
    else
        explain(error, "machine has no debug registers that perf events can use", reason);
    snprintf(problem, RECORD_WHY_MAX, "no watchpoints: %.800s; engine exact needs none", reason);
    return -1;
}

void engine_be_exact(struct record_engine *engine)
{
    *engine = (struct record_engine){.name = "exact", .source = SOURCE_EXTERNAL};
}

void engine_be_probes(struct record_engine *engine)
{
    *engine = (struct record_engine){.name = "probes", .source = SOURCE_EXTERNAL};
}

int engine_choose(const char *asked, bool instructions, struct record_engine *engine, char problem[RECORD_WHY_MAX])
{
    char no_pmu[RECORD_WHY_MAX] = "";
    if (strcmp(asked, "soft") != 0 && try_pmu(instructions, engine, no_pmu) == 0)
        return 0;
    if (strcmp(asked, "pmu") == 0) {
        snprintf(problem, RECORD_WHY_MAX, "engine pmu: %.800s", no_pmu);
        return -1;
    }
    choose_soft(engine, no_pmu);
    return 0;
}
