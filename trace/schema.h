/*
 * schema.h - what a trace holds: the kinds of records, their columns, and the names of enumerated values. The numbers
 * and the order of the columns are part of the format (docs/trace-format.md).
 */
#ifndef ASSAY_TRACE_SCHEMA_H
#define ASSAY_TRACE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_MAJOR = 1, TRACE_MINOR = 8 };

/* The kinds of records. The numbers are part of the format. 1..15 are definitions. */
enum trace_kind {
    TRACE_MODULE = 1,  /* a file mapped into the process */
    TRACE_METHOD = 2,  /* a method or function */
    TRACE_FRAME = 3,   /* a place in a method */
    TRACE_CONTEXT = 4, /* a node of the calling-context tree: parent + frame */
    TRACE_THREAD = 5,  /* a thread; written again when more is known about it: the last one counts */
    TRACE_OBJECT = 6,  /* a data object: static, by its symbol, or dynamic, by the context that allocated it */
    TRACE_SITE = 7,    /* an access of an instruction in a context: the common part of all its executions */
    TRACE_LOOP = 8,    /* a loop of a function in a context */
    TRACE_CODE = 9,    /* an instruction of a run of instructions: one row for each of them */
    TRACE_SAMPLE = 16, /* a sample of a sampling clock */
    TRACE_GC = 17,     /* one garbage collection */
    TRACE_LOST = 18,   /* records that the collector had to drop */
    TRACE_PAIR =
        19, /* memory accesses of one context that followed another's to the same place, and how many were wasted */
    TRACE_TOTAL = 20,  /* all memory accesses of a thread */
    TRACE_ACCESS = 21, /* one memory access; in the order of the process, of stream 0 */
    TRACE_TRAP = 22,   /* one sampled memory access and the next to the same place */
    TRACE_WATCH = 23,  /* sampled memory accesses and watchpoints that led to no trap */
    TRACE_RANGE = 24,  /* instructions that were single-stepped after a timer expiry, and their memory accesses */
    TRACE_EVENT = 25,  /* a method was entered or left */
    TRACE_CLOCK =
        26, /* what happened to a thread's sampling clock: its interval or its source changed, it miscounted */
    TRACE_GIVEUP = 27,      /* a method lost its probes */
    TRACE_VM = 28,          /* what a virtual machine reports about itself */
    TRACE_ZERO_SAMPLE = 29, /* a sample whose weight is 0, but not all of its further weights */
    TRACE_INSTANCE = 30,    /* a call that was chosen at random, or its end */
    TRACE_INDEX = 31,       /* written only by the writer: where the chunks are */
    TRACE_BURST = 32,       /* what one burst of watched memory accesses has counted */
    TRACE_ITERATION = 33,   /* a loop begins, or iterates; in the order of the accesses, of stream 0 */
    TRACE_FETCH = 34,       /* a run of instructions was executed; in the order of the accesses, of stream 0 */
    TRACE_DEPENDENCE = 35,  /* a load uses what another one has loaded: of their sites */
    TRACE_KIND_COUNT = 36
};

