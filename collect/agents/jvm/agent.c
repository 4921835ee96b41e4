/*
 * agent.c - the life of the JVM TI agent.
 *
 * Loaded with -agentpath; configured by SAMPLER_ENVIRONMENT, without which it does nothing. It never keeps the JVM from
 * running: if it can't work, it says so in one line and writes no trace.
 */
#include "collect/agents/jvm/agent.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "collect/methods/methods.h"

static struct trace_stream *agent_gc_stream;
static _Atomic uint64_t agent_gc_start_ns;           /* 0: none runs */
static _Atomic uint64_t agent_gc_ns;                 /* of all that have ended */
static _Atomic unsigned agent_gc_turn;               /* odd while these two change */
static atomic_flag agent_gc_busy = ATOMIC_FLAG_INIT; /* the stream is in use; permanently once it is gone */

/* ------------------------------------------------------------------------------------------------- events -- */

/* AsyncGetCallTrace works only while this event is enabled. */
static void JNICALL agent_on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)jvmti, (void)jni, (void)thread, (void)class;
}

static void JNICALL agent_on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)jni, (void)thread;
    describe_prepare_class(jvmti, class);
}

static void JNICALL agent_on_dynamic_code(jvmtiEnv *jvmti, const char *name, const void *address, jint length)
{
    (void)jvmti;
    codemap_add(name, address, (size_t)length);
}

/* Only if DebugNonSafepoints can't be set otherwise: the JIT records it while this event is enabled. */
static void JNICALL agent_on_compiled_method(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                                             jint map_length, const jvmtiAddrLocationMap *map, const void *info)
{
    (void)jvmti, (void)method, (void)size, (void)address, (void)map_length, (void)map, (void)info;
}

/* Collections do not overlap, and their events come in the thread that runs them, so there is one producer at a time.
 */
static void JNICALL agent_on_gc_start(jvmtiEnv *jvmti)
{
    (void)jvmti;
    watch_new_epoch();
    gc_counters_begin();
    atomic_store(&agent_gc_start_ns, clock_ns(CLOCK_MONOTONIC));
    atomic_store(&agent.gc_running, true);
}

static void JNICALL agent_on_gc_finish(jvmtiEnv *jvmti)
{
    (void)jvmti;
    watch_new_epoch();
    atomic_store(&agent.gc_running, false);
    uint64_t began = atomic_load(&agent_gc_start_ns);
    uint64_t values[GC_COUNTER_0 + EVENT_COUNTERS_MAX] = {began, clock_ns(CLOCK_MONOTONIC) - began};
    size_t counted = gc_counters_end(values[GC_DURATION], values + GC_COUNTER_0);
    if (began && !atomic_flag_test_and_set(&agent_gc_busy)) {
        trace_append(agent_gc_stream, TRACE_GC, values, GC_COUNTER_0 + counted);
        atomic_flag_clear(&agent_gc_busy);
    }
    atomic_fetch_add(&agent_gc_turn, 1);
    atomic_store(&agent_gc_start_ns, 0);
    atomic_fetch_add(&agent_gc_ns, began ? values[GC_DURATION] : 0);
    atomic_fetch_add(&agent_gc_turn, 1);
}

uint64_t agent_stopped_ns(void)
{
    uint64_t ended, running;
    unsigned turn;
    do {
        turn = atomic_load(&agent_gc_turn);
        ended = atomic_load(&agent_gc_ns);
        running = atomic_load(&agent_gc_start_ns);
    } while (turn % 2 != 0 || turn != atomic_load(&agent_gc_turn));
    return ended + (running ? clock_ns(CLOCK_MONOTONIC) - running : 0);
}

static void JNICALL agent_on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    threads_start(jvmti, thread);
    if (agent.chooses)
        chosen_begin_thread(jni);
}

static void JNICALL agent_on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti, (void)jni;
    methods_mark(MARK_END, 0, 0);
    if (agent.chooses)
        chooser_end_thread();
    threads_end(thread);
}

static void agent_enable_event(jvmtiEvent event)
{
    (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, event, NULL);
}

static json_t *agent_describe_run(const char *debug_info);

static const char *agent_debug_info;

static struct sampler_hooks agent_hooks = {.collector = "jvm",
                                           .walk = walk_jvm_stack,
                                           .describe = describe_frame,
                                           .role = threads_role,
                                           .on_end = describe_detach_thread};

