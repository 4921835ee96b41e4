/*
 * agent.h - the JVM TI agent: shared by its files.
 *
 *   agent.c      life: options, capabilities, events, start and end of the trace
 *   state.c      what all of them share
 *   vmstructs.c  HotSpot's own tables about itself (exported for the serviceability agent)
 *   codemap.c    the kind of code at a program counter
 *   walk.c       a stack in a signal handler
 *   call_trace.c AsyncGetCallTrace, from which its Java frames come
 *   recover.c    recovery where AsyncGetCallTrace gives up
 *   edge.c       the stack in a compiled method's first and last instructions
 *   blob.c       the compiled method around a program counter
 *   guard.c      a fault inside a walk costs the sample, not the program
 *   describe.c   names of raw frames, in the writer's thread
 *   threads.c    names and roles of threads
 *   methods.c    mode methods: classes get probes as they load
 *   unprobe.c    … and lose them again, for methods that are given up
 *   chosen.c     mode calls: of the calls of methods with probes some are chosen at random
 *   perfdata.c   time in safepoints and class loading, as counted by the JVM
 *   allocated.c  bytes that a thread has allocated
 *   gc_counters.c  what a collection costs in the counters of mode methods
 *   safepoint.c  the clock `safepoint`: stacks taken at safepoints, as hprof did
 *
 * A raw frame is (jmethodID, bytecode index), or (enum pseudo, 0) for other code: a jmethodID is an
 * address and no address is below PSEUDO_COUNT.
 */
#ifndef ASSAY_AGENTS_JVM_AGENT_H
#define ASSAY_AGENTS_JVM_AGENT_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

#include "collect/calls/chooser.h"
#include "collect/agents/jvm/role.h"
#include "collect/sample/sampler.h"

/* ------------------------------------------------------------------------------------------------- state.c -- */

enum agent_phase { PHASE_LOADING, PHASE_LIVE, PHASE_DEAD };

struct agent {
    JavaVM *vm;
    jvmtiEnv *jvmti;
    _Atomic enum agent_phase phase; /* jmethodIDs may be described only in PHASE_LIVE */
    atomic_bool gc_running;         /* between GarbageCollectionStart and GarbageCollectionFinish */
    struct sampler_config config;
    bool safepoint_clock;
    bool methods; /* mode methods: no clock at all */
    bool chooses; /* mode calls */
};
extern struct agent agent;

/* The calling thread is the agent's own: its ThreadStart is not the program's. */
extern _Thread_local bool agent_own_thread;

/* How long collections have stopped the program so far, ns: the one that runs now is counted up to now.
 * Async-signal-safe. */
uint64_t agent_stopped_ns(void);

/* The same as sampler_report(), without a format. */
void agent_print_error(const char *text);

/* --------------------------------------------------------------------------------------------- allocated.c -- */

/* Whether this JVM reports what its threads allocate. To be called in a Java thread. */
bool allocated_prepare(JNIEnv *env);
/* The calling thread's own JNIEnv, which allocated_bytes() uses: 0 before it is set. */
void allocated_set_env(JNIEnv *env);
uint64_t allocated_bytes(void);

/* --------------------------------------------------------------------------------------------- vmstructs.c -- */

/* The address of a static field, or NULL. */
void *vmstructs_static(const char *type, const char *field);
/* The offset of a field in its type, or −1. */
long vmstructs_offset(const char *type, const char *field);
/* The size of a type, or 0. */
size_t vmstructs_size(const char *type);
/* Sets a boolean flag of the JVM unless the user has set it. Returns whether the flag is on now. */
bool vmstructs_switch_on(const char *flag);

/* ----------------------------------------------------------------------------------------------- codemap.c -- */

enum code_kind { CODE_OTHER, CODE_COMPILED, CODE_STUB, CODE_INTERPRETER, CODE_LIBJVM };

/* Finds libjvm through any address in it. Returns false if that is in no loaded library. */
bool codemap_init(const void *in_libjvm);
/* Generated code that is not a method. Any thread, but not a signal handler. */
void codemap_add(const char *name, const void *start, size_t bytes);
/* Async-signal-safe. */
enum code_kind codemap_kind(uintptr_t pc);
static inline bool codemap_is_generated(enum code_kind kind)
{
    return kind == CODE_COMPILED || kind == CODE_STUB || kind == CODE_INTERPRETER;
}