/* Columns of each kind, in their order in the file; bit i of a column mask represents column i. */
enum { MODULE_ID, MODULE_PATH, MODULE_BUILD_ID, MODULE_BIAS, MODULE_LOW, MODULE_HIGH };
enum { METHOD_ID, METHOD_CLASS, METHOD_NAME, METHOD_SIGNATURE, METHOD_FILE };
enum { FRAME_ID, FRAME_METHOD, FRAME_LINE, FRAME_POSITION, FRAME_MODULE };
enum { CONTEXT_ID, CONTEXT_PARENT, CONTEXT_FRAME };
enum {
    THREAD_ID,
    THREAD_TID,
    THREAD_NAME,
    THREAD_ROLE,
    THREAD_FIRST_NS,
    THREAD_FIRST_CPU_NS,
    THREAD_LAST_NS,
    THREAD_LAST_CPU_NS
};
enum { OBJECT_ID, OBJECT_KIND, OBJECT_BYTES, OBJECT_CONTEXT /* static: one frame, the symbol; heap: who allocated */ };
enum {
    SITE_ID,
    SITE_CONTEXT,
    SITE_THREAD /* its stream */,
    SITE_ACCESS /* enum trace_access */,
    SITE_BYTES,
    SITE_LOOP
};
enum { LOOP_ID, LOOP_CONTEXT /* its header */, LOOP_THREAD /* its stream */, LOOP_OUTER };
enum {
    CODE_ID,
    CODE_ADDRESS,
    CODE_LENGTH,      /* bytes */
    CODE_INSTRUCTIONS /* of the run, up to this one: what rep repeats counts once */
};
enum {
    SAMPLE_TIME,
    SAMPLE_CPU,
    SAMPLE_CONTEXT,
    SAMPLE_STATE,
    SAMPLE_TICK,
    SAMPLE_WEIGHT,   /* the number of samples, or of metadata `sample_unit`, that it represents; 0 or absent: 1 */
    SAMPLE_WEIGHT_1, /* further weights, which metadata `weights` name; 0 or absent: 0 */
    SAMPLE_WEIGHT_2,
    SAMPLE_WEIGHT_3,
    SAMPLE_WEIGHT_4,
    SAMPLE_WEIGHT_5,
    SAMPLE_WEIGHT_6,
    SAMPLE_WEIGHT_7,
    SAMPLE_THREAD_STATE /* enum trace_thread_state */
};
enum { SAMPLE_WEIGHTS_MAX = 8 };
enum {
    GC_TIME,
    GC_DURATION,
    GC_COUNTER_0, /* what the counters advanced by in the virtual machine's collecting threads; metadata `gc_counters`
                   */
    GC_COUNTER_1,
    GC_COUNTER_2,
    GC_COUNTER_3
};
enum { LOST_TIME, LOST_CAUSE, LOST_COUNT };
enum {
    PAIR_TIME,   /* when it was written */
    PAIR_WASTE,  /* enum trace_waste */
    PAIR_VALUES, /* enum trace_values */
    PAIR_FIRST,  /* context of the earlier access: the dead store, or the one whose value was repeated */
    PAIR_SECOND, /* context of the later one */
    PAIR_SCOPE,  /* the loop between the two, at its header and, once resolved, its line; 0: none, or unknown */
    PAIR_OBJECT, /* id of an object, or 0 */
    PAIR_EVENTS, /* accesses by `second` to places that `first` had accessed last, since the last record of the pair */
    PAIR_WASTED_EVENTS,
    PAIR_BYTES, /* the same in bytes */
    PAIR_WASTED_BYTES
};
enum { TOTAL_TIME, TOTAL_ACCESS, TOTAL_VALUES, TOTAL_EVENTS, TOTAL_BYTES };
enum {
    BURST_TIME,
    BURST_WASTE, /* enum trace_waste */
    BURST_BYTES,
    BURST_WASTED_BYTES,
    BURST_UNSEEN_BYTES,
    BURST_CROSSING_BYTES,
    BURST_CROSSING_WASTED_BYTES
};
enum {
    ACCESS_SITE,
    ACCESS_INSTRUCTIONS, /* executed by the process, including that of the access */
    ACCESS_ADDRESS,
    ACCESS_VALUE, /* the first 8 bytes, little-endian; then the following ones. Absent, so 0, unless values were
                     recorded */
    ACCESS_VALUE_1,
    ACCESS_VALUE_2,
    ACCESS_VALUE_3
};
enum { ITERATION_ACCESSES /* of the trace that precede it */, ITERATION_LOOP, ITERATION_COUNT };
enum { DEPENDENCE_FROM, DEPENDENCE_TO /* sites */, DEPENDENCE_HOW /* enum trace_dependence */ };
enum {
    FETCH_CODE,         /* id of a run; 0: a gap between bursts */
    FETCH_INSTRUCTIONS, /* executed by the process before it */
    FETCH_ACCESSES,     /* of the trace that precede it */
    FETCH_COUNT         /* of the run's rows, those that were fetched; of a gap, the instructions executed in it */
};
enum {
    TRAP_TIME,
    TRAP_WASTE,  /* enum trace_waste */
    TRAP_VALUES, /* enum trace_values */
    TRAP_FIRST,  /* context of the sampled access */
    TRAP_SECOND, /* context of the next one */
    TRAP_WASTED, /* 1: it was wasted */
    TRAP_BYTES,  /* of the first access */
    TRAP_WEIGHT, /* the number of sampled accesses that it represents */
    TRAP_SECOND_BYTES,
    TRAP_REGISTER,  /* debug register, from 1; 0: the next access came so soon that none was needed */
    TRAP_FIRST_LOW, /* machine code of the first access's instruction: bytes 0-7, then 8-15; 0: unknown */
    TRAP_FIRST_HIGH,
    TRAP_SECOND_LOW,
    TRAP_SECOND_HIGH,
    TRAP_START /* code address at the timer expiry */
};
enum {
    RANGE_TIME,
    RANGE_START, /* code address at the timer expiry */
    RANGE_END,   /* code address after the last step */
    RANGE_INSTRUCTIONS,
    RANGE_EVENTS, /* accesses of the wanted kind, among the last `window` of these instructions */
    RANGE_BYTES,
    RANGE_APPROX_EVENTS, /* those of floating-point values */
    RANGE_APPROX_BYTES
};
enum { WATCH_TIME, WATCH_OUTCOME, WATCH_COUNT };
enum {
    EVENT_TIME,
    EVENT_WHAT,      /* enum trace_event */
    EVENT_METHOD,    /* id of a method; for an exit, that of its entry */
    EVENT_COUNTER_0, /* running values, never less than in the previous event; metadata `counters` names them */
    EVENT_COUNTER_1,
    EVENT_COUNTER_2,
    EVENT_COUNTER_3
};
enum { EVENT_COUNTERS_MAX = 4 };
enum {
    CLOCK_TIME,
    CLOCK_WHAT, /* enum trace_clock_change, which defines these two */
    CLOCK_FROM,
    CLOCK_TO,
    CLOCK_SHARE /* share of the thread's CPU time that the sampler took before the change, in thousandths; 0: not
                   measured */
};
enum {
    GIVEUP_TIME,
    GIVEUP_METHOD, /* id of a method: from about then on its calls are not recorded */
    GIVEUP_CALLS,  /* recorded before */
    GIVEUP_MEAN,   /* ns per call, minus the probes inside */
    GIVEUP_WHY,    /* enum trace_giveup */
    GIVEUP_SHARE   /* share of the thread's CPU time that probes took, in thousandths; 0: not measured */
};
enum {
    INSTANCE_TIME,
    INSTANCE_WHAT,    /* enum trace_instance */
    INSTANCE_NUMBER,  /* of the call, in its thread; 0: it is about none */
    INSTANCE_CONTEXT, /* call: that of the function that is called */
    INSTANCE_WEIGHT,  /* call: how many it represents, in thousandths */
    INSTANCE_TOOK, /* return, subtracted, cost: ns since the call, without what the recorder took, as all that follows
                    */
    INSTANCE_COUNTER_0, /* return: what the counters advanced by; metadata `counters` names them */
    INSTANCE_COUNTER_1,
    INSTANCE_COUNTER_2,
    INSTANCE_COUNTER_3,
    INSTANCE_ARGUMENT_1, /* call: the registers of the first integer arguments, if they were wanted */
    INSTANCE_ARGUMENT_2,
    INSTANCE_ARGUMENT_3,
    INSTANCE_ARGUMENT_4,
    INSTANCE_ARGUMENT_5,
    INSTANCE_ARGUMENT_6
};
enum { INSTANCE_ARGUMENTS = 6 };
enum { VM_TIME, VM_WHAT /* enum trace_vm */, VM_VALUE /* since the virtual machine began */ };
enum { INDEX_OFFSET, INDEX_KIND, INDEX_THREAD, INDEX_COUNT, INDEX_FIRST, INDEX_LAST };
enum { TRACE_COLUMNS_MAX = 16 };
#define TRACE_ALL_COLUMNS UINT64_MAX
#define TRACE_COLUMN(column) (UINT64_C(1) << (column))

