/*
 * agent.c - the JVM TI agent: its beginning, methods as they are compiled, breakpoints, and the end.
 *
 * Loaded with -agentpath; configured by SAMPLER_ENVIRONMENT, without which it does nothing.
 */
#include "collect/jvm/inspect/agent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/hash.h"
#include "collect/jvm/perf_counters.h"
#include "collect/sample/host.h"

struct inspect_agent agent;

/* Under the agent's monitor. */
static struct {
    jmethodID *compiled; /* [compiled_count]: not looked at yet */
    size_t compiled_count, compiled_capacity;
    struct target **all; /* [count + 1], by number from 1 */
    uint32_t count;
    size_t capacity;
    struct hash by_method; /* numbers; each method that was looked at has one */
    struct inspection *finished, **last;
} work;

static json_t *described; /* what the trace's metadata begin with */
static bool thread_ended;

void agent_say(const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "assay: %s\n", text);
}

static void lock(void)
{
    (*agent.jvmti)->RawMonitorEnter(agent.jvmti, agent.monitor);
}

static void unlock(void)
{
    (*agent.jvmti)->RawMonitorExit(agent.jvmti, agent.monitor);
}

static uint64_t thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* ------------------------------------------------------------------------------------------ compiled methods -- */

static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address, jint maps,
                                const jvmtiAddrLocationMap *map, const void *info)
{
    (void)size, (void)address, (void)maps, (void)map, (void)info;
    uint64_t begun = thread_ns();
    lock();
    jmethodID *grown = atomic_load(&agent.ended)
                           ? NULL
                           : grow_unset(work.compiled, &work.compiled_capacity, work.compiled_count, sizeof *grown);
    if (grown) {
        work.compiled = grown;
        grown[work.compiled_count++] = method;
        (*jvmti)->RawMonitorNotify(jvmti, agent.monitor);
    }
    unlock();
    atomic_fetch_add(&agent.noting_ns, thread_ns() - begun);
}

static uint64_t method_key(jmethodID method)
{
    return hash_mix((uint64_t)(uintptr_t)method, 0);
}

static bool is_target(const void *method, uint32_t number)
{
    return work.all[number]->id == method;
}

/* NULL: it is none. Under the lock. */
static struct target *find_target(jmethodID method)
{
    uint32_t number = hash_find(&work.by_method, method_key(method), is_target, method);
    return number ? work.all[number] : NULL;
}

static void add_target(struct target *target)
{
    struct target **grown = grow_unset(work.all, &work.capacity, work.count + 1, sizeof(struct target *));
    if (!grown)
        return;
    work.all = grown;
    grown[work.count + 1] = target;
    if (hash_add(&work.by_method, method_key(target->id), work.count + 1) == 0)
        work.count++;
}

/* A method that was compiled again is known already. Methods without loops are kept, too, with nothing but their id. */
static void look_at(JNIEnv *env, jmethodID method)
{
    lock();
    bool known = find_target(method);
    unlock();
    if (known)
        return;
    struct target *target = target_read(env, method);
    if (target &&
        atomic_load(&agent.counts[COUNT_COMPILED]) - atomic_load(&agent.counts[COUNT_UNREADABLE]) > agent.methods) {
        agent_count(COUNT_TOO_MANY);
        target_free(env, target);
        target = NULL;
    }
    if (!target && (target = calloc(1, sizeof *target))) {
        target->id = method;
        target->state = TARGET_DONE;
    }
    lock();
    if (target)
        add_target(target);
    unlock();
}

static void look_at_compiled(JNIEnv *env)
{
    for (;;) {
        lock();
        jmethodID method = work.compiled_count > 0 ? work.compiled[--work.compiled_count] : NULL;
        unlock();
        if (!method)
            return;
        look_at(env, method);
    }
}

/* ------------------------------------------------------------------------------------------ breakpoints -- */

/*
 * A method with a breakpoint is not compiled. A thread that is in it already, perhaps in a loop that never ends, would
 * stay in the interpreter, so the breakpoint is taken back soon, and set again later; where no thread is in the method
 * it waits for the next entry, at no cost.
 */