/* -------------------------------------------------------------------------------------------------- walk.c -- */

/* Raw frames that are not Java methods, and their names. */
#define PSEUDO_FRAMES(X)                                                                                               \
    X(PSEUDO_STARTING, "[VM start-up]")                                                                                \
    X(PSEUDO_NATIVE, "[native code]")                                                                                  \
    X(PSEUDO_RUNTIME, "[VM runtime]")                                                                                  \
    X(PSEUDO_JIT, "[JIT compiler]")                                                                                    \
    X(PSEUDO_GC, "[garbage collector]")                                                                                \
    X(PSEUDO_VM, "[VM thread]")                                                                                        \
    X(PSEUDO_STUB, "[VM stub]")                                                                                        \
    X(PSEUDO_ENTRY, "[method entry or exit]")                                                                          \
    X(PSEUDO_NO_METHOD, "[unidentified Java method]")                                                                  \
    X(PSEUDO_CUT, "[stack cut here]")                                                                                  \
    X(PSEUDO_NO_CLASS_LOAD, "[unwalkable: class load events are off]")                                                 \
    X(PSEUDO_GC_ACTIVE, "[unwalkable: garbage collection]")                                                            \
    X(PSEUDO_UNKNOWN_NOT_JAVA, "[unwalkable: native, unknown frame]")                                                  \
    X(PSEUDO_NOT_WALKABLE_NOT_JAVA, "[unwalkable: native]")                                                            \
    X(PSEUDO_UNKNOWN_JAVA, "[unwalkable: Java, unknown frame]")                                                        \
    X(PSEUDO_NOT_WALKABLE_JAVA, "[unwalkable: Java]")                                                                  \
    X(PSEUDO_UNKNOWN_STATE, "[unwalkable: thread state]")                                                              \
    X(PSEUDO_THREAD_EXIT, "[thread exit]")                                                                             \
    X(PSEUDO_DEOPT, "[unwalkable: deoptimisation]")                                                                    \
    X(PSEUDO_SAFEPOINT, "[unwalkable: safepoint]")                                                                     \
    X(PSEUDO_OTHER, "[unwalkable: other reason]")                                                                      \
    X(PSEUDO_FAULT, "[unwalkable: fault in the walk]")

#define PSEUDO_ENUM(id, text) id,
enum pseudo { PSEUDO_NONE, PSEUDO_FRAMES(PSEUDO_ENUM) PSEUDO_COUNT };
#undef PSEUDO_ENUM

/* A raw frame; code 0: of a method that AsyncGetCallTrace can't name. */
static inline void walk_set_frame(struct trace_raw_frame *frame, uint64_t code, int64_t position)
{
    frame->code = code ? code : PSEUDO_NO_METHOD;
    frame->position = position;
}

/* In a Java thread, once the JVM is live: learns how to distinguish JVM threads from others. */
void walk_find_key(JNIEnv *env);
/* sampler_hooks.walk */
size_t walk_jvm_stack(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state);

/* -------------------------------------------------------------------------------------------- call_trace.c -- */

/* Finds AsyncGetCallTrace. Returns NULL, or why no stack can be walked in this JVM. */
const char *call_trace_init(void);
/* AsyncGetCallTrace into frames[max]: the number of frames, or its error code (≤ 0). Async-signal-safe. */
int call_trace_walk(JNIEnv *env, void *ucontext, struct trace_raw_frame *frames, size_t max);
/* Only the method and the bytecode index of the interrupted instruction. False if AsyncGetCallTrace can't determine
 * them. */
bool call_trace_top(JNIEnv *env, void *ucontext, struct trace_raw_frame *top);
/* The error codes: AsyncGetCallTrace's, and one for a fault in it. */
enum {
    WALK_UNKNOWN_NOT_JAVA = -3,
    WALK_NOT_WALKABLE_NOT_JAVA = -4,
    WALK_UNKNOWN_JAVA = -5,
    WALK_NOT_WALKABLE_JAVA = -6,
    WALK_THREAD_EXIT = -8,
    WALK_FAULT = -100
};
/* Turns the `count` ≥ 1 frames that call_trace_walk() wrote into raw frames, in place, and returns their number. If
 * there are `max`, the outermost becomes PSEUDO_CUT. Async-signal-safe. */