enum trace_type { TRACE_UNSIGNED, TRACE_SIGNED, TRACE_STRING };

/* How a column of integers is written, always as varints: unchanged, as the difference from the previous row, or as the
 * difference from a prediction from the previous rows of the chunk (docs/trace-format.md). The last three use the site.
 */
enum trace_coding {
    TRACE_PLAIN,
    TRACE_DELTA,
    TRACE_BESIDE, /* delta of the values or of their excess over the kind's time column, whichever is smaller */
    TRACE_CHAIN,  /* this one and those that follow: predict.h */
    TRACE_STEP,
    TRACE_STRIDE,
    TRACE_SAME
};

struct trace_column {
    const char *name; /* as `assay dump` prints it; a unit is part of the name */
    enum trace_type type;
    enum trace_coding coding;
    bool context; /* ids of contexts */
    bool method;  /* ids of methods */
};

struct trace_schema {
    const char *name; /* "sample" */
    size_t column_count;
    size_t core_count; /* columns that every chunk has; the others are absent where they and those after them are 0 */
    const struct trace_column *columns;
    size_t time_column; /* whose values are first_time/last_time of a chunk; SIZE_MAX: none */
};

/* The schema of a kind, or NULL if this version does not know it. Static storage. */
const struct trace_schema *trace_schema_of(unsigned kind);