enum { ARMED_MS = 10, TRIES_MAX = 8, FRAMES_MAX = 65536 };

static bool set_breakpoint(JNIEnv *env, struct target *target, bool set)
{
    jclass class = NULL; /* keeps the method alive */
    bool good = (*agent.jvmti)->GetMethodDeclaringClass(agent.jvmti, target->id, &class) == JVMTI_ERROR_NONE &&
                (set ? (*agent.jvmti)->SetBreakpoint(agent.jvmti, target->id, 0)
                     : (*agent.jvmti)->ClearBreakpoint(agent.jvmti, target->id, 0)) == JVMTI_ERROR_NONE;
    (*env)->DeleteLocalRef(env, class);
    return good;
}

static void finish_target(struct target *target)
{
    bool inspected = target->entries > 0;
    target->state = TARGET_DONE;
    agent_count(inspected ? COUNT_INSPECTED : target->given_up > 0 ? COUNT_COLLECTED : COUNT_NOT_ENTERED);
}

/* Whether this thread may set the target's state; then it has the new one. */
static bool move_target(struct target *target, enum target_state from, enum target_state to)
{
    lock();
    bool moves = target->state == from && !atomic_load(&agent.ended);
    if (moves)
        target->state = to;
    unlock();
    return moves;
}

static void arm(JNIEnv *env, struct target *target)
{
    target->settled = false;
    if (move_target(target, TARGET_WAITING, TARGET_ARMED) && !set_breakpoint(env, target, true)) {
        lock();
        finish_target(target);
        unlock();
    }
}

/* A thread is in the method. */
static void disarm(JNIEnv *env, struct target *target, uint64_t now_ns)
{
    if (!move_target(target, TARGET_ARMED, TARGET_TAKEN))
        return;
    set_breakpoint(env, target, false);
    lock();
    target->state = TARGET_WAITING;
    target->next_ns = now_ns + ((uint64_t)ARMED_MS * 1000000 << ++target->tries);
    if (target->tries >= TRIES_MAX)
        finish_target(target);
    unlock();
}

static bool is_on_a_stack(const jvmtiStackInfo *stacks, jint count, jmethodID method)
{
    for (jint i = 0; i < count; i++)
        for (jint frame = 0; frame < stacks[i].frame_count; frame++)
            if (stacks[i].frame_buffer[frame].method == method)
                return true;
    return false;
}

static struct target *target_at(uint32_t number)
{
    lock();
    struct target *target = number <= work.count ? work.all[number] : NULL;
    unlock();
    return target;
}

/* Those that were armed before, and are still, either have no thread in them, or are disarmed. */
static void settle_armed(JNIEnv *env, uint64_t now_ns)
{
    jvmtiStackInfo *stacks = NULL;
    jint count = 0;
    struct target *target;
    if ((*env)->PushLocalFrame(env, 64) != 0)
        return;
    for (uint32_t number = 1; (target = target_at(number)); number++) {
        if (target->state != TARGET_ARMED || target->settled)
            continue;
        if (!stacks && (*agent.jvmti)->GetAllStackTraces(agent.jvmti, FRAMES_MAX, &stacks, &count) != JVMTI_ERROR_NONE)
            break;
        if (is_on_a_stack(stacks, count, target->id))
            disarm(env, target, now_ns);
        else
            target->settled = true;
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)stacks);
    (*env)->PopLocalFrame(env, NULL);
}

/* Returns whether some wait for their turn, or to be settled. */
static bool arm_waiting(JNIEnv *env, uint64_t now_ns)
{
    bool waiting = false;
    struct target *target;
    for (uint32_t number = 1; (target = target_at(number)); number++) {
        if (target->state == TARGET_WAITING && target->next_ns <= now_ns)
            arm(env, target);
        waiting |= target->state == TARGET_WAITING || (target->state == TARGET_ARMED && !target->settled);
    }
    return waiting;
}