size_t call_trace_convert(struct trace_raw_frame *frames, size_t count, size_t max);
enum { CALL_TRACE_NATIVE = -3 }; /* the position of a frame of a native method */

/* ----------------------------------------------------------------------------------------------- recover.c -- */

/* The result for a stack that AsyncGetCallTrace gave up with `code`. */
struct recover_result {
    int count;                   /* of frames; ≤ 0: nothing could be done */
    struct trace_raw_frame leaf; /* to put on top; code 0: none */
    bool no_java;                /* the thread has no Java frame at all */
};
/* `thread` is the JVM's own Thread of the calling thread. */
struct recover_result recover_walk(int code, JNIEnv *env, void *thread, void *ucontext, struct trace_raw_frame *frames,
                                   size_t max);
/* Learns where a thread stores its last Java frame. */
void recover_init(void);
/* What is needed to continue a walk from an address. */
struct recover_registers {
    uintptr_t pc, sp, fp;
};
/* The interrupted program counter. */
uintptr_t recover_pc(const void *ucontext);
/* edge_is_leaving() of the interrupted address, which is in code of this kind. */
bool recover_is_leaving(const void *ucontext, enum code_kind kind);
/* The interpreter's current position in the method of *top, which its frame receives later. */
void recover_set_bytecode_index(const void *ucontext, struct trace_raw_frame *top);

/* -------------------------------------------------------------------------------------------------- edge.c -- */

/* Whether pc, in a compiled method, is where the method's frame is removed; there AsyncGetCallTrace mistakes what lies
 * above the frame for the caller's. Async-signal-safe, may fault. */
bool edge_is_leaving(uintptr_t pc);
/* The caller's registers for an address in a compiled method's first or last instructions. False if it is in others, or
 * they can't be read. Async-signal-safe, may fault. */
bool edge_find_caller(const struct recover_registers *now, struct recover_registers *caller);

/* -------------------------------------------------------------------------------------------------- blob.c -- */

/* Learns where the code heaps are; once the JVM is live. */
void blob_init(void);
/* The compiled method that pc is in, as a frame without bytecode index. False if it is in none. Async-signal-safe. */
bool blob_method(uintptr_t pc, struct trace_raw_frame *frame);
/* The same for a possible address of HotSpot's structure of a method. */
bool blob_method_at(uintptr_t method, struct trace_raw_frame *frame);
/* The bytecode index at this address in a method's code; −1 if it is elsewhere. Async-signal-safe. */
int64_t blob_bytecode(uint64_t method_id, uintptr_t address);
/* The entry of the compiled method that contains pc, and the bytes of its whole frame including the return address.
 * False if pc is in none. Async-signal-safe, may fault. */
bool blob_entry(uintptr_t pc, uintptr_t *entry, size_t *frame_bytes);
/* The bytes of a frame of the stub that contains pc; 0 if there is none, or unknown. Async-signal-safe, may fault. */
size_t blob_stub_frame(uintptr_t pc);

/* ------------------------------------------------------------------------------------------------- guard.c -- */

/* A thread-local that a signal handler may touch first: no lazy allocation. */
#define GUARD_TLS __attribute__((tls_model("initial-exec")))

/* Installs the handlers; after the JVM has installed its own. */
void guard_init(void);
/* The jump target for a fault in the calling thread; NULL: faults take their usual course. */
extern _Thread_local sigjmp_buf *guard_jump GUARD_TLS;
/* To be called first after such a jump. */
void guard_caught(void);

/* ---------------------------------------------------------------------------------------------- describe.c -- */

/* sampler_hooks.describe and .on_end */
bool describe_frame(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text);
void describe_detach_thread(void *user);
/* AsyncGetCallTrace can't create jmethodIDs: this creates them beforehand. */
void describe_prepare_class(jvmtiEnv *jvmti, jclass class);
void describe_prepare_loaded(jvmtiEnv *jvmti, JNIEnv *jni);

/* ----------------------------------------------------------------------------------------------- threads.c -- */