/* The kind with this name, or 0. */
unsigned trace_kind_named(const char *name);

/* The amount that a sample represents, from its column weight. */
static inline uint64_t trace_sample_weight(uint64_t weight)
{
    return weight > 0 ? weight : 1;
}

/* What a thread was doing when its sample was taken. The numbers are part of the format. */
enum trace_state {
    STATE_UNKNOWN = 0,
    STATE_NATIVE = 1,      /* native code (of a native program, or below a Java frame) */
    STATE_COMPILED = 2,    /* Java, compiled by the JIT */
    STATE_INTERPRETED = 3, /* Java, in the interpreter */
    STATE_RUNTIME = 4,     /* inside the JVM on behalf of a Java thread */
    STATE_JIT = 5,         /* a JIT compiler thread */
    STATE_GC = 6,          /* the garbage collector */
    STATE_VM = 7,          /* another thread of the JVM's own */
    STATE_UNWALKABLE = 8,  /* the stack could not be walked; the context says what is known */
    STATE_STUB = 9,        /* code generated by the JVM that is not a method (stubs, adapters) */
    STATE_COUNT
};
const char *trace_state_name(unsigned state); /* "compiled"; "unknown" for a number it does not know */

/* Whether the thread of a sample ran or waited, as the recorder that took it says. The numbers are part of the format.
 */
enum trace_thread_state {
    THREAD_STATE_UNKNOWN = 0, /* the recorder does not say */
    THREAD_STATE_RUNNING = 1, /* on a processor, or ready for one */
    THREAD_STATE_SLEEPING = 2,
    THREAD_STATE_WAITING = 3, /* for a notification of an object */
    THREAD_STATE_PARKED = 4,
    THREAD_STATE_BLOCKED = 5, /* at the entry of a monitor */
    THREAD_STATE_NEW = 6,
    THREAD_STATE_TERMINATED = 7,
    THREAD_STATE_DEFAULT = 8, /* async-profiler does not determine it for samples of its clocks of CPU time */
    THREAD_STATE_COUNT
};
const char *trace_thread_state_name(unsigned state); /* "running"; "unknown" for a number it does not know */
unsigned trace_thread_state_named(const char *name); /* THREAD_STATE_COUNT: there is none */

/* The role of a thread. The numbers are part of the format. */
enum trace_role { ROLE_NATIVE = 0, ROLE_JAVA = 1, ROLE_JIT = 2, ROLE_GC = 3, ROLE_VM = 4, ROLE_COUNT };
const char *trace_role_name(unsigned role);

