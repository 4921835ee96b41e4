/*
 * agent.c - the JVM TI agent: its beginning, methods as they are compiled, breakpoints, and the end.
 *
 * Loaded with -agentpath; configured by SAMPLER_ENVIRONMENT, without which it does nothing.
 */
#include "collect/inspect/agent/agent.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/hash.h"
#include "collect/inspect/inspection/inspection_trace.h"
#include "collect/agents/jvm/perf_counters.h"
#include "collect/sample/host.h"

struct inspect_agent agent;

/* Under the agent's monitor. */
static struct {
    jmethodID *compiled; /* [compiled_count]: not looked at yet */
    size_t compiled_count, compiled_capacity;
    struct known_method {
        jmethodID id;
        struct target *target; /* NULL: it has no loops, or can't be inspected */
    } * methods;               /* [method_count + 1], by number from 1 */
    uint32_t method_count;
    size_t method_capacity;
    struct hash by_id; /* numbers */
    struct inspection *finished, **last;
} work;

static struct target *waiting; /* all that are not done */

static json_t *described; /* what the trace's metadata begin with */
static bool thread_ended;

void inspect_print(const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "assay: %s\n", text);
}

static void inspect_lock(void)
{
    (*agent.jvmti)->RawMonitorEnter(agent.jvmti, agent.monitor);
}

static void inspect_unlock(void)
{
    (*agent.jvmti)->RawMonitorExit(agent.jvmti, agent.monitor);
}

static uint64_t inspect_thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ------------------------------------------------------------------------------------------ compiled methods -- */

static void JNICALL inspect_on_compiled_method(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                                               jint maps, const jvmtiAddrLocationMap *map, const void *info)
{
    (void)size, (void)address, (void)maps, (void)map, (void)info;
    uint64_t begun = inspect_thread_ns();
    inspect_lock();
    jmethodID *grown = atomic_load(&agent.ended)
                           ? NULL
                           : grow_unset(work.compiled, &work.compiled_capacity, work.compiled_count, sizeof *grown);
    if (grown) {
        work.compiled = grown;
        grown[work.compiled_count++] = method;
    }
    if (work.compiled_count == 1)
        (*jvmti)->RawMonitorNotify(jvmti, agent.monitor);
    inspect_unlock();
    atomic_fetch_add(&agent.noting_ns, inspect_thread_ns() - begun);
}

static uint64_t inspect_method_key(jmethodID method)
{
    return hash_mix((uint64_t)(uintptr_t)method, 0);
}

static bool inspect_method_matches(const void *id, uint32_t number)
{
    return work.methods[number].id == id;
}

/* Its number; 0: it was not looked at. Under the lock. */
static uint32_t inspect_find_method(jmethodID id)
{
    return hash_find(&work.by_id, inspect_method_key(id), inspect_method_matches, id);
}

static void inspect_add_method(jmethodID id, struct target *target)
{
    struct known_method *grown = grow_unset(work.methods, &work.method_capacity, work.method_count + 1, sizeof *grown);
    if (!grown)
        return;
    work.methods = grown;
    grown[work.method_count + 1] = (struct known_method){id, target};
    if (hash_add(&work.by_id, inspect_method_key(id), work.method_count + 1) == 0)
        work.method_count++;
}

/* A method that was compiled again is known already. */
static void inspect_read_method(JNIEnv *env, jmethodID id)
{
    inspect_lock();
    bool known = inspect_find_method(id) != 0;
    inspect_unlock();
    if (known)
        return;
    struct target *target = target_read(env, id);
    if (target) {
        target->next = waiting;
        waiting = target;
    }
    inspect_lock();
    inspect_add_method(id, target);
    inspect_unlock();
}

static void inspect_read_compiled(JNIEnv *env)
{
    for (;;) {
        inspect_lock();
        jmethodID method = work.compiled_count > 0 ? work.compiled[--work.compiled_count] : NULL;
        inspect_unlock();
        if (!method)
            return;
        inspect_read_method(env, method);
    }
}

/* ------------------------------------------------------------------------------------------ breakpoints -- */

/*
 * A method with a breakpoint is not compiled. A thread that is in it already, perhaps in a loop that never ends, would
 * stay in the interpreter, so the breakpoint is taken back soon, and set again later; where no thread is in the method
 * it waits for the next entry, at no cost. A breakpoint keeps the class of its method alive, and all that its loader
 * has loaded. In a class that may be unloaded it does not stay for long either.
 */