/* The calling Java thread begins or ends. */
void threads_start(jvmtiEnv *jvmti, jthread thread);
void threads_end(jthread thread);
/* The Java threads that began before the JVM was live; the calling thread is `self`. */
void threads_add_present(jvmtiEnv *jvmti, jthread self);

/* The calling thread's full name, for the sampler: the kernel's is cut to 15 characters, and HotSpot sets it only after
 * ThreadStart. */
extern void sampler_thread_name(const char *name) __attribute__((weak));

/* ----------------------------------------------------------------------------------------------- methods.c -- */

/* Mode methods: once the JVM is live, sets up the probe and the rewriting of classes, and starts the recording. */
void methods_vm_live(JNIEnv *env, const json_t *metadata);
void methods_vm_death(JNIEnv *env);
/* The callback for ClassFileLoadHook. */
void JNICALL methods_on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                   jobject domain, jint length, const unsigned char *bytes, jint *new_length,
                                   unsigned char **new_bytes);

/* For either mode, in the thread that starts the JVM: loads the rewriter and defines the classes of probes, with a line
 * if that does not work (NULL); begins to rewrite classes; and reports what has no probes, when the JVM ends. */
jclass methods_load_rewriter(JNIEnv *env);
void methods_rewrite_with(JNIEnv *env, jclass rewriter);
void methods_stop_rewriting(JNIEnv *env);

/* Enters and leaves empty methods, in the thread that loaded the rewriter. */
void methods_run_probe_pairs(unsigned count);

/* CPU time that probes and rewriting have taken outside of the probes' own code. */
void methods_add_rewrite_ns(uint64_t ns);
uint64_t methods_rewrite_ns(void);

/* Whether the calling thread is in the rewriter. */
bool methods_is_rewriting(void);

/* The signature ("Lcom/acme/Sort;") of the class that contains a method of mode methods, into text[size]. False: no
 * such method. */
bool methods_class_signature(uint64_t method, char *text, size_t size);

/* ------------------------------------------------------------------------------------------------ chosen.c -- */

/* Mode calls: once the JVM is live, sets up the probe and the rewriting of classes, and starts the sampler with these
 * hooks. */
void chosen_vm_live(JNIEnv *env, struct sampler_hooks *hooks, json_t *metadata);
/* The calling thread begins: the sampler knows it. */
void chosen_begin_thread(JNIEnv *env);
void chosen_vm_death(JNIEnv *env);

/* ----------------------------------------------------------------------------------------------- unprobe.c -- */

/* methods_hooks.given_up: a separate thread has the method's class rewritten without its probes. */
void unprobe_request(uint64_t method);
/* Ends that thread. */
void unprobe_stop(void);

/* ---------------------------------------------------------------------------------------------- perfdata.c -- */

/* Writes the JVM's own counts so far, if it keeps such data, and the cost of recording: the CPU time of
 * rewriting, and of the calling thread, the writer's. Once, at the end. */
void perfdata_write(uint64_t rewrite_ns);

/* -------------------------------------------------------------------------------------------- vm_threads.c -- */

/* Writes the CPU time of the JVM's own threads into the trace: if `now`, or if the last time was 0.1 s ago. */
void vm_threads_update_all(bool now);
/* Calls visit() for every thread of the process. */
void vm_threads_each(void (*visit)(pid_t tid, void *user), void *user);

/* ------------------------------------------------------------------------------------------- gc_counters.c -- */

/* Counts what collections cost in these counters, an array of names of the trace. False: it can't be counted. To be
 * called once, before there are events of collections. */
bool gc_counters_prepare(const json_t *names);
/* Around a collection, in the thread that runs it. The second one sets sums[c] to what counter c advanced by, and
 * returns the number of counters, 0 if they are not counted. */
void gc_counters_begin(void);
size_t gc_counters_end(uint64_t duration_ns, uint64_t sums[EVENT_COUNTERS_MAX]);

/* --------------------------------------------------------------------------------------------- safepoint.c -- */

/* Starts and stops the clock `safepoint`; the sampler (source external) runs. */
void safepoint_start(uint64_t period_ns);
void safepoint_stop(void);
void safepoint_thread_start(jthread thread, const char *name, uint64_t tid);
void safepoint_thread_end(jthread thread);

#endif