/* What a pair wasted. The numbers are part of the format. */
enum trace_waste {
    WASTE_DEAD_STORE = 0,
    WASTE_SILENT_STORE = 1,
    WASTE_SILENT_LOAD = 2,
    WASTE_SPATIAL_LOAD = 3,
    WASTE_ADJACENT_LOAD = 4,
    WASTE_COUNT
};
const char *trace_waste_name(unsigned waste); /* "dead-store"; "unknown" for a number it does not know */
unsigned trace_waste_named(const char *name); /* WASTE_COUNT if there is none */

/* How values are compared: exactly, or, for floating-point operations, within a tolerance. */
enum trace_values { VALUES_PRECISE = 0, VALUES_APPROXIMATE = 1, VALUES_COUNT };
const char *trace_values_name(unsigned values); /* "precise" */
enum trace_access { ACCESS_LOAD = 0, ACCESS_STORE = 1, ACCESS_COUNT };
const char *trace_access_name(unsigned access); /* "load" */

/* How a load uses what another one has loaded. The numbers are part of the format. */
enum trace_dependence {
    DEPENDENCE_BASE = 1,  /* as the reference through which it loads */
    DEPENDENCE_INDEX = 2, /* the index of the element depends on it */
    DEPENDENCE_COUNT
};
const char *trace_dependence_name(unsigned how); /* "base"; "unknown" for a number it does not know */

/* Why a sampled access led to no trap. The numbers are part of the format. */
enum trace_outcome {
    OUTCOME_DECLINED = 0,  /* no register took it */
    OUTCOME_REPLACED = 1,  /* its watchpoint was replaced by a later sample's */
    OUTCOME_GIVEN_UP = 2,  /* its watchpoint trapped too often on accesses that decide nothing */
    OUTCOME_COLLECTED = 3, /* a garbage collection came between */
    OUTCOME_UNKNOWN = 4,   /* the instruction that trapped is unknown */
    OUTCOME_FRESH = 5,     /* the place was freed in between: the stack frame returned, or the block was freed */
    OUTCOME_PENDING = 6,   /* the thread ended first */
    OUTCOME_NO_ACCESS = 7, /* no access was found within the steps allowed: nothing was sampled */
    OUTCOME_SYSTEM = 8,    /* a system call came first: nothing was sampled */
    OUTCOME_BLOCKED = 9,   /* the thread could not be stepped, or its register could not be set: nothing was sampled */
    OUTCOME_KERNEL = 10,   /* the kernel overwrote what had been loaded, so the next store was not the program's */
    OUTCOME_UNSEEN = 11,   /* the kernel may have loaded it in between, which can't be seen */
    OUTCOME_COUNT
};
const char *trace_outcome_name(unsigned outcome); /* "replaced" */

/* How a method was entered or left. The numbers are part of the format. */
enum trace_event {
    EVENT_ENTER = 0,
    EVENT_EXIT = 1,
    EVENT_EXCEPTION = 2,  /* left by an exception, longjmp or the like */
    EVENT_UNFINISHED = 3, /* not left: its thread or process ended inside, or it ran when the recording ended */
    EVENT_COUNT
};
const char *trace_event_name(unsigned event); /* "enter" */

/* Why a method lost its probes. The numbers are part of the format. */
enum trace_giveup {
    GIVEUP_SHORT = 0,  /* it takes less time than the requested minimum */
    GIVEUP_COSTLY = 1, /* probes took more of a thread's CPU time than allowed */
    GIVEUP_REASONS
};
const char *trace_giveup_name(unsigned why); /* "short" */

