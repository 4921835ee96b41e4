#include "trace/schema.h"

#include <string.h>

#define COLUMNS(array) CORE_COLUMNS(array, sizeof(array) / sizeof((array)[0]))
#define CORE_COLUMNS(array, core) sizeof(array) / sizeof((array)[0]), (core), (array)
/* Holds no ids of contexts or methods. */
#define COLUMN(name, type, coding) (name), (type), (coding), false, false
#define NO_TIME SIZE_MAX

static const struct trace_column module_columns[] = {
    [MODULE_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [MODULE_PATH] = {COLUMN("path", TRACE_STRING, TRACE_PLAIN)},
    [MODULE_BUILD_ID] = {COLUMN("build_id", TRACE_STRING, TRACE_PLAIN)},
    [MODULE_BIAS] = {COLUMN("bias", TRACE_UNSIGNED, TRACE_DELTA)},
    [MODULE_LOW] = {COLUMN("low", TRACE_UNSIGNED, TRACE_DELTA)},
    [MODULE_HIGH] = {COLUMN("high", TRACE_UNSIGNED, TRACE_DELTA)},
};

static const struct trace_column method_columns[] = {
    [METHOD_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [METHOD_CLASS] = {COLUMN("class", TRACE_STRING, TRACE_PLAIN)},
    [METHOD_NAME] = {COLUMN("name", TRACE_STRING, TRACE_PLAIN)},
    [METHOD_SIGNATURE] = {COLUMN("signature", TRACE_STRING, TRACE_PLAIN)},
    [METHOD_FILE] = {COLUMN("file", TRACE_STRING, TRACE_PLAIN)},
};

static const struct trace_column frame_columns[] = {
    [FRAME_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [FRAME_METHOD] = {COLUMN("method", TRACE_UNSIGNED, TRACE_DELTA)},
    [FRAME_LINE] = {COLUMN("line", TRACE_UNSIGNED, TRACE_PLAIN)},
    [FRAME_POSITION] = {COLUMN("position", TRACE_SIGNED, TRACE_PLAIN)},
    [FRAME_MODULE] = {COLUMN("module", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column context_columns[] = {
    [CONTEXT_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [CONTEXT_PARENT] = {COLUMN("parent", TRACE_UNSIGNED, TRACE_DELTA)},
    [CONTEXT_FRAME] = {COLUMN("frame", TRACE_UNSIGNED, TRACE_DELTA)},
};

static const struct trace_column thread_columns[] = {
    [THREAD_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [THREAD_TID] = {COLUMN("tid", TRACE_UNSIGNED, TRACE_DELTA)},
    [THREAD_NAME] = {COLUMN("name", TRACE_STRING, TRACE_PLAIN)},
    [THREAD_ROLE] = {COLUMN("role", TRACE_UNSIGNED, TRACE_PLAIN)},
    [THREAD_FIRST_NS] = {COLUMN("first_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [THREAD_FIRST_CPU_NS] = {COLUMN("first_cpu_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [THREAD_LAST_NS] = {COLUMN("last_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [THREAD_LAST_CPU_NS] = {COLUMN("last_cpu_ns", TRACE_UNSIGNED, TRACE_DELTA)},
};

static const struct trace_column object_columns[] = {
    [OBJECT_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [OBJECT_KIND] = {COLUMN("object_kind", TRACE_UNSIGNED, TRACE_PLAIN)},
    [OBJECT_BYTES] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [OBJECT_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
};

static const struct trace_column site_columns[] = {
    [SITE_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [SITE_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_DELTA, true, false},
    [SITE_THREAD] = {COLUMN("thread", TRACE_UNSIGNED, TRACE_DELTA)},
    [SITE_ACCESS] = {COLUMN("access", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SITE_BYTES] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SITE_LOOP] = {COLUMN("loop", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column loop_columns[] = {
    [LOOP_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [LOOP_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_DELTA, true, false},
    [LOOP_THREAD] = {COLUMN("of_thread", TRACE_UNSIGNED, TRACE_DELTA)},
    [LOOP_OUTER] = {COLUMN("outer", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column iteration_columns[] = {
    [ITERATION_ACCESSES] = {COLUMN("accesses", TRACE_UNSIGNED, TRACE_DELTA)},
    [ITERATION_LOOP] = {COLUMN("loop", TRACE_UNSIGNED, TRACE_PLAIN)},
    [ITERATION_COUNT] = {COLUMN("count", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column code_columns[] = {
    [CODE_ID] = {COLUMN("id", TRACE_UNSIGNED, TRACE_DELTA)},
    [CODE_ADDRESS] = {COLUMN("address", TRACE_UNSIGNED, TRACE_DELTA)},
    [CODE_LENGTH] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [CODE_INSTRUCTIONS] = {COLUMN("instructions", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column fetch_columns[] = {
    [FETCH_CODE] = {COLUMN("code", TRACE_UNSIGNED, TRACE_CHAIN)},
    [FETCH_INSTRUCTIONS] = {COLUMN("instructions", TRACE_UNSIGNED, TRACE_STEP)},
    [FETCH_ACCESSES] = {COLUMN("accesses", TRACE_UNSIGNED, TRACE_STEP)},
    [FETCH_COUNT] = {COLUMN("count", TRACE_UNSIGNED, TRACE_SAME)},
};

static const struct trace_column dependence_columns[] = {
    [DEPENDENCE_FROM] = {COLUMN("from", TRACE_UNSIGNED, TRACE_DELTA)},
    [DEPENDENCE_TO] = {COLUMN("to", TRACE_UNSIGNED, TRACE_DELTA)},
    [DEPENDENCE_HOW] = {COLUMN("how", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column sample_columns[] = {
    [SAMPLE_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [SAMPLE_CPU] = {COLUMN("cpu_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [SAMPLE_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
    [SAMPLE_STATE] = {COLUMN("state", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_TICK] = {COLUMN("tick", TRACE_UNSIGNED, TRACE_DELTA)},
    [SAMPLE_WEIGHT] = {COLUMN("weight", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_WEIGHT_1] = {COLUMN("weight_1", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_WEIGHT_2] = {COLUMN("weight_2", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_WEIGHT_3] = {COLUMN("weight_3", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_WEIGHT_4] = {COLUMN("weight_4", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_WEIGHT_5] = {COLUMN("weight_5", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_WEIGHT_6] = {COLUMN("weight_6", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_WEIGHT_7] = {COLUMN("weight_7", TRACE_UNSIGNED, TRACE_PLAIN)},
    [SAMPLE_THREAD_STATE] = {COLUMN("thread_state", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column gc_columns[] = {
    [GC_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [GC_DURATION] = {COLUMN("duration_ns", TRACE_UNSIGNED, TRACE_PLAIN)},
    [GC_COUNTER_0] = {COLUMN("counter_0", TRACE_UNSIGNED, TRACE_PLAIN)},
    [GC_COUNTER_1] = {COLUMN("counter_1", TRACE_UNSIGNED, TRACE_PLAIN)},
    [GC_COUNTER_2] = {COLUMN("counter_2", TRACE_UNSIGNED, TRACE_PLAIN)},
    [GC_COUNTER_3] = {COLUMN("counter_3", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column lost_columns[] = {
    [LOST_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [LOST_CAUSE] = {COLUMN("cause", TRACE_UNSIGNED, TRACE_PLAIN)},
    [LOST_COUNT] = {COLUMN("count", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column pair_columns[] = {
    [PAIR_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [PAIR_WASTE] = {COLUMN("waste", TRACE_UNSIGNED, TRACE_PLAIN)},
    [PAIR_VALUES] = {COLUMN("values", TRACE_UNSIGNED, TRACE_PLAIN)},
    [PAIR_FIRST] = {"first", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
    [PAIR_SECOND] = {"second", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
    [PAIR_SCOPE] = {"scope", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
    [PAIR_OBJECT] = {COLUMN("object", TRACE_UNSIGNED, TRACE_PLAIN)},
    [PAIR_EVENTS] = {COLUMN("events", TRACE_UNSIGNED, TRACE_PLAIN)},
    [PAIR_WASTED_EVENTS] = {COLUMN("wasted_events", TRACE_UNSIGNED, TRACE_PLAIN)},
    [PAIR_BYTES] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [PAIR_WASTED_BYTES] = {COLUMN("wasted_bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column total_columns[] = {
    [TOTAL_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [TOTAL_ACCESS] = {COLUMN("access", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TOTAL_VALUES] = {COLUMN("values", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TOTAL_EVENTS] = {COLUMN("events", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TOTAL_BYTES] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column burst_columns[] = {
    [BURST_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [BURST_WASTE] = {COLUMN("waste", TRACE_UNSIGNED, TRACE_PLAIN)},
    [BURST_BYTES] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [BURST_WASTED_BYTES] = {COLUMN("wasted_bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [BURST_UNSEEN_BYTES] = {COLUMN("unseen_bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [BURST_CROSSING_BYTES] = {COLUMN("crossing_bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [BURST_CROSSING_WASTED_BYTES] = {COLUMN("crossing_wasted_bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column access_columns[] = {
    [ACCESS_SITE] = {COLUMN("site", TRACE_UNSIGNED, TRACE_CHAIN)},
    [ACCESS_INSTRUCTIONS] = {COLUMN("instructions", TRACE_UNSIGNED, TRACE_STEP)},
    [ACCESS_ADDRESS] = {COLUMN("address", TRACE_UNSIGNED, TRACE_STRIDE)},
    [ACCESS_VALUE] = {COLUMN("value", TRACE_UNSIGNED, TRACE_SAME)},
    [ACCESS_VALUE_1] = {COLUMN("value_1", TRACE_UNSIGNED, TRACE_SAME)},
    [ACCESS_VALUE_2] = {COLUMN("value_2", TRACE_UNSIGNED, TRACE_SAME)},
    [ACCESS_VALUE_3] = {COLUMN("value_3", TRACE_UNSIGNED, TRACE_SAME)},
};

static const struct trace_column trap_columns[] = {
    [TRAP_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [TRAP_WASTE] = {COLUMN("waste", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_VALUES] = {COLUMN("values", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_FIRST] = {"first", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
    [TRAP_SECOND] = {"second", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
    [TRAP_WASTED] = {COLUMN("wasted", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_BYTES] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_WEIGHT] = {COLUMN("weight", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_SECOND_BYTES] = {COLUMN("second_bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_REGISTER] = {COLUMN("register", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_FIRST_LOW] = {COLUMN("first_code_low", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_FIRST_HIGH] = {COLUMN("first_code_high", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_SECOND_LOW] = {COLUMN("second_code_low", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_SECOND_HIGH] = {COLUMN("second_code_high", TRACE_UNSIGNED, TRACE_PLAIN)},
    [TRAP_START] = {COLUMN("start", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column range_columns[] = {
    [RANGE_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [RANGE_START] = {COLUMN("start", TRACE_UNSIGNED, TRACE_PLAIN)},
    [RANGE_END] = {COLUMN("end", TRACE_UNSIGNED, TRACE_PLAIN)},
    [RANGE_INSTRUCTIONS] = {COLUMN("instructions", TRACE_UNSIGNED, TRACE_PLAIN)},
    [RANGE_EVENTS] = {COLUMN("events", TRACE_UNSIGNED, TRACE_PLAIN)},
    [RANGE_BYTES] = {COLUMN("bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
    [RANGE_APPROX_EVENTS] = {COLUMN("approx_events", TRACE_UNSIGNED, TRACE_PLAIN)},
    [RANGE_APPROX_BYTES] = {COLUMN("approx_bytes", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column watch_columns[] = {
    [WATCH_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [WATCH_OUTCOME] = {COLUMN("outcome", TRACE_UNSIGNED, TRACE_PLAIN)},
    [WATCH_COUNT] = {COLUMN("count", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column event_columns[] = {
    [EVENT_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [EVENT_WHAT] = {COLUMN("what", TRACE_UNSIGNED, TRACE_PLAIN)},
    [EVENT_METHOD] = {"method", TRACE_UNSIGNED, TRACE_PLAIN, .method = true},
    [EVENT_COUNTER_0] = {COLUMN("counter_0", TRACE_UNSIGNED, TRACE_BESIDE)},
    [EVENT_COUNTER_1] = {COLUMN("counter_1", TRACE_UNSIGNED, TRACE_BESIDE)},
    [EVENT_COUNTER_2] = {COLUMN("counter_2", TRACE_UNSIGNED, TRACE_BESIDE)},
    [EVENT_COUNTER_3] = {COLUMN("counter_3", TRACE_UNSIGNED, TRACE_BESIDE)},
};

static const struct trace_column clock_columns[] = {
    [CLOCK_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [CLOCK_WHAT] = {COLUMN("what", TRACE_UNSIGNED, TRACE_PLAIN)},
    [CLOCK_FROM] = {COLUMN("from", TRACE_UNSIGNED, TRACE_PLAIN)},
    [CLOCK_TO] = {COLUMN("to", TRACE_UNSIGNED, TRACE_PLAIN)},
    [CLOCK_SHARE] = {COLUMN("share", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column giveup_columns[] = {
    [GIVEUP_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [GIVEUP_METHOD] = {"method", TRACE_UNSIGNED, TRACE_PLAIN, .method = true},
    [GIVEUP_CALLS] = {COLUMN("calls", TRACE_UNSIGNED, TRACE_PLAIN)},
    [GIVEUP_MEAN] = {COLUMN("mean_ns", TRACE_UNSIGNED, TRACE_PLAIN)},
    [GIVEUP_WHY] = {COLUMN("why", TRACE_UNSIGNED, TRACE_PLAIN)},
    [GIVEUP_SHARE] = {COLUMN("share", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column vm_columns[] = {
    [VM_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [VM_WHAT] = {COLUMN("what", TRACE_UNSIGNED, TRACE_PLAIN)},
    [VM_VALUE] = {COLUMN("value", TRACE_UNSIGNED, TRACE_PLAIN)},
};

static const struct trace_column instance_columns[] = {
    [INSTANCE_TIME] = {COLUMN("time_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [INSTANCE_WHAT] = {COLUMN("what", TRACE_UNSIGNED, TRACE_PLAIN)},
    [INSTANCE_NUMBER] = {COLUMN("number", TRACE_UNSIGNED, TRACE_DELTA)},
    [INSTANCE_CONTEXT] = {"context", TRACE_UNSIGNED, TRACE_PLAIN, true, false},
    [INSTANCE_WEIGHT] = {COLUMN("weight", TRACE_UNSIGNED, TRACE_PLAIN)},
    [INSTANCE_TOOK] = {COLUMN("took_ns", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_COUNTER_0] = {COLUMN("counter_0", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_COUNTER_1] = {COLUMN("counter_1", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_COUNTER_2] = {COLUMN("counter_2", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_COUNTER_3] = {COLUMN("counter_3", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_ARGUMENT_1] = {COLUMN("argument_1", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_ARGUMENT_2] = {COLUMN("argument_2", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_ARGUMENT_3] = {COLUMN("argument_3", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_ARGUMENT_4] = {COLUMN("argument_4", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_ARGUMENT_5] = {COLUMN("argument_5", TRACE_SIGNED, TRACE_PLAIN)},
    [INSTANCE_ARGUMENT_6] = {COLUMN("argument_6", TRACE_SIGNED, TRACE_PLAIN)},
};

static const struct trace_column index_columns[] = {
    [INDEX_OFFSET] = {COLUMN("offset", TRACE_UNSIGNED, TRACE_DELTA)},
    [INDEX_KIND] = {COLUMN("kind", TRACE_UNSIGNED, TRACE_PLAIN)},
    [INDEX_THREAD] = {COLUMN("thread", TRACE_UNSIGNED, TRACE_PLAIN)},
    [INDEX_COUNT] = {COLUMN("count", TRACE_UNSIGNED, TRACE_PLAIN)},
    [INDEX_FIRST] = {COLUMN("first_ns", TRACE_UNSIGNED, TRACE_DELTA)},
    [INDEX_LAST] = {COLUMN("last_ns", TRACE_UNSIGNED, TRACE_DELTA)},
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
    [TRACE_GC] = {"gc", CORE_COLUMNS(gc_columns, GC_DURATION + 1), GC_TIME},
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
    static const char *const names[WASTE_COUNT] = {"dead-store", "silent-store", "silent-load", "spatial-load",
                                                   "adjacent-load"};
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
        "safepoint-ns", "safepoint-sync-ns", "class-load-ns", "class-verify-ns",   "class-init-ns", "classes",
        "compile-ns",   "rewrite-ns",        "writer-ns",     "outside-writer-ns", "osr-compiles"};
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