/* ------------------------------------------------------------------------------------------ inspections -- */

enum { COLLECTIONS_MAX = 3 };

static void count_ends(const struct inspection *inspection)
{
    agent_count(COUNT_INSPECTIONS);
    for (uint32_t loop = 0; loop < inspection->target->flow.loop_count; loop++)
        agent_count(COUNT_ENDS + inspection->records[loop].end);
}

/* Hands an inspection to the agent's thread. Under the lock. */
static void hand_over(struct inspection *inspection)
{
    if (!work.finished)
        work.last = &work.finished;
    *work.last = inspection;
    work.last = &inspection->next;
    (*agent.jvmti)->RawMonitorNotify(agent.jvmti, agent.monitor);
}

/* Whether the target is to be inspected again. */
static bool note_inspection(struct target *target, struct inspection *inspection)
{
    if (inspection) {
        count_ends(inspection);
        target->entries++;
        hand_over(inspection);
    } else {
        target->given_up++;
        agent_count(COUNT_GIVEN_UP);
    }
    return target->entries < agent.entries && target->given_up < COLLECTIONS_MAX;
}

static void inspect(JNIEnv *env, struct target *target)
{
    struct inspection *inspection = hit_inspect(env, target);
    lock();
    bool again = note_inspection(target, inspection);
    if (again)
        target->state = TARGET_ARMED;
    unlock();
    if (again)
        return;
    set_breakpoint(env, target, false);
    lock();
    finish_target(target);
    unlock();
}

static void JNICALL on_breakpoint(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method, jlocation at)
{
    (void)jvmti, (void)thread, (void)at;
    uint64_t begun = thread_ns();
    lock();
    struct target *target = find_target(method);
    unlock();
    if (target && move_target(target, TARGET_ARMED, TARGET_TAKEN))
        inspect(env, target);
    atomic_fetch_add(&agent.interpreting_ns, thread_ns() - begun);
}

/* The number of pauses and collections: objects move only in or after one. */
static void JNICALL on_collection(jvmtiEnv *jvmti)
{
    (void)jvmti;
    atomic_fetch_add(&agent.collections_begun, 1);
}

static void JNICALL on_collected(jvmtiEnv *jvmti)
{
    (void)jvmti;
    atomic_fetch_add(&agent.collections_ended, 1);
}

/* ------------------------------------------------------------------------------------------ metadata -- */

static const char *count_name(unsigned what)
{
    static const char *const NAMES[COUNT_ENDS] = {
        [COUNT_COMPILED] = "methods with loops", [COUNT_INSPECTED] = "inspected",
        [COUNT_NOT_ENTERED] = "not entered",     [COUNT_COLLECTED] = "gave up: GC",
        [COUNT_TOO_MANY] = "beyond the limit",   [COUNT_UNREADABLE] = "unreadable",
        [COUNT_INSPECTIONS] = "inspections",     [COUNT_GIVEN_UP] = "inspections that a GC ended"};
    return NAMES[what];
}

static json_t *describe_counts(unsigned from, unsigned to)
{
    json_t *counts = json_object();
    for (unsigned i = from; i < to; i++)
        json_object_set_new(
            counts, i < COUNT_ENDS ? count_name(i) : interpreter_end_name((enum interpreter_end)(i - COUNT_ENDS)),
            json_integer((json_int_t)atomic_load(&agent.counts[i])));
    return counts;
}

static uint64_t agent_thread_ns; /* CPU time of the agent's thread so far */

static json_t *describe_cost(void)
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
static int describe_inspections(void)
{
    json_t *inspect = json_object_get(described, "inspect");
    json_object_set_new(inspect, "methods", describe_counts(COUNT_COMPILED, COUNT_INSPECTIONS));
    json_object_set_new(inspect, "entries", describe_counts(COUNT_INSPECTIONS, COUNT_ENDS));
    json_object_set_new(inspect, "loops", describe_counts(COUNT_ENDS, COUNT_ALL));
    json_object_set_new(inspect, "cost", describe_cost());
    return inspection_trace_describe(described);
}

