/*
 * perfdata.c - what the JVM's own counters say of its time: in safepoints, in loading classes, in compiling.
 */
#include "collect/agents/jvm/agent.h"

#include "base/clock.h"
#include "collect/agents/jvm/perf_counters.h"
#include "collect/methods/methods.h"

static const char *const names[VM_COUNT] = {
    [VM_SAFEPOINT] = "sun.rt.safepointTime",   [VM_SAFEPOINT_SYNC] = "sun.rt.safepointSyncTime",
    [VM_CLASS_LOAD] = "sun.cls.time",          [VM_CLASS_VERIFY] = "sun.cls.classVerifyTime",
    [VM_CLASS_INIT] = "sun.cls.classInitTime", [VM_CLASSES] = "java.cls.loadedClasses",
    [VM_COMPILE] = "java.ci.totalTime",        [VM_OSR_COMPILES] = "sun.ci.osrCompiles",
};

void perfdata_write(uint64_t rewrite_ns)
{
    struct trace_stream *stream;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const char *values[VM_COUNT];
    double ns_per_tick = perf_counters_find(names, VM_COUNT, values);
    if (trace_stream_open(sampler_writer(), 0, "[virtual machine]", ROLE_VM, &stream) != 0)
        return;
    for (enum trace_vm i = 0; ns_per_tick > 0 && i < VM_COUNT; i++) {
        if (!values[i])
            continue;
        bool is_number = i == VM_CLASSES || i == VM_OSR_COMPILES;
        double value = (double)perf_counters_value(values[i]) * (is_number ? 1 : ns_per_tick);
        uint64_t record[] = {[VM_TIME] = now, [VM_WHAT] = i, [VM_VALUE] = (uint64_t)value};
        trace_append(stream, TRACE_VM, record, sizeof record / sizeof *record);
    }
    methods_report_cost(stream, rewrite_ns);
}
