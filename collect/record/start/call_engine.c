/* Which engine finds the calls of native programs in mode calls. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collect/calls/calls.h"
#include "collect/perf/event.h"
#include "collect/record/start/engine.h"

/* Calls, so that their counter advances. Each takes several ns, since tests imitate the counter by a clock. */
static void call_engine_callee(void) __attribute__((noinline));
static void call_engine_callee(void)
{
    __asm__ volatile("pause");
}

/* Whether calls can be counted precisely by the processor. */
static int call_engine_can_count(struct pmu_event *event, struct error_text *message)
{
    struct error_text why;
    if (pmu_encode("BR_INST_RETIRED:NEAR_CALL", event, &why) != 0)
        return error_set(message, STATUS_BAD, "this processor has no precise event of calls");
    /* Opens the event with the most precision that the machine has. */
    enum { MOST = 3 };
    static const uint64_t NEVER = UINT64_C(1) << 40;
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = event->type,
        .config = event->config,
        .config1 = event->config1,
        .config2 = event->config2,
        .sample_period = NEVER,
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
    };
    int fd = -1;
    for (unsigned precise = MOST; fd < 0 && precise > 0; precise--) {
        attr.precise_ip = precise & MOST;
        event->precise = precise;
        fd = perf_keep(&attr, 0);
    }
    if (fd < 0) {
        engine_explain(errno, "machine has no precise event of calls", &why);
        return error_set(message, STATUS_BAD, "%.800s", why.text);
    }
    enum { CALLS = 10000 };
    uint64_t before = perf_count(fd);
    perf_enable(fd);
    for (int i = 0; i < CALLS; i++)
        call_engine_callee();
    perf_disable(fd);
    bool good = perf_count(fd) - before >= CALLS;
    close(fd);
    return good ? STATUS_GOOD : error_set(message, STATUS_BAD, "this machine's event of calls does not count them");
}

/* Whether calls can be found by debug registers, of which several are needed. */
static int call_engine_can_watch(struct error_text *message)
{
    int status = engine_can_watch(message);
    if (status == STATUS_GOOD && wait_try_registers() != 0)
        status = error_set(message, STATUS_BAD, "no watchpoints: too few debug registers are free");
    return status;
}

/* Adds a reason why an engine is not taken to those of better ones. */
static void call_engine_add_reason(struct error_text *all, const char *why)
{
    struct error_text before = *all;
    error_set(all, STATUS_GOOD, "%.400s%s%.400s", before.text, *before.text ? "; " : "", why);
}

static int call_engine_try(const char *name, struct record_engine *engine, struct error_text *message)
{
    engine->calls_by = engine->returns_by = name;
    if (strcmp(name, "watch") == 0)
        return call_engine_can_watch(message);
    if (strcmp(name, "trampoline") == 0) {
        if (single_step_try() != 0)
            return error_set(message, STATUS_BAD, "this machine does not trap after a step");
        if (!stubs_possible())
            return error_set(message, STATUS_BAD, "the processor checks return addresses here (shadow stacks)");
        return STATUS_GOOD;
    }
    if (strcmp(name, "pmu") != 0) /* hooks: the program has them or not */
        return STATUS_GOOD;
    int status = call_engine_can_count(&engine->call_event, message);
    if (status != STATUS_GOOD)
        return status;
    /* What waits for the returns of calls that are counted. */
    struct error_text why;
    engine->returns_by = call_engine_can_watch(&why) == STATUS_GOOD ? "watch" : "trampoline";
    if (strcmp(engine->returns_by, "watch") != 0 && !stubs_possible())
        return error_set(message, STATUS_BAD, "%.400s; and the processor checks return addresses", why.text);
    return STATUS_GOOD;
}

int engine_choose_calls(const struct record_options *options, struct record_engine *engine, struct error_text *message)
{
    static const char *const best_first[] = {"pmu", "watch", "trampoline", "hooks", NULL};
    const char *asked = options->calls_by;
    struct error_text why;
    if (strcmp(asked, "auto") != 0)
        return call_engine_try(asked, engine, &why) == STATUS_GOOD
                   ? STATUS_GOOD
                   : error_set(message, STATUS_BAD, "engine %s: %.800s", asked, why.text);
    for (const char *const *name = best_first; *name; name++) {
        bool unfit = strcmp(*name, "pmu") == 0 && json_is_true(json_object_get(options->selection, "arguments"));
        if (unfit)
            call_engine_add_reason(&engine->calls_reason, "the event of calls comes too late for arguments");
        else if (call_engine_try(*name, engine, &why) == STATUS_GOOD)
            return STATUS_GOOD;
        else
            call_engine_add_reason(&engine->calls_reason, why.text);
    }
    return STATUS_GOOD;
}