static void add_property(json_t *about, const char *key, const char *property)
{
    char *value = NULL;
    if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, property, &value) == JVMTI_ERROR_NONE)
        json_object_set_new(about, key, json_string(value));
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)value);
}

static json_t *describe(void)
{
    json_t *about = json_copy(agent.config.metadata), *jvm = json_object();
    host_describe(about);
    json_object_set_new(about, "collector", json_string("jvm"));
    json_object_set_new(about, "values", json_true());
    json_object_set_new(about, "access_order", json_string("thread"));
    add_property(jvm, "name", "java.vm.name");
    add_property(jvm, "version", "java.vm.version");
    add_property(jvm, "vendor", "java.vm.vendor");
    add_property(jvm, "info", "java.vm.info");
    add_property(jvm, "home", "java.home");
    json_object_set_new(about, "jvm", jvm);
    add_property(about, "main", "sun.java.command");
    json_object_set_new(about, "inspect",
                        json_pack("{s:I, s:I, s:I}", "iterations", (json_int_t)agent.iterations, "entries_max",
                                  (json_int_t)agent.entries, "methods_max", (json_int_t)agent.methods));
    return about;
}

/* ------------------------------------------------------------------------------------------ the agent's thread -- */

static void write_finished(void)
{
    lock();
    struct inspection *inspection = work.finished;
    work.finished = NULL;
    unlock();
    static bool failed;
    while (inspection) {
        struct inspection *next = inspection->next;
        int error = failed ? 0 : inspection_trace_add(inspection);
        if (error)
            agent_say("%s: %s; the trace of this JVM is not complete", agent.config.directory, strerror(error));
        failed |= error != 0;
        inspection_free(inspection);
        inspection = next;
    }
}

/* Until there is something to do, or for the time that breakpoints may stay. */
static void wait_for_work(bool soon)
{
    lock();
    if (work.compiled_count == 0 && !work.finished && !atomic_load(&agent.ended))
        (*agent.jvmti)->RawMonitorWait(agent.jvmti, agent.monitor, soon ? ARMED_MS : 1000);
    unlock();
}

static void JNICALL run_thread(jvmtiEnv *jvmti, JNIEnv *env, void *unused)
{
    (void)jvmti, (void)unused;
    uint64_t armed_ns = 0, described_ns = 0;
    while (!atomic_load(&agent.ended)) {
        uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        look_at_compiled(env);
        if (now_ns >= armed_ns + (uint64_t)ARMED_MS * 1000000) {
            settle_armed(env, now_ns);
            armed_ns = now_ns;
        }
        bool waiting = arm_waiting(env, now_ns);
        write_finished();
        agent_thread_ns = thread_ns();
        if (now_ns >= described_ns + UINT64_C(1000000000)) {
            describe_inspections();
            described_ns = now_ns;
        }
        wait_for_work(waiting);
    }
    lock();
    thread_ended = true;
    (*agent.jvmti)->RawMonitorNotifyAll(agent.jvmti, agent.monitor);
    unlock();
}

/* The program does not see this thread. */
static bool start_thread(JNIEnv *env)
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID constructor = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*env)->NewStringUTF(env, "assay");
    jthread thread = constructor && name ? (*env)->NewObject(env, class, constructor, name) : NULL;
    bool good =
        thread && (*agent.jvmti)->RunAgentThread(agent.jvmti, thread, run_thread, NULL, JVMTI_THREAD_NORM_PRIORITY) ==
                      JVMTI_ERROR_NONE;
    (*env)->ExceptionClear(env);
    return good;
}

/* ------------------------------------------------------------------------------------------ the run -- */

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
    (void)jvmti, (void)thread;
    uint64_t begun = thread_ns();
    names_add_class(env, class);
    atomic_fetch_add(&agent.noting_ns, thread_ns() - begun);
}

static bool enable(const jvmtiEvent *events, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, events[i], NULL) == JVMTI_ERROR_NONE;
    return good;
}