enum { ARMED_MS = 10, HELD_MS = 100, TRIES_MAX = 3, FRAMES_MAX = 65536, THREADS = 16384 };

static bool inspect_set_breakpoint(JNIEnv *env, struct target *target, bool set)
{
    jclass class = NULL; /* keeps the method alive */
    bool good = (*agent.jvmti)->GetMethodDeclaringClass(agent.jvmti, target->id, &class) == JVMTI_ERROR_NONE &&
                (set ? (*agent.jvmti)->SetBreakpoint(agent.jvmti, target->id, 0)
                     : (*agent.jvmti)->ClearBreakpoint(agent.jvmti, target->id, 0)) == JVMTI_ERROR_NONE;
    (*env)->DeleteLocalRef(env, class);
    return good;
}

/* Whether this thread may move the target to another state. */
static bool inspect_move_target(struct target *target, enum target_state from, enum target_state to)
{
    return !atomic_load(&agent.ended) && atomic_compare_exchange_strong(&target->state, &from, to);
}

static void inspect_finish_target(struct target *target)
{
    inspect_add_count(target->entries > 0    ? COUNT_INSPECTED
                      : target->given_up > 0 ? COUNT_COLLECTED
                                             : COUNT_NOT_ENTERED);
    atomic_store(&target->state, TARGET_DONE);
}

static void inspect_arm_target(JNIEnv *env, struct target *target)
{
    if (inspect_move_target(target, TARGET_WAITING, TARGET_ARMED) && !inspect_set_breakpoint(env, target, true) &&
        inspect_move_target(target, TARGET_ARMED, TARGET_TAKEN))
        inspect_finish_target(target);
}

/* Takes the breakpoint back, if the target still is in that state. */
static void inspect_disarm_target(JNIEnv *env, struct target *target, enum target_state from, uint64_t now_ns)
{
    if (!inspect_move_target(target, from, TARGET_TAKEN))
        return;
    inspect_set_breakpoint(env, target, false);
    target->next_ns = now_ns + ((uint64_t)ARMED_MS * 1000000 << 3 * ++target->tries);
    if (target->tries < TRIES_MAX)
        atomic_store(&target->state, TARGET_WAITING);
    else
        inspect_finish_target(target);
}

static bool inspect_is_on_stack(const jvmtiStackInfo *stacks, jint count, jmethodID method)
{
    for (jint i = 0; i < count; i++)
        for (jint frame = 0; frame < stacks[i].frame_count; frame++)
            if (stacks[i].frame_buffer[frame].method == method)
                return true;
    return false;
}

/* Those that were armed before, and are still, either have no thread in them, or are disarmed. */
static void inspect_decide_armed(JNIEnv *env, uint64_t now_ns)
{
    jvmtiStackInfo *stacks = NULL;
    jint count = 0;
    struct target *first = waiting;
    for (struct target *target = waiting; target; target = target->next)
        inspect_move_target(target, TARGET_ENTERED, TARGET_ARMED); /* only here, so the stacks below are later */
    while (first && first->state != TARGET_ARMED)
        first = first->next;
    if (!first || (*env)->PushLocalFrame(env, THREADS) != 0)
        return;
    if ((*agent.jvmti)->GetAllStackTraces(agent.jvmti, FRAMES_MAX, &stacks, &count) != JVMTI_ERROR_NONE)
        first = NULL;
    for (struct target *target = first; target; target = target->next) {
        if (target->state != TARGET_ARMED)
            continue;
        if (inspect_is_on_stack(stacks, count, target->id)) {
            inspect_disarm_target(env, target, TARGET_ARMED, now_ns);
            continue;
        }
        target->until_ns = now_ns + (uint64_t)HELD_MS * 1000000;
        target->collections = atomic_load(&agent.collections_begun);
        /* Fails if a thread has entered the method since: that one has moved the target to another state. */
        inspect_move_target(target, TARGET_ARMED, TARGET_DECIDED);
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)stacks);
    (*env)->PopLocalFrame(env, NULL);
}