static void JNICALL agent_on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    if (agent.methods || agent.chooses) {
        json_t *extra = agent_describe_run(agent.methods ? "not needed" : agent_debug_info);
        if (agent.methods)
            methods_vm_live(jni, extra);
        else
            chosen_vm_live(jni, &agent_hooks, extra);
        json_decref(extra);
        json_decref(agent.config.metadata);
        agent.config.metadata = NULL;
    }
    if (!sampler_writer())
        return;
    if (trace_stream_open(sampler_writer(), 0, "[garbage collections]", ROLE_GC, &agent_gc_stream) == 0) {
        agent_enable_event(JVMTI_EVENT_GARBAGE_COLLECTION_START);
        agent_enable_event(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
    }
    if (agent.methods) {
        agent_enable_event(JVMTI_EVENT_THREAD_END);
        agent_enable_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
        return;
    }
    describe_prepare_loaded(jvmti, jni);
    atomic_store(&agent.phase, PHASE_LIVE);
    agent_enable_event(JVMTI_EVENT_THREAD_START);
    agent_enable_event(JVMTI_EVENT_THREAD_END);
    threads_add_present(jvmti, thread);
    if (agent.safepoint_clock) {
        safepoint_start(agent.config.period_ns);
    } else {
        guard_init();
        blob_init();
        recover_init();
        walk_find_key(jni);
    }
    if (agent.chooses) {
        agent_enable_event(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
        chooser_begin();
    }
}

/* Samples can be described until this returns. */
static void JNICALL agent_on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
    (void)jvmti;
    if (!sampler_writer())
        return;
    if (agent.chooses)
        chosen_vm_death(jni);
    else
        methods_vm_death(jni);
    while (atomic_flag_test_and_set(&agent_gc_busy))
        sched_yield();
    safepoint_stop();
    sampler_stop();
    atomic_store(&agent.phase, PHASE_DEAD);
}

/* ------------------------------------------------------------------------------------------------- start -- */

static bool agent_add_capabilities(bool compiled_method_load)
{
    jvmtiCapabilities wanted = {.can_get_source_file_name = 1,
                                .can_get_line_numbers = 1,
                                .can_generate_garbage_collection_events = 1,
                                .can_generate_all_class_hook_events = agent.methods || agent.chooses,
                                .can_retransform_classes = agent.methods,
                                .can_generate_compiled_method_load_events = compiled_method_load};
    return (*agent.jvmti)->AddCapabilities(agent.jvmti, &wanted) == JVMTI_ERROR_NONE;
}

static bool agent_enable_events(bool compiled_method_load)
{
    jvmtiEventCallbacks callbacks = {.VMInit = agent_on_vm_init,
                                     .VMDeath = agent_on_vm_death,
                                     .ThreadStart = agent_on_thread_start,
                                     .ThreadEnd = agent_on_thread_end,
                                     .ClassLoad = agent_on_class_load,
                                     .ClassFileLoadHook = methods_on_class_file,
                                     .ClassPrepare = agent_on_class_prepare,
                                     .DynamicCodeGenerated = agent_on_dynamic_code,
                                     .CompiledMethodLoad = agent_on_compiled_method,
                                     .GarbageCollectionStart = agent_on_gc_start,
                                     .GarbageCollectionFinish = agent_on_gc_finish};
    if ((*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return false;
    agent_enable_event(JVMTI_EVENT_VM_INIT);
    agent_enable_event(JVMTI_EVENT_VM_DEATH);
    if (agent.safepoint_clock || agent.methods)
        return true;
    agent_enable_event(JVMTI_EVENT_CLASS_LOAD);
    agent_enable_event(JVMTI_EVENT_CLASS_PREPARE);
    agent_enable_event(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    if (compiled_method_load)
        agent_enable_event(JVMTI_EVENT_COMPILED_METHOD_LOAD);
    return true;
}

static void agent_add_property(json_t *object, const char *key, const char *property)
{
    char *value;
    if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, property, &value) != JVMTI_ERROR_NONE)
        return;
    json_object_set_new(object, key, json_string(value));
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)value);
}

static json_t *agent_describe_run(const char *debug_info)
{
    json_t *extra = json_object(), *jvm = json_object();
    agent_add_property(jvm, "name", "java.vm.name");
    agent_add_property(jvm, "version", "java.vm.version");
    agent_add_property(jvm, "vendor", "java.vm.vendor");
    agent_add_property(jvm, "info", "java.vm.info");
    agent_add_property(jvm, "home", "java.home");
    json_object_set_new(jvm, "debug_non_safepoints", json_string(debug_info));
    json_object_set_new(extra, "jvm", jvm);
    agent_add_property(extra, "main", "sun.java.command");
    return extra;
}