static void JNICALL on_live(jvmtiEnv *jvmti, JNIEnv *env, jthread main_thread)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_CLASS_PREPARE,
                                        JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                        JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                        JVMTI_EVENT_BREAKPOINT,
                                        JVMTI_EVENT_VM_DEATH};
    (void)jvmti, (void)main_thread;
    if (!placement_find(env) || !living_prepare(env)) {
        agent_say("this JVM does not tell where the parts of its objects are; it is not inspected");
        return;
    }
    described = describe();
    int error = inspection_trace_open(described);
    if (error) {
        agent_say("%s: %s; this JVM is not inspected", agent.config.directory, strerror(error));
        return;
    }
    uint64_t begun = thread_ns();
    bool good = enable(events, sizeof events / sizeof *events);
    names_add_loaded(env);
    atomic_fetch_add(&agent.noting_ns, thread_ns() - begun);
    if (!good || !start_thread(env)) {
        atomic_store(&agent.ended, true);
        thread_ended = true;
        agent_say("this JVM does not let agents set breakpoints; it is not inspected");
    }
}

/* Methods whose breakpoint was not met, or that still had none. */
static void finish_targets(void)
{
    lock();
    for (uint32_t number = 1; number <= work.count; number++)
        if (work.all[number]->state != TARGET_DONE)
            finish_target(work.all[number]);
    unlock();
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)env;
    lock();
    atomic_store(&agent.ended, true);
    (*jvmti)->RawMonitorNotifyAll(jvmti, agent.monitor);
    while (!thread_ended)
        (*jvmti)->RawMonitorWait(jvmti, agent.monitor, 0);
    unlock();
    write_finished();
    finish_targets();
    int error = describe_inspections(), closed = inspection_trace_close();
    if (error || closed)
        agent_say("%s: %s; the trace of this JVM is not complete", agent.config.directory,
                  strerror(error ? error : closed));
}

/* ------------------------------------------------------------------------------------------ beginning -- */

/* Since JDK 21; jvmti.h may be older. Without it no event comes from virtual threads. */
static void want_virtual_threads(const jvmtiCapabilities *offered, jvmtiCapabilities *wanted)
{
    enum { BYTE = 5, BIT = 1 << 4 };
    unsigned char bytes[sizeof *offered], more[sizeof *wanted];
    memcpy(bytes, offered, sizeof bytes);
    memcpy(more, wanted, sizeof more);
    more[BYTE] |= bytes[BYTE] & BIT;
    memcpy(wanted, more, sizeof more);
}

static bool listen(void)
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
    jvmtiEventCallbacks callbacks = {.VMInit = on_live,
                                     .VMDeath = on_death,
                                     .ClassPrepare = on_class_prepare,
                                     .CompiledMethodLoad = on_compiled,
                                     .Breakpoint = on_breakpoint,
                                     .GarbageCollectionStart = on_collection,
                                     .GarbageCollectionFinish = on_collected};
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT};
    if ((*agent.jvmti)->GetPotentialCapabilities(agent.jvmti, &offered) != JVMTI_ERROR_NONE)
        return false;
    want_virtual_threads(&offered, &wanted);
    return (*agent.jvmti)->AddCapabilities(agent.jvmti, &wanted) == JVMTI_ERROR_NONE &&
           (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
           (*agent.jvmti)->CreateRawMonitor(agent.jvmti, "assay", &agent.monitor) == JVMTI_ERROR_NONE &&
           enable(events, 1);
}

static uint64_t limit_of(const char *key, uint64_t otherwise)
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
    agent.iterations = limit_of("iterations", 20);
    agent.entries = limit_of("entries_max", 1);
    agent.methods = limit_of("methods_max", 1000);
    if ((*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_9) != JNI_OK)
        agent_say("inspection needs a JVM of Java 9 or later; this one is not inspected");
    else if (!listen())
        agent_say(
            "this JVM does not let this agent set breakpoints (it has no JVM TI for that, or a debugger has it); it "
            "is not inspected");
    return JNI_OK;
}
