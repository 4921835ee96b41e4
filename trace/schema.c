#include "trace/schema.h"

#include <string.h>

#define COLUMNS(array) CORE_COLUMNS(array, sizeof(array) / sizeof((array)[0]))
#define CORE_COLUMNS(array, core) sizeof(array) / sizeof((array)[0]), (core), (array)
#define NO_TIME SIZE_MAX

static const struct trace_column module_columns[] = {
    [MODULE_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},           [MODULE_PATH] = {"path", TRACE_STRING, TRACE_PLAIN},
    [MODULE_BUILD_ID] = {"build_id", TRACE_STRING, TRACE_PLAIN}, [MODULE_BIAS] = {"bias", TRACE_UNSIGNED, TRACE_DELTA},
    [MODULE_LOW] = {"low", TRACE_UNSIGNED, TRACE_DELTA},         [MODULE_HIGH] = {"high", TRACE_UNSIGNED, TRACE_DELTA},
};

static const struct trace_column method_columns[] = {
    [METHOD_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},   [METHOD_CLASS] = {"class", TRACE_STRING, TRACE_PLAIN},
    [METHOD_NAME] = {"name", TRACE_STRING, TRACE_PLAIN}, [METHOD_SIGNATURE] = {"signature", TRACE_STRING, TRACE_PLAIN},
    [METHOD_FILE] = {"file", TRACE_STRING, TRACE_PLAIN},
};