/* Whether Java code runs in an interpreter written in C++, as part of libjvm: its frames are not on the thread's stack.
 */
static bool agent_is_zero_vm(void)
{
    char *name;
    if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, "java.vm.name", &name) != JVMTI_ERROR_NONE)
        return false;
    bool zero = strstr(name, "Zero VM") != NULL;
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)name);
    return zero;
}

/* Why nothing can be recorded, or NULL. */
static const char *agent_start_recording(void)
{
    const json_t *mode = json_object_get(agent.config.metadata, "mode");
    agent.methods = methods_wanted(agent.config.metadata);
    agent.chooses = agent.config.calls;
    agent.config.calls = false; /* those of native code, by the sampler */
    /* The command may be a script, so the recorder's choice is for native programs. */
    const char *asked =
        json_string_value(json_object_get(json_object_get(agent.config.metadata, "calls"), "engine_asked"));
    if (agent.chooses && asked && strcmp(asked, "auto") != 0 && strcmp(asked, "hooks") != 0)
        return "only engine hooks chooses calls of a JVM, so this one is not recorded";
    if (json_is_string(mode) && strcmp(json_string_value(mode), "cpu") != 0 && !agent.config.watch.wanted &&
        !agent.methods && !agent.chooses)
        return "the JVM agent records a CPU profile, sampled memory accesses, methods or calls; this JVM is not "
               "recorded";
    if ((*agent.vm)->GetEnv(agent.vm, (void **)&agent.jvmti, JVMTI_VERSION_11) != JNI_OK)
        return "this JVM lacks JVM TI version 11; it is not recorded";
    agent.safepoint_clock = strcmp(agent.config.clock, "safepoint") == 0;
    if (agent.chooses && agent.safepoint_clock)
        return "clock safepoint is not for mode calls; this JVM is not recorded";
    if (agent.methods) /* the rest when the JVM is live */
        return agent_add_capabilities(false) && agent_enable_events(false)
                   ? NULL
                   : "the JVM refuses capabilities that probes need; it is not recorded";
    if (!agent.safepoint_clock && agent_is_zero_vm()) {
        if (agent.chooses || agent.config.watch.wanted)
            return "the Zero VM hides Java frames from samples, so this JVM is not recorded; use mode methods or "
                   "engine "
                   "rewrite";
        agent_print_error("the Zero VM hides Java frames from this clock: samples have [VM runtime] in place of "
                          "methods; use clock safepoint or mode methods");
    }
    const char *unwalkable = agent.safepoint_clock ? NULL : call_trace_init();
    if (unwalkable)
        return unwalkable;
    bool flag = agent.safepoint_clock || vmstructs_switch_on("DebugNonSafepoints");
    if (!agent_add_capabilities(!flag) || !agent_enable_events(!flag))
        return "the JVM refuses capabilities that sampling needs; it is not recorded";
    agent_debug_info = agent.safepoint_clock ? "not needed" : flag ? "flag" : "compiled-method-load";
    if (agent.chooses)
        return NULL;
    json_t *extra = agent_describe_run(agent_debug_info);
    if (sampler_start(&agent.config, &agent_hooks, extra) != 0) /* which has reported why */
        (*agent.jvmti)->DisposeEnvironment(agent.jvmti);
    json_decref(extra);
    return NULL;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    if (!sampler_configure(&agent.config))
        return JNI_OK;
    agent.vm = vm;
    /* The preloaded agent for native programs may be in this process too: one sampler is enough. But that agent
     * interposes sigaction(), by which HotSpot under -Xcheck:jni, and native libraries, see what they would see without
     * this one. */
    void *symbol = dlsym(RTLD_DEFAULT, "assay_native_stand_down");
    void (*stand_down)(sampler_chain_function *);
    memcpy(&stand_down, &symbol, sizeof stand_down);
    if (stand_down)
        stand_down(sampler_chain);
    if (!sampler_wants_program(&agent.config))
        return JNI_OK;
    const char *why_not = agent_start_recording();
    if (why_not)
        agent_print_error(why_not);
    if ((!agent.methods && !agent.chooses) || why_not) {
        json_decref(agent.config.metadata);
        agent.config.metadata = NULL;
    }
    return JNI_OK;
}