/* Returns whether some wait for their turn, or to be decided. Drops those that are done. */
static bool inspect_arm_waiting(JNIEnv *env, uint64_t now_ns)
{
    bool any = false;
    for (struct target **at = &waiting; *at;) {
        struct target *target = *at;
        if (target->state == TARGET_WAITING && target->next_ns <= now_ns)
            inspect_arm_target(env, target);
        if (target->unloadable && target->state == TARGET_DECIDED &&
            (target->until_ns <= now_ns || target->collections != atomic_load(&agent.collections_begun)))
            inspect_disarm_target(env, target, TARGET_DECIDED, now_ns);
        enum target_state state = target->state;
        any |= state == TARGET_WAITING || state == TARGET_ARMED || state == TARGET_ENTERED ||
               (state == TARGET_DECIDED && target->unloadable);
        if (target->state == TARGET_DONE) {
            *at = target->next;
            target_release(env, target);
        } else {
            at = &target->next;
        }
    }
    return any;
}

/* ------------------------------------------------------------------------------------------ inspections -- */

enum { COLLECTIONS_MAX = 3 };

/* Hands an inspection to the agent's thread. */
static void inspect_queue_finished(struct inspection *inspection)
{
    inspect_lock();
    if (!work.finished) {
        work.last = &work.finished;
        (*agent.jvmti)->RawMonitorNotify(agent.jvmti, agent.monitor);
    }
    *work.last = inspection;
    work.last = &inspection->next;
    inspect_unlock();
}

static void inspect_entry(JNIEnv *env, struct target *target)
{
    struct inspection *inspection = hit_inspect(env, target);
    if (inspection) {
        target->entries++;
        target->given_up = 0;
        inspect_add_count(COUNT_INSPECTIONS);
        for (uint32_t loop = 0; loop < inspection->method->code.flow->loop_count; loop++)
            inspect_add_count((unsigned)COUNT_ENDS + inspection->records[loop].end);
        inspect_queue_finished(inspection);
    } else {
        target->given_up++;
        inspect_add_count(COUNT_GIVEN_UP);
    }
    if (target->entries < agent.entries && target->given_up < COLLECTIONS_MAX) {
        atomic_store(&target->state, TARGET_ENTERED);
        return;
    }
    inspect_set_breakpoint(env, target, false);
    inspect_finish_target(target);
}

static void JNICALL inspect_on_breakpoint(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method, jlocation at)
{
    (void)jvmti, (void)thread, (void)at;
    uint64_t begun = inspect_thread_ns();
    inspect_lock();
    uint32_t number = inspect_find_method(method);
    struct target *target = number ? work.methods[number].target : NULL;
    inspect_unlock();
    if (target && (inspect_move_target(target, TARGET_DECIDED, TARGET_TAKEN) ||
                   inspect_move_target(target, TARGET_ARMED, TARGET_TAKEN) ||
                   inspect_move_target(target, TARGET_ENTERED, TARGET_TAKEN)))
        inspect_entry(env, target);
    atomic_fetch_add(&agent.interpreting_ns, inspect_thread_ns() - begun);
}

/* The number of pauses and collections: objects move only in or after one. */
static void JNICALL inspect_on_collection(jvmtiEnv *jvmti)
{
    (void)jvmti;
    atomic_fetch_add(&agent.collections_begun, 1);
}

/* ------------------------------------------------------------------------------------------ metadata -- */

static const char *inspect_count_name(unsigned what)
{
    static const char *const NAMES[COUNT_ENDS] = {
        [COUNT_COMPILED] = "methods with loops", [COUNT_INSPECTED] = "inspected",
        [COUNT_NOT_ENTERED] = "not entered",     [COUNT_COLLECTED] = "gave up: GC",
        [COUNT_TOO_MANY] = "beyond the limit",   [COUNT_UNREADABLE] = "unreadable",
        [COUNT_SAME] = "verified loads",         [COUNT_OTHER] = "loads that differ",
        [COUNT_INSPECTIONS] = "inspections",     [COUNT_GIVEN_UP] = "inspections that a GC ended"};
    return NAMES[what];
}

static json_t *inspect_describe_counts(unsigned from, unsigned to)
{
    json_t *counts = json_object();
    for (unsigned i = from; i < to; i++)
        json_object_set_new(counts,
                            i < COUNT_ENDS ? inspect_count_name(i)
                                           : interpreter_end_name((enum interpreter_end)(i - COUNT_ENDS)),
                            json_integer((json_int_t)atomic_load(&agent.counts[i])));
    return counts;
}