static const struct trace_column frame_columns[] = {
    [FRAME_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},
    [FRAME_METHOD] = {"method", TRACE_UNSIGNED, TRACE_DELTA},
    [FRAME_LINE] = {"line", TRACE_UNSIGNED, TRACE_PLAIN},
    [FRAME_POSITION] = {"position", TRACE_SIGNED, TRACE_PLAIN},
    [FRAME_MODULE] = {"module", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column context_columns[] = {
    [CONTEXT_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},
    [CONTEXT_PARENT] = {"parent", TRACE_UNSIGNED, TRACE_DELTA},
    [CONTEXT_FRAME] = {"frame", TRACE_UNSIGNED, TRACE_DELTA},
};

static const struct trace_column thread_columns[] = {
    [THREAD_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},
    [THREAD_TID] = {"tid", TRACE_UNSIGNED, TRACE_DELTA},
    [THREAD_NAME] = {"name", TRACE_STRING, TRACE_PLAIN},
    [THREAD_ROLE] = {"role", TRACE_UNSIGNED, TRACE_PLAIN},
    [THREAD_FIRST_NS] = {"first_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [THREAD_FIRST_CPU_NS] = {"first_cpu_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [THREAD_LAST_NS] = {"last_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [THREAD_LAST_CPU_NS] = {"last_cpu_ns", TRACE_UNSIGNED, TRACE_DELTA},
};

static const struct trace_column object_columns[] = {
    [OBJECT_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},
    [OBJECT_KIND] = {"object_kind", TRACE_UNSIGNED, TRACE_PLAIN},
    [OBJECT_BYTES] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [OBJECT_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_PLAIN, true},
};

static const struct trace_column site_columns[] = {
    [SITE_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},
    [SITE_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_DELTA, true},
    [SITE_THREAD] = {"thread", TRACE_UNSIGNED, TRACE_DELTA},
    [SITE_ACCESS] = {"access", TRACE_UNSIGNED, TRACE_PLAIN},
    [SITE_BYTES] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [SITE_LOOP] = {"loop", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column loop_columns[] = {
    [LOOP_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},
    [LOOP_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_DELTA, true},
    [LOOP_THREAD] = {"of_thread", TRACE_UNSIGNED, TRACE_DELTA},
    [LOOP_OUTER] = {"outer", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column iteration_columns[] = {
    [ITERATION_ACCESSES] = {"accesses", TRACE_UNSIGNED, TRACE_DELTA},
    [ITERATION_LOOP] = {"loop", TRACE_UNSIGNED, TRACE_PLAIN},
    [ITERATION_COUNT] = {"count", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column code_columns[] = {
    [CODE_ID] = {"id", TRACE_UNSIGNED, TRACE_DELTA},
    [CODE_ADDRESS] = {"address", TRACE_UNSIGNED, TRACE_DELTA},
    [CODE_LENGTH] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [CODE_INSTRUCTIONS] = {"instructions", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column fetch_columns[] = {
    [FETCH_CODE] = {"code", TRACE_UNSIGNED, TRACE_CHAIN},
    [FETCH_INSTRUCTIONS] = {"instructions", TRACE_UNSIGNED, TRACE_STEP},
    [FETCH_ACCESSES] = {"accesses", TRACE_UNSIGNED, TRACE_STEP},
    [FETCH_COUNT] = {"count", TRACE_UNSIGNED, TRACE_SAME},
};

static const struct trace_column dependence_columns[] = {
    [DEPENDENCE_FROM] = {"from", TRACE_UNSIGNED, TRACE_DELTA},
    [DEPENDENCE_TO] = {"to", TRACE_UNSIGNED, TRACE_DELTA},
    [DEPENDENCE_HOW] = {"how", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column sample_columns[] = {
    [SAMPLE_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [SAMPLE_CPU] = {"cpu_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [SAMPLE_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_PLAIN, true},
    [SAMPLE_STATE] = {"state", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_TICK] = {"tick", TRACE_UNSIGNED, TRACE_DELTA},
    [SAMPLE_WEIGHT] = {"weight", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_WEIGHT_1] = {"weight_1", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_WEIGHT_2] = {"weight_2", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_WEIGHT_3] = {"weight_3", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_WEIGHT_4] = {"weight_4", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_WEIGHT_5] = {"weight_5", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_WEIGHT_6] = {"weight_6", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_WEIGHT_7] = {"weight_7", TRACE_UNSIGNED, TRACE_PLAIN},
    [SAMPLE_THREAD_STATE] = {"thread_state", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column gc_columns[] = {
    [GC_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [GC_DURATION] = {"duration_ns", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column lost_columns[] = {
    [LOST_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [LOST_CAUSE] = {"cause", TRACE_UNSIGNED, TRACE_PLAIN},
    [LOST_COUNT] = {"count", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column pair_columns[] = {
    [PAIR_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [PAIR_WASTE] = {"waste", TRACE_UNSIGNED, TRACE_PLAIN},
    [PAIR_VALUES] = {"values", TRACE_UNSIGNED, TRACE_PLAIN},
    [PAIR_FIRST] = {"first", TRACE_UNSIGNED, TRACE_PLAIN, true},
    [PAIR_SECOND] = {"second", TRACE_UNSIGNED, TRACE_PLAIN, true},
    [PAIR_SCOPE] = {"scope", TRACE_UNSIGNED, TRACE_PLAIN, true},
    [PAIR_OBJECT] = {"object", TRACE_UNSIGNED, TRACE_PLAIN},
    [PAIR_EVENTS] = {"events", TRACE_UNSIGNED, TRACE_PLAIN},
    [PAIR_WASTED_EVENTS] = {"wasted_events", TRACE_UNSIGNED, TRACE_PLAIN},
    [PAIR_BYTES] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [PAIR_WASTED_BYTES] = {"wasted_bytes", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column total_columns[] = {
    [TOTAL_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},  [TOTAL_ACCESS] = {"access", TRACE_UNSIGNED, TRACE_PLAIN},
    [TOTAL_VALUES] = {"values", TRACE_UNSIGNED, TRACE_PLAIN}, [TOTAL_EVENTS] = {"events", TRACE_UNSIGNED, TRACE_PLAIN},
    [TOTAL_BYTES] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column burst_columns[] = {
    [BURST_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [BURST_WASTE] = {"waste", TRACE_UNSIGNED, TRACE_PLAIN},
    [BURST_BYTES] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [BURST_WASTED_BYTES] = {"wasted_bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [BURST_UNSEEN_BYTES] = {"unseen_bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [BURST_CROSSING_BYTES] = {"crossing_bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [BURST_CROSSING_WASTED_BYTES] = {"crossing_wasted_bytes", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column access_columns[] = {
    [ACCESS_SITE] = {"site", TRACE_UNSIGNED, TRACE_CHAIN},
    [ACCESS_INSTRUCTIONS] = {"instructions", TRACE_UNSIGNED, TRACE_STEP},
    [ACCESS_ADDRESS] = {"address", TRACE_UNSIGNED, TRACE_STRIDE},
    [ACCESS_VALUE] = {"value", TRACE_UNSIGNED, TRACE_SAME},
    [ACCESS_VALUE_1] = {"value_1", TRACE_UNSIGNED, TRACE_SAME},
    [ACCESS_VALUE_2] = {"value_2", TRACE_UNSIGNED, TRACE_SAME},
    [ACCESS_VALUE_3] = {"value_3", TRACE_UNSIGNED, TRACE_SAME},
};

static const struct trace_column trap_columns[] = {
    [TRAP_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [TRAP_WASTE] = {"waste", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_VALUES] = {"values", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_FIRST] = {"first", TRACE_UNSIGNED, TRACE_PLAIN, true},
    [TRAP_SECOND] = {"second", TRACE_UNSIGNED, TRACE_PLAIN, true},
    [TRAP_WASTED] = {"wasted", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_BYTES] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_WEIGHT] = {"weight", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_SECOND_BYTES] = {"second_bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_REGISTER] = {"register", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_FIRST_LOW] = {"first_code_low", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_FIRST_HIGH] = {"first_code_high", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_SECOND_LOW] = {"second_code_low", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_SECOND_HIGH] = {"second_code_high", TRACE_UNSIGNED, TRACE_PLAIN},
    [TRAP_START] = {"start", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column range_columns[] = {
    [RANGE_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [RANGE_START] = {"start", TRACE_UNSIGNED, TRACE_PLAIN},
    [RANGE_END] = {"end", TRACE_UNSIGNED, TRACE_PLAIN},
    [RANGE_INSTRUCTIONS] = {"instructions", TRACE_UNSIGNED, TRACE_PLAIN},
    [RANGE_EVENTS] = {"events", TRACE_UNSIGNED, TRACE_PLAIN},
    [RANGE_BYTES] = {"bytes", TRACE_UNSIGNED, TRACE_PLAIN},
    [RANGE_APPROX_EVENTS] = {"approx_events", TRACE_UNSIGNED, TRACE_PLAIN},
    [RANGE_APPROX_BYTES] = {"approx_bytes", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column watch_columns[] = {
    [WATCH_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [WATCH_OUTCOME] = {"outcome", TRACE_UNSIGNED, TRACE_PLAIN},
    [WATCH_COUNT] = {"count", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column event_columns[] = {
    [EVENT_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [EVENT_WHAT] = {"what", TRACE_UNSIGNED, TRACE_PLAIN},
    [EVENT_METHOD] = {"method", TRACE_UNSIGNED, TRACE_PLAIN, .method = true},
    [EVENT_COUNTER_0] = {"counter_0", TRACE_UNSIGNED, TRACE_BESIDE},
    [EVENT_COUNTER_1] = {"counter_1", TRACE_UNSIGNED, TRACE_BESIDE},
    [EVENT_COUNTER_2] = {"counter_2", TRACE_UNSIGNED, TRACE_BESIDE},
    [EVENT_COUNTER_3] = {"counter_3", TRACE_UNSIGNED, TRACE_BESIDE},
};

static const struct trace_column clock_columns[] = {
    [CLOCK_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA}, [CLOCK_WHAT] = {"what", TRACE_UNSIGNED, TRACE_PLAIN},
    [CLOCK_FROM] = {"from", TRACE_UNSIGNED, TRACE_PLAIN},    [CLOCK_TO] = {"to", TRACE_UNSIGNED, TRACE_PLAIN},
    [CLOCK_SHARE] = {"share", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column giveup_columns[] = {
    [GIVEUP_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [GIVEUP_METHOD] = {"method", TRACE_UNSIGNED, TRACE_PLAIN, .method = true},
    [GIVEUP_CALLS] = {"calls", TRACE_UNSIGNED, TRACE_PLAIN},
    [GIVEUP_MEAN] = {"mean_ns", TRACE_UNSIGNED, TRACE_PLAIN},
    [GIVEUP_WHY] = {"why", TRACE_UNSIGNED, TRACE_PLAIN},
    [GIVEUP_SHARE] = {"share", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column vm_columns[] = {
    [VM_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [VM_WHAT] = {"what", TRACE_UNSIGNED, TRACE_PLAIN},
    [VM_VALUE] = {"value", TRACE_UNSIGNED, TRACE_PLAIN},
};

static const struct trace_column instance_columns[] = {
    [INSTANCE_TIME] = {"time_ns", TRACE_UNSIGNED, TRACE_DELTA},
    [INSTANCE_WHAT] = {"what", TRACE_UNSIGNED, TRACE_PLAIN},
    [INSTANCE_NUMBER] = {"number", TRACE_UNSIGNED, TRACE_DELTA},
    [INSTANCE_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_PLAIN, true},
    [INSTANCE_WEIGHT] = {"weight", TRACE_UNSIGNED, TRACE_PLAIN},
    [INSTANCE_TOOK] = {"took_ns", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_COUNTER_0] = {"counter_0", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_COUNTER_1] = {"counter_1", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_COUNTER_2] = {"counter_2", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_COUNTER_3] = {"counter_3", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_ARGUMENT_1] = {"argument_1", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_ARGUMENT_2] = {"argument_2", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_ARGUMENT_3] = {"argument_3", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_ARGUMENT_4] = {"argument_4", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_ARGUMENT_5] = {"argument_5", TRACE_SIGNED, TRACE_PLAIN},
    [INSTANCE_ARGUMENT_6] = {"argument_6", TRACE_SIGNED, TRACE_PLAIN},
};

static const struct trace_column index_columns[] = {
    [INDEX_OFFSET] = {"offset", TRACE_UNSIGNED, TRACE_DELTA},  [INDEX_KIND] = {"kind", TRACE_UNSIGNED, TRACE_PLAIN},
    [INDEX_THREAD] = {"thread", TRACE_UNSIGNED, TRACE_PLAIN},  [INDEX_COUNT] = {"count", TRACE_UNSIGNED, TRACE_PLAIN},
    [INDEX_FIRST] = {"first_ns", TRACE_UNSIGNED, TRACE_DELTA}, [INDEX_LAST] = {"last_ns", TRACE_UNSIGNED, TRACE_DELTA},
};

static const struct trace_schema schemas[TRACE_KIND_COUNT] = {
    [TRACE_MODULE] = {"module", COLUMNS(module_columns), NO_TIME},
    [TRACE_METHOD] = {"method", COLUMNS(method_columns), NO_TIME},
    [TRACE_FRAME] = {"frame", COLUMNS(frame_columns), NO_TIME},
    [TRACE_CONTEXT] = {"context", COLUMNS(context_columns), NO_TIME},
    [TRACE_THREAD] = {"thread", COLUMNS(thread_columns), NO_TIME},
    [TRACE_OBJECT] = {"object", COLUMNS(object_columns), NO_TIME},
    [TRACE_SITE] = {"site", CORE_COLUMNS(site_columns, SITE_BYTES + 1), NO_TIME},
    [TRACE_LOOP] = {"loop", COLUMNS(loop_columns), NO_TIME},
    [TRACE_CODE] = {"code", COLUMNS(code_columns), NO_TIME},
    [TRACE_SAMPLE] = {"sample", CORE_COLUMNS(sample_columns, SAMPLE_WEIGHT + 1), SAMPLE_TIME},
    [TRACE_GC] = {"gc", COLUMNS(gc_columns), GC_TIME},
    [TRACE_LOST] = {"lost", COLUMNS(lost_columns), LOST_TIME},
    [TRACE_PAIR] = {"pair", COLUMNS(pair_columns), PAIR_TIME},
    [TRACE_TOTAL] = {"total", COLUMNS(total_columns), TOTAL_TIME},
    [TRACE_ACCESS] = {"access", COLUMNS(access_columns), NO_TIME},
    [TRACE_TRAP] = {"trap", COLUMNS(trap_columns), TRAP_TIME},
    [TRACE_WATCH] = {"watch", COLUMNS(watch_columns), WATCH_TIME},
    [TRACE_RANGE] = {"range", COLUMNS(range_columns), RANGE_TIME},
    [TRACE_EVENT] = {"event", COLUMNS(event_columns), EVENT_TIME},
    [TRACE_CLOCK] = {"clock", COLUMNS(clock_columns), CLOCK_TIME},
    [TRACE_GIVEUP] = {"giveup", COLUMNS(giveup_columns), GIVEUP_TIME},
    [TRACE_VM] = {"vm", COLUMNS(vm_columns), VM_TIME},
    [TRACE_ZERO_SAMPLE] = {"zero-sample", CORE_COLUMNS(sample_columns, SAMPLE_WEIGHT + 1), SAMPLE_TIME},
    [TRACE_INSTANCE] = {"instance", CORE_COLUMNS(instance_columns, INSTANCE_COUNTER_3 + 1), INSTANCE_TIME},
    [TRACE_INDEX] = {"index", COLUMNS(index_columns), NO_TIME},
    [TRACE_BURST] = {"burst", COLUMNS(burst_columns), BURST_TIME},
    [TRACE_ITERATION] = {"iteration", COLUMNS(iteration_columns), NO_TIME},
    [TRACE_FETCH] = {"fetch", COLUMNS(fetch_columns), NO_TIME},
    [TRACE_DEPENDENCE] = {"dependence", COLUMNS(dependence_columns), NO_TIME},
};

const struct trace_schema *trace_schema_of(unsigned kind)
{
    return kind < TRACE_KIND_COUNT && schemas[kind].name ? &schemas[kind] : NULL;
}

unsigned trace_kind_named(const char *name)
{
    for (unsigned kind = 0; kind < TRACE_KIND_COUNT; kind++)
        if (schemas[kind].name && strcmp(schemas[kind].name, name) == 0)
            return kind;
    return 0;
}

const char *trace_state_name(unsigned state)
{
    static const char *const names[STATE_COUNT] = {
        "unknown", "native", "compiled", "interpreted", "runtime", "jit", "gc", "vm", "unwalkable", "stub",
    };
    return names[state < STATE_COUNT ? state : STATE_UNKNOWN];
}

const char *trace_thread_state_name(unsigned state)
{
    static const char *const names[THREAD_STATE_COUNT] = {
        "unknown", "running", "sleeping", "waiting", "parked", "blocked", "new", "terminated", "default",
    };
    return names[state < THREAD_STATE_COUNT ? state : THREAD_STATE_UNKNOWN];
}

unsigned trace_thread_state_named(const char *name)
{
    unsigned state = 0;
    while (state < THREAD_STATE_COUNT && strcmp(name, trace_thread_state_name(state)) != 0)
        state++;
    return state;
}

const char *trace_role_name(unsigned role)
{
    static const char *const names[ROLE_COUNT] = {"native", "java", "jit", "gc", "vm"};
    return role < ROLE_COUNT ? names[role] : "unknown";
}

const char *trace_waste_name(unsigned waste)
{
    static const char *const names[WASTE_COUNT] = {"dead-store", "silent-store", "silent-load", "spatial-load"};
    return waste < WASTE_COUNT ? names[waste] : "unknown";
}

unsigned trace_waste_named(const char *name)
{
    unsigned waste = 0;
    while (waste < WASTE_COUNT && strcmp(name, trace_waste_name(waste)) != 0)
        waste++;
    return waste;
}

const char *trace_values_name(unsigned values)
{
    static const char *const names[VALUES_COUNT] = {"precise", "approximate"};
    return values < VALUES_COUNT ? names[values] : "unknown";
}

const char *trace_access_name(unsigned access)
{
    static const char *const names[ACCESS_COUNT] = {"load", "store"};
    return access < ACCESS_COUNT ? names[access] : "unknown";
}

const char *trace_dependence_name(unsigned how)
{
    static const char *const names[DEPENDENCE_COUNT] = {"unknown", "base", "index"};
    return how < DEPENDENCE_COUNT ? names[how] : "unknown";
}

const char *trace_outcome_name(unsigned outcome)
{
    static const char *const names[OUTCOME_COUNT] = {
        "declined", "replaced",  "given-up", "collected", "unknown", "fresh",
        "pending",  "no-access", "system",   "blocked",   "kernel",  "unseen",
    };
    return outcome < OUTCOME_COUNT ? names[outcome] : "unknown";
}

const char *trace_event_name(unsigned event)
{
    static const char *const names[EVENT_COUNT] = {"enter", "exit", "exit-by-exception", "unfinished"};
    return event < EVENT_COUNT ? names[event] : "unknown";
}

const char *trace_instance_name(unsigned what)
{
    static const char *const names[INSTANCE_COUNT] = {
        "call",    "return",     "left", "given-up", "unfinished", "too-many", "no-call",
        "blocked", "subtracted", "cost", "total",    "refused",    "skidded",
    };
    return what < INSTANCE_COUNT ? names[what] : "unknown";
}

const char *trace_giveup_name(unsigned why)
{
    static const char *const names[GIVEUP_REASONS] = {"short", "costly"};
    return why < GIVEUP_REASONS ? names[why] : "unknown";
}

const char *trace_vm_name(unsigned what)
{
    static const char *const names[VM_COUNT] = {
        "safepoint-ns", "safepoint-sync-ns", "class-load-ns", "class-verify-ns", "class-init-ns",
        "classes",      "compile-ns",        "rewrite-ns",    "writer-ns",       "outside-writer-ns"};
    return what < VM_COUNT ? names[what] : "unknown";
}

const char *trace_clock_change_name(unsigned change)
{
    static const char *const names[CLOCK_CHANGE_COUNT] = {"slowed", "corrected", "replaced", "impossible"};
    return change < CLOCK_CHANGE_COUNT ? names[change] : "unknown";
}

const char *trace_object_kind_name(unsigned kind)
{
    static const char *const names[OBJECT_KIND_COUNT] = {"static", "heap", "mapped"};
    return kind < OBJECT_KIND_COUNT ? names[kind] : "unknown";
}

const char *trace_cause_name(unsigned cause)
{
    static const char *const names[LOST_CAUSE_COUNT] = {
        "buffer full", "not delivered", "no thread", "no memory", "write failed", "late attach", "no enter", "given up",
    };
    return cause < LOST_CAUSE_COUNT ? names[cause] : "unknown";
}
