/*
 * agent.h - shared by the files of the agent that inspects objects: hot methods with loops are partially interpreted at
 * their next entry, with their real arguments and the living objects, and without side effects (docs/inspect.md).
 *
 * A method that the JVM has compiled becomes a target (target.c): the agent's thread reads its code, resolves the
 * fields and classes that it names (names.c), and sets a breakpoint at its entry (breakpoints.c). The thread that meets
 * the breakpoint interprets the method (hit.c), each loop for itself, on the heap as JNI shows it (living.c). The
 * agent's thread writes what that gave (collect/inspect/inspection).
 */
#ifndef ASSAY_INSPECT_AGENT_AGENT_H
#define ASSAY_INSPECT_AGENT_AGENT_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "collect/inspect/inspection/inspection.h"
#include "collect/sample/sampler.h"

/* What became of the methods that the JVM has compiled; and what the metadata call it. */
enum inspect_count {
    COUNT_COMPILED,    /* methods with loops */
    COUNT_INSPECTED,   /* of these: at least one inspection is in the trace */
    COUNT_NOT_ENTERED, /* the breakpoint was never met */
    COUNT_COLLECTED,   /* each inspection was given up, since a garbage collection came */
    COUNT_TOO_MANY,    /* more than --methods */
    COUNT_UNREADABLE,  /* its code can't be read, or has subroutines */
    COUNT_INSPECTIONS, /* entries that were inspected */
    COUNT_GIVEN_UP,    /* entries whose inspection a garbage collection ended */
    COUNT_SAME,        /* if loads are verified: those whose value was at their address, … */
    COUNT_OTHER,       /* … and those where there was another one */
    COUNT_ENDS,        /* from here on: loops of these inspections, by enum interpreter_end */
    COUNT_ALL = COUNT_ENDS + INTERPRETER_ENDS
};

struct inspect_agent {
    jvmtiEnv *jvmti;
    JavaVM *vm;
    struct sampler_config config;
    bool verify;                           /* for tests: the environment has ASSAY_INSPECT_VERIFY */
    uint64_t iterations, entries, methods; /* limits: of a loop, of a method's inspections, of the methods */
    jrawMonitorID monitor;                 /* for all that threads share but for the following */
    _Atomic uint64_t collections_begun;
    _Atomic uint64_t counts[COUNT_ALL];
    _Atomic uint64_t interpreting_ns; /* CPU time of the program's threads in inspections */
    _Atomic uint64_t noting_ns; /* … and in noting loaded classes and compiled methods, the JVM's threads, too */
    _Atomic bool ended;
};
extern struct inspect_agent agent;

/* One line on standard error. */
void inspect_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline void inspect_add_count(unsigned what)
{
    atomic_fetch_add(&agent.counts[what], 1);
}

static inline void inspect_lock(void)
{
    (*agent.jvmti)->RawMonitorEnter(agent.jvmti, agent.monitor);
}

static inline void inspect_unlock(void)
{
    (*agent.jvmti)->RawMonitorExit(agent.jvmti, agent.monitor);
}

/* CPU time of this thread. */
static inline uint64_t inspect_thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ----------------------------------------------------------------------------------------- breakpoints.c */

/* For so long a breakpoint stays before it is decided. */
enum { BREAKPOINTS_ARMED_MS = 10 };

/* Events of the JVM. */
void JNICALL breakpoints_on_compiled_method(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                                            jint maps, const jvmtiAddrLocationMap *map, const void *info);
void JNICALL breakpoints_on_breakpoint(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method, jlocation at);

/* In the agent's thread: makes targets of the methods that were compiled since. */
void breakpoints_read_compiled(JNIEnv *env);
/* Those that were armed before, and are still, either have no thread in them, or are disarmed. */
void breakpoints_decide_armed(JNIEnv *env, uint64_t now_ns);
/* Sets breakpoints. Returns whether some targets wait for their turn, or to be decided. Drops those that are done. */
bool breakpoints_arm_waiting(JNIEnv *env, uint64_t now_ns);
/* Under the agent's monitor: whether methods were compiled, or inspections were finished, since. */
bool breakpoints_has_work(void);
/* The inspections that the program's threads have finished, linked. */
struct inspection *breakpoints_take_finished(void);
/* When the JVM has ended: counts the targets that are left. */
void breakpoints_finish(void);