static uint64_t agent_thread_ns; /* CPU time of the agent's thread so far */

static json_t *inspect_describe_cost(void)
{
    uint64_t compile_ns;
    json_t *cost =
        json_pack("{s:I, s:I, s:I, s:I}", "interpret_ns", (json_int_t)atomic_load(&agent.interpreting_ns), "prepare_ns",
                  (json_int_t)agent_thread_ns, "note_ns", (json_int_t)atomic_load(&agent.noting_ns), "process_ns",
                  (json_int_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    if (perf_counters_ns("java.ci.totalTime", &compile_ns))
        json_object_set_new(cost, "compile_ns", json_integer((json_int_t)compile_ns));
    return cost;
}

/* What is known by now. */
static int inspect_describe_results(void)
{
    json_t *inspect = json_object_get(described, "inspect");
    json_object_set_new(inspect, "methods", inspect_describe_counts(COUNT_COMPILED, COUNT_INSPECTIONS));
    json_object_set_new(inspect, "entries", inspect_describe_counts(COUNT_INSPECTIONS, COUNT_ENDS));
    json_object_set_new(inspect, "loops", inspect_describe_counts(COUNT_ENDS, COUNT_ALL));
    json_object_set_new(inspect, "cost", inspect_describe_cost());
    return inspection_trace_describe(described);
}

static void inspect_add_property(json_t *about, const char *key, const char *property)
{
    char *value = NULL;
    if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, property, &value) == JVMTI_ERROR_NONE)
        json_object_set_new(about, key, json_string(value));
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)value);
}

static json_t *inspect_describe_run(void)
{
    json_t *about = json_copy(agent.config.metadata), *jvm = json_object();
    host_describe(about);
    json_object_set_new(about, "collector", json_string("jvm"));
    json_object_set_new(about, "values", json_true());
    json_object_set_new(about, "access_order", json_string("thread"));
    inspect_add_property(jvm, "name", "java.vm.name");
    inspect_add_property(jvm, "version", "java.vm.version");
    inspect_add_property(jvm, "vendor", "java.vm.vendor");
    inspect_add_property(jvm, "info", "java.vm.info");
    inspect_add_property(jvm, "home", "java.home");
    json_object_set_new(about, "jvm", jvm);
    inspect_add_property(about, "main", "sun.java.command");
    json_object_set_new(about, "inspect",
                        json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)agent.iterations, "entries_max",
                                  (json_int_t)agent.entries, "methods_max", (json_int_t)agent.methods));
    return about;
}

/* ------------------------------------------------------------------------------------------ the agent's thread -- */

static void inspect_report_write_error(int error)
{
    static bool reported;
    if (error && !reported)
        inspect_print("%s: %s; the trace of this JVM is not complete", agent.config.directory, strerror(error));
    reported |= error != 0;
}

static void inspect_write_finished(void)
{
    inspect_lock();
    struct inspection *inspection = work.finished;
    work.finished = NULL;
    inspect_unlock();
    while (inspection) {
        struct inspection *next = inspection->next;
        inspect_report_write_error(inspection_trace_add(inspection));
        inspection_free(inspection);
        inspection = next;
    }
}

/* Until there is something to do, or for the time that breakpoints may stay; and then a little longer, so that it does
 * not wake for each method. */
static void inspect_wait_for_work(bool soon)
{
    inspect_lock();
    if (work.compiled_count == 0 && !work.finished && !atomic_load(&agent.ended))
        (*agent.jvmti)->RawMonitorWait(agent.jvmti, agent.monitor, soon ? ARMED_MS : 1000);
    if (!atomic_load(&agent.ended))
        (*agent.jvmti)->RawMonitorWait(agent.jvmti, agent.monitor, ARMED_MS);
    inspect_unlock();
}