/* What became of a call that was chosen at random, or of the search for one. The numbers are part of the format. */
enum trace_instance {
    INSTANCE_CALL = 0,       /* it begins */
    INSTANCE_RETURN = 1,     /* it has returned, or its exit's probe has run */
    INSTANCE_LEFT = 2,       /* it was left by longjmp, an exception or the like, or for another stack */
    INSTANCE_GIVEN_UP = 3,   /* its return address was read too often, or its register was lost */
    INSTANCE_UNFINISHED = 4, /* its thread ended, or the recording did */
    INSTANCE_TOO_MANY = 5,   /* no call was chosen: too many were open */
    INSTANCE_NO_CALL = 6,    /* no call was chosen: the search was too costly, its thread ended, or on another stack */
    INSTANCE_BLOCKED = 7,    /* no call was chosen: the program has taken SIGTRAP */
    INSTANCE_SUBTRACTED = 8, /* what is subtracted for each trap from now on: the median of the last costs */
    INSTANCE_COST = 9,       /* what a trap has cost just now, with nothing subtracted */
    INSTANCE_TOTAL = 10,     /* what the whole thread has taken so far; the last one counts */
    INSTANCE_REFUSED = 11,   /* no call was chosen: the function uses its return address */
    INSTANCE_SKIDDED = 12,   /* no call was chosen: the counter's interrupt came too late to tell which it was */
    INSTANCE_COUNT
};
const char *trace_instance_name(unsigned what); /* "call" */

/* What a virtual machine reports about itself: ns, unless stated otherwise. The numbers are part of the format. */
enum trace_vm {
    VM_SAFEPOINT = 0,      /* wall time in safepoints, in which the program is stopped */
    VM_SAFEPOINT_SYNC = 1, /* the part of it until all threads had stopped */
    VM_CLASS_LOAD = 2,     /* time in threads that loaded, linked and initialized classes … */
    VM_CLASS_VERIFY = 3,   /* … of it in the verifier */
    VM_CLASS_INIT = 4,     /* … and in class initializers */
    VM_CLASSES = 5,        /* classes loaded (a number), without those of a shared archive */
    VM_COMPILE = 6,        /* wall time that compiler threads were at work */
    VM_REWRITE = 7,        /* mode methods: CPU time of the recorder's start, and of putting probes into classes … */
    VM_WRITER = 8,         /* … and of the recorder's own thread in the process, which writes the trace, … */
    VM_OUTSIDE_WRITER = 9, /* … or of the one in another process */
    VM_OSR_COMPILES = 10,  /* compilations of methods that were running, in a loop (a number): on-stack replacement */
    VM_COUNT
};
const char *trace_vm_name(unsigned what); /* "safepoint-ns" */

/* What happened to a sampling clock. The numbers are part of the format. */
enum trace_clock_change {
    CLOCK_SLOWED = 0,    /* samples cost too much: the mean interval in ns, before and after */
    CLOCK_CORRECTED = 1, /* samples came too often: the period in the clock's own units, before and after */
    CLOCK_REPLACED =
        2, /* the clock had stopped: numbers of the sources (cpu-clock, timer-thread, pmu), before, after */
    CLOCK_IMPOSSIBLE = 3, /* an impossible counter value: the value at the previous expiry, and the one read */
    CLOCK_CHANGE_COUNT
};
const char *trace_clock_change_name(unsigned change); /* "slowed" */

/* The kind of a data object. The numbers are part of the format. */
enum trace_object_kind { OBJECT_STATIC = 0, OBJECT_HEAP = 1, OBJECT_MAPPED = 2, OBJECT_KIND_COUNT };
const char *trace_object_kind_name(unsigned kind); /* "static" */

/* Why records were dropped. The numbers are part of the format. */
enum trace_cause {
    LOST_BUFFER_FULL = 0, /* the thread produced faster than the writer could drain */
    LOST_NOT_DELIVERED =
        1,              /* the clock expired, but no sample came: signal blocked, timer late, or merged with another */
    LOST_NO_THREAD = 2, /* a signal came for a thread that has no buffer (any more) */
    LOST_NO_MEMORY = 3, /* a table of the writer could not grow */
    LOST_WRITE_FAILED = 4, /* the file system refused */
    LOST_LATE_ATTACH = 5,  /* CPU time, as samples' worth, that a thread used before it was seen */
    LOST_NO_ENTER =
        6, /* a method was left that had not been entered: its entry was lost, or came before the recording */
    LOST_GIVEN_UP = 7, /* calls of a method whose probes had been given up */
    LOST_CAUSE_COUNT
};
const char *trace_cause_name(unsigned cause);

#endif