/* ----------------------------------------------------------------------------------------- placement.c */

/* Where HotSpot has the parts of objects. All of it is tried on known objects before it is used. */
struct placement {
    struct heap_layout heap;
    uint32_t static_at; /* where a static field's id points to its offset */
};

/* False: this JVM is not understood. Called once, in a live JVM. */
bool placement_find(JNIEnv *env);
const struct placement *placement_get(void);
/* The address of the object that a local reference means. No garbage collection may come meanwhile. */
uint64_t placement_address(jobject local);
/* What is at an address, of 1 to 8 bytes, which need not be there: false. A reference is the address that it means. */
bool placement_read(uint64_t address, uint32_t bytes, bool reference, uint64_t *value);
/* The offset of a field. */
uint32_t placement_offset(jfieldID id, bool is_static);

/* ----------------------------------------------------------------------------------------- names.c */

/* Classes that are loaded, by name. */
void names_add_class(JNIEnv *env, jclass class);
void names_add_loaded(JNIEnv *env);
/* The class with this name ("java/lang/String", "[I") that a class with this loader means: a local reference; NULL: it
 * is not loaded, or several are and it is not clear which. Nothing is loaded. */
jclass names_find_class(JNIEnv *env, const struct constants_text *name, jobject loader);

/* A field, as a constant names it. */
struct names_field {
    jweak owner; /* the class that declares it; NULL: unknown */
    jfieldID id;
    uint32_t offset;
    bool is_static;
};
/* Finds the field in a class or one above it; a static one only in a class that is initialized. */
bool names_find_field(JNIEnv *env, jclass class, const struct constants_member *member, bool is_static,
                      struct names_field *field);

/* ----------------------------------------------------------------------------------------- target.c */

enum target_state {
    TARGET_WAITING, /* has no breakpoint now */
    TARGET_ARMED,   /* has one; threads may be in the method that entered it before */
    TARGET_ENTERED, /* has one, and a thread that was inspected may be in the method */
    TARGET_DECIDED, /* has one, and no thread was in the method since it was set */
    TARGET_TAKEN,   /* a thread inspects it */
    TARGET_DONE
};

/* A method with loops. Who moves it to another state may change its counts. */
struct target {
    struct target *next; /* of those that are not done: the agent's thread's */
    jmethodID id;
    _Atomic enum target_state state;
    uint32_t entries;  /* inspections so far */
    uint32_t given_up; /* … since the last one that a garbage collection ended */
    uint32_t tries;    /* breakpoints taken back: a thread was in it, or they were there for long */
    uint64_t next_ns;  /* when a waiting one gets its breakpoint */
    bool unloadable;   /* its class may be unloaded, but for a breakpoint in it. When a decided one loses it then: */
    uint64_t until_ns, collections; /* at that time, or when more collections than these have begun */
    bool is_static;
    char *class_name, *name, *descriptor, *file;
    struct inspection_line *lines;
    unsigned char *code, *pool;      /* the JVM TI's memory */
    struct inspection_method method; /* of all this */
    struct flow flow;
    struct constants constants;
    struct names_field *fields; /* [constants.count] */
    jweak *classes;             /* [constants.count]: those that casts name; NULL: not known */
};

/* Reads a method. NULL: it has no loop, can't be inspected, or there are enough methods (counted). */
struct target *target_read(JNIEnv *env, jmethodID id);
void target_free(JNIEnv *env, struct target *target);
/* Frees what only an inspection needs, most of it the class's constants; not what inspections are written with. */
void target_release(JNIEnv *env, struct target *target);

/* ----------------------------------------------------------------------------------------- living.c */

/* Finds the classes of arrays. Called once, in a live JVM; false: they are not there. */
bool living_prepare(JNIEnv *env);

/* The living heap during one inspection, which is in a frame of local references of its own. */
struct living;
struct living *living_begin(JNIEnv *env, const struct target *target, struct heap *heap);
void living_end(struct living *living);
/* The number of the object that a local reference means, which is the inspection's from then on; 0: null, or no memory.
 */
uint32_t living_number(struct living *living, jobject local);

/* ----------------------------------------------------------------------------------------- hit.c */

/* In the thread that enters the method. NULL: a garbage collection came, or there is no memory. */
struct inspection *hit_inspect(JNIEnv *env, const struct target *target);

#endif