static void JNICALL inspect_run_thread(jvmtiEnv *jvmti, JNIEnv *env, void *unused)
{
    (void)jvmti, (void)unused;
    uint64_t armed_ns = 0, written_ns = clock_ns(CLOCK_MONOTONIC);
    while (!atomic_load(&agent.ended)) {
        uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        inspect_read_compiled(env);
        if (now_ns >= armed_ns + (uint64_t)ARMED_MS * 1000000) {
            inspect_decide_armed(env, now_ns);
            armed_ns = now_ns;
        }
        bool soon = inspect_arm_waiting(env, now_ns);
        inspect_write_finished();
        agent_thread_ns = inspect_thread_ns();
        if (now_ns >= written_ns + UINT64_C(1000000000)) {
            inspect_report_write_error(inspection_trace_flush());
            inspect_report_write_error(inspect_describe_results());
            written_ns = now_ns;
        }
        inspect_wait_for_work(soon);
    }
    inspect_lock();
    thread_ended = true;
    (*agent.jvmti)->RawMonitorNotifyAll(agent.jvmti, agent.monitor);
    inspect_unlock();
}

/* The program does not see this thread. */
static bool inspect_start_thread(JNIEnv *env)
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID constructor = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*env)->NewStringUTF(env, "assay");
    jthread thread = constructor && name ? (*env)->NewObject(env, class, constructor, name) : NULL;
    bool good =
        thread &&
        (*agent.jvmti)->RunAgentThread(agent.jvmti, thread, inspect_run_thread, NULL, JVMTI_THREAD_NORM_PRIORITY) ==
            JVMTI_ERROR_NONE;
    (*env)->ExceptionClear(env);
    return good;
}

/* ------------------------------------------------------------------------------------------ the run -- */

static void JNICALL inspect_on_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
    (void)jvmti, (void)thread;
    uint64_t begun = inspect_thread_ns();
    names_add_class(env, class);
    atomic_fetch_add(&agent.noting_ns, inspect_thread_ns() - begun);
}

static bool inspect_enable_events(const jvmtiEvent *events, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, events[i], NULL) == JVMTI_ERROR_NONE;
    return good;
}

/* The first free name: a process that has executed another program finds its earlier trace there. */
static int inspect_open_trace(void)
{
    enum { NAMES_MAX = 10000 };
    char path[4352];
    int error = EEXIST;
    for (int n = 0; n < NAMES_MAX && error == EEXIST; n++) {
        int length =
            snprintf(path, sizeof path, "%s/%s-%d", agent.config.directory, agent.config.prefix, (int)getpid());
        snprintf(path + length, sizeof path - (size_t)length, n ? ".%d.trace" : ".trace", n);
        error = inspection_trace_open(path, described);
    }
    return error;
}

static void JNICALL inspect_on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread main_thread)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_BREAKPOINT, JVMTI_EVENT_VM_DEATH};
    (void)jvmti, (void)main_thread;
    if (!placement_find(env) || !living_prepare(env)) {
        inspect_print("this JVM does not tell where the parts of its objects are; it is not inspected");
        return;
    }
    described = inspect_describe_run();
    int error = inspect_open_trace();
    if (error) {
        inspect_print("%s: %s; this JVM is not inspected", agent.config.directory, strerror(error));
        return;
    }
    uint64_t begun = inspect_thread_ns();
    bool good = inspect_enable_events(events, sizeof events / sizeof *events);
    names_add_loaded(env);
    atomic_fetch_add(&agent.noting_ns, inspect_thread_ns() - begun);
    if (!good || !inspect_start_thread(env)) {
        atomic_store(&agent.ended, true);
        thread_ended = true;
        inspect_print("this JVM does not let agents set breakpoints; it is not inspected");
    }
}

static void JNICALL inspect_on_vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)env;
    inspect_lock();
    atomic_store(&agent.ended, true);
    (*jvmti)->RawMonitorNotifyAll(jvmti, agent.monitor);
    while (!thread_ended)
        (*jvmti)->RawMonitorWait(jvmti, agent.monitor, 0);
    inspect_unlock();
    inspect_write_finished();
    for (struct target *target = waiting; target; target = target->next)
        if (target->state != TARGET_DONE && target->state != TARGET_TAKEN) /* its breakpoint was not met, or not set */
            inspect_finish_target(target);
    inspect_report_write_error(inspect_describe_results());
    inspect_report_write_error(inspection_trace_close());
}

/* ------------------------------------------------------------------------------------------ beginning -- */

/* Since JDK 21; jvmti.h may be older. Without it no event comes from virtual threads. */
static void inspect_request_virtual_threads(const jvmtiCapabilities *offered, jvmtiCapabilities *wanted)
{
    enum { BYTE = 5, BIT = 1 << 4 };
    unsigned char bytes[sizeof *offered], more[sizeof *wanted];
    memcpy(bytes, offered, sizeof bytes);
    memcpy(more, wanted, sizeof more);
    more[BYTE] |= bytes[BYTE] & BIT;
    memcpy(wanted, more, sizeof more);
}

static bool inspect_register_events(void)
{
    jvmtiCapabilities offered = {.can_tag_objects = 0};
    jvmtiCapabilities wanted = {.can_generate_breakpoint_events = 1,
                                .can_access_local_variables = 1,
                                .can_get_bytecodes = 1,
                                .can_get_constant_pool = 1,
                                .can_get_line_numbers = 1,
                                .can_get_source_file_name = 1,
                                .can_generate_compiled_method_load_events = 1,
                                .can_generate_garbage_collection_events = 1};
    jvmtiEventCallbacks callbacks = {.VMInit = inspect_on_vm_init,
                                     .VMDeath = inspect_on_vm_death,
                                     .ClassPrepare = inspect_on_class_prepare,
                                     .CompiledMethodLoad = inspect_on_compiled_method,
                                     .Breakpoint = inspect_on_breakpoint,
                                     .GarbageCollectionStart = inspect_on_collection};
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT};
    if ((*agent.jvmti)->GetPotentialCapabilities(agent.jvmti, &offered) != JVMTI_ERROR_NONE)
        return false;
    inspect_request_virtual_threads(&offered, &wanted);
    return (*agent.jvmti)->AddCapabilities(agent.jvmti, &wanted) == JVMTI_ERROR_NONE &&
           (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
           (*agent.jvmti)->CreateRawMonitor(agent.jvmti, "assay", &agent.monitor) == JVMTI_ERROR_NONE &&
           inspect_enable_events(events, 1);
}

/* Whether a file of options has the word. A pipe can't be read twice. */
static bool inspect_file_mentions(const char *path, const char *word)
{
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "re") : NULL;
    while (file && !found && getline(&line, &size, file) > 0)
        found = strstr(line, word);
    if (file)
        fclose(file);
    free(line);
    return found;
}

/* An argument, or the file of arguments that it names. */
static bool inspect_argument_mentions(const char *argument, const char *word)
{
    static const char FILE_OPTION[] = "-XX:VMOptionsFile=";
    size_t length = sizeof FILE_OPTION - 1;
    const char *path = *argument == '@'                              ? argument + 1
                       : strncmp(argument, FILE_OPTION, length) == 0 ? argument + length
                                                                     : NULL;
    return strstr(argument, word) || (path && inspect_file_mentions(path, word));
}

/* Only one agent of a JVM can have breakpoints, and a debugger that can't have them ends the JVM. */
static bool inspect_has_debugger(void)
{
    static const char *const VARIABLES[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"};
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *arguments = fopen("/proc/self/cmdline", "re");
    while (arguments && !found && getdelim(&line, &size, '\0', arguments) > 0)
        found = inspect_argument_mentions(line, "jdwp");
    if (arguments)
        fclose(arguments);
    free(line);
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++)
        found = found || (getenv(VARIABLES[i]) && strstr(getenv(VARIABLES[i]), "jdwp"));
    return found;
}

static uint64_t inspect_read_limit(const char *key, uint64_t otherwise)
{
    json_int_t value = json_integer_value(json_object_get(json_object_get(agent.config.metadata, "inspect"), key));
    return value > 0 ? (uint64_t)value : otherwise;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    if (!sampler_configure(&agent.config) || !sampler_wants_program(&agent.config))
        return JNI_OK;
    agent.vm = vm;
    agent.verify = getenv("ASSAY_INSPECT_VERIFY");
    agent.iterations = inspect_read_limit("iterations", 20);
    agent.entries = inspect_read_limit("entries_max", 1);
    agent.methods = inspect_read_limit("methods_max", 200);
    if (inspect_has_debugger())
        inspect_print(
            "this JVM has a debugger (jdwp), beside which no other agent can set breakpoints; it is not inspected");
    else if ((*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_9) != JNI_OK)
        inspect_print("inspection needs a JVM of Java 9 or later; this one is not inspected");
    else if (!inspect_register_events())
        inspect_print("this JVM does not let an agent set breakpoints; it is not inspected");
    return JNI_OK;
}
