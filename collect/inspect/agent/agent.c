/*
 * agent.c - the JVM TI agent: its beginning, its thread, what it says of the run, and the end.
 *
 * Loaded with -agentpath; configured by SAMPLER_ENVIRONMENT, without which it does nothing.
 */
#include "collect/inspect/agent/agent.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/inspect/inspection/inspection_trace.h"
#include "collect/agents/jvm/perf_counters.h"
#include "collect/sample/host.h"

struct inspect_agent agent;

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

/* ------------------------------------------------------------------------------------------ metadata -- */

static json_t *inspect_describe_counts(unsigned from, unsigned to)
{
    static const char *const NAMES[COUNT_ENDS] = {
        [COUNT_COMPILED] = "methods with loops", [COUNT_INSPECTED] = "inspected",
        [COUNT_NOT_ENTERED] = "not entered",     [COUNT_COLLECTED] = "gave up: GC",
        [COUNT_TOO_MANY] = "beyond the limit",   [COUNT_UNREADABLE] = "unreadable",
        [COUNT_SAME] = "verified loads",         [COUNT_OTHER] = "loads that differ",
        [COUNT_INSPECTIONS] = "inspections",     [COUNT_GIVEN_UP] = "inspections that a GC ended"};
    json_t *counts = json_object();
    assert(from <= to && to <= COUNT_ALL);
    for (unsigned i = from; i < to; i++) {
        const char *name = i < COUNT_ENDS ? NAMES[i] : interpreter_end_name((enum interpreter_end)(i - COUNT_ENDS));
        json_object_set_new(counts, name, json_integer((json_int_t)atomic_load(&agent.counts[i])));
    }
    return counts;
}

static uint64_t agent_thread_ns; /* CPU time of the agent's thread so far */

/* What is known by now. */
static int inspect_describe_results(void)
{
    json_t *inspect = json_object_get(described, "inspect");
    json_object_set_new(inspect, "methods", inspect_describe_counts(COUNT_COMPILED, COUNT_INSPECTIONS));
    json_object_set_new(inspect, "entries", inspect_describe_counts(COUNT_INSPECTIONS, COUNT_ENDS));
    json_object_set_new(inspect, "loops", inspect_describe_counts(COUNT_ENDS, COUNT_ALL));
    uint64_t compile_ns;
    json_t *cost =
        json_pack("{s:I, s:I, s:I, s:I}", "interpret_ns", (json_int_t)atomic_load(&agent.interpreting_ns), "prepare_ns",
                  (json_int_t)agent_thread_ns, "note_ns", (json_int_t)atomic_load(&agent.noting_ns), "process_ns",
                  (json_int_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    if (perf_counters_ns("java.ci.totalTime", &compile_ns))
        json_object_set_new(cost, "compile_ns", json_integer((json_int_t)compile_ns));
    json_object_set_new(inspect, "cost", cost);
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
    struct inspection *inspection = breakpoints_take_finished();
    while (inspection) {
        struct inspection *next = inspection->next;
        inspect_report_write_error(inspection_trace_add(inspection));
        inspection_free(inspection);
        inspection = next;
    }
}

static void JNICALL inspect_run_thread(jvmtiEnv *jvmti, JNIEnv *env, void *unused)
{
    (void)jvmti, (void)unused;
    uint64_t armed_ns = 0, written_ns = clock_ns(CLOCK_MONOTONIC);
    while (!atomic_load(&agent.ended)) {
        uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        breakpoints_read_compiled(env);
        if (now_ns >= armed_ns + (uint64_t)BREAKPOINTS_ARMED_MS * 1000000) {
            breakpoints_decide_armed(env, now_ns);
            armed_ns = now_ns;
        }
        bool soon = breakpoints_arm_waiting(env, now_ns);
        inspect_write_finished();
        agent_thread_ns = inspect_thread_ns();
        if (now_ns >= written_ns + UINT64_C(1000000000)) {
            inspect_report_write_error(inspection_trace_flush());
            inspect_report_write_error(inspect_describe_results());
            written_ns = now_ns;
        }
        /* Waits until there is something to do, or for the time that breakpoints may stay; and then a little longer,
         * so that it does not wake for each method. */
        inspect_lock();
        if (!breakpoints_has_work() && !atomic_load(&agent.ended))
            (*agent.jvmti)->RawMonitorWait(agent.jvmti, agent.monitor, soon ? BREAKPOINTS_ARMED_MS : 1000);
        if (!atomic_load(&agent.ended))
            (*agent.jvmti)->RawMonitorWait(agent.jvmti, agent.monitor, BREAKPOINTS_ARMED_MS);
        inspect_unlock();
    }
    inspect_lock();
    thread_ended = true;
    (*agent.jvmti)->RawMonitorNotifyAll(agent.jvmti, agent.monitor);
    inspect_unlock();
}

/* ------------------------------------------------------------------------------------------ the run -- */

/* The number of pauses and collections: objects move only in or after one. */
static void JNICALL inspect_on_collection(jvmtiEnv *jvmti)
{
    (void)jvmti;
    atomic_fetch_add(&agent.collections_begun, 1);
}

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

static void JNICALL inspect_on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread main_thread)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                        JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_BREAKPOINT, JVMTI_EVENT_VM_DEATH};
    (void)main_thread;
    if (!placement_find(env) || !living_prepare(env)) {
        inspect_print("this JVM does not tell where the parts of its objects are; it is not inspected");
        return;
    }
    described = inspect_describe_run();
    /* The first free name: a process that has executed another program finds its earlier trace there. */
    enum { NAMES_MAX = 10000 };
    char path[4352];
    int error = EEXIST;
    for (int n = 0; n < NAMES_MAX && error == EEXIST; n++) {
        int length =
            snprintf(path, sizeof path, "%s/%s-%d", agent.config.directory, agent.config.prefix, (int)getpid());
        snprintf(path + length, sizeof path - (size_t)length, n ? ".%d.trace" : ".trace", n);
        error = inspection_trace_open(path, described);
    }
    if (error) {
        inspect_print("%s: %s; this JVM is not inspected", agent.config.directory, strerror(error));
        return;
    }
    uint64_t begun = inspect_thread_ns();
    bool good = inspect_enable_events(events, sizeof events / sizeof *events);
    names_add_loaded(env);
    atomic_fetch_add(&agent.noting_ns, inspect_thread_ns() - begun);
    /* The program does not see this thread. */
    jclass class = good ? (*env)->FindClass(env, "java/lang/Thread") : NULL;
    jmethodID constructor = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = constructor ? (*env)->NewStringUTF(env, "assay") : NULL;
    jthread thread = name ? (*env)->NewObject(env, class, constructor, name) : NULL;
    bool started = thread && (*jvmti)->RunAgentThread(jvmti, thread, inspect_run_thread, NULL,
                                                      JVMTI_THREAD_NORM_PRIORITY) == JVMTI_ERROR_NONE;
    if (good)
        (*env)->ExceptionClear(env);
    if (!started) {
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
    breakpoints_finish();
    inspect_report_write_error(inspect_describe_results());
    inspect_report_write_error(inspection_trace_close());
}

/* ------------------------------------------------------------------------------------------ beginning -- */

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
                                     .CompiledMethodLoad = breakpoints_on_compiled_method,
                                     .Breakpoint = breakpoints_on_breakpoint,
                                     .GarbageCollectionStart = inspect_on_collection};
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT};
    if ((*agent.jvmti)->GetPotentialCapabilities(agent.jvmti, &offered) != JVMTI_ERROR_NONE)
        return false;
    /* Since JDK 21; jvmti.h may be older. Without it no event comes from virtual threads. */
    enum { BYTE = 5, BIT = 1 << 4 };
    unsigned char bytes[sizeof offered], more[sizeof wanted];
    memcpy(bytes, &offered, sizeof bytes);
    memcpy(more, &wanted, sizeof more);
    more[BYTE] |= bytes[BYTE] & BIT;
    memcpy(&wanted, more, sizeof more);
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

/* Only one agent of a JVM can have breakpoints, and a debugger that can't have them ends the JVM. */
static bool inspect_has_debugger(void)
{
    static const char *const VARIABLES[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"};
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *arguments = fopen("/proc/self/cmdline", "re");
    while (arguments && !found && getdelim(&line, &size, '\0', arguments) > 0) {
        /* The word may be in an argument, or in the file of arguments that it names. */
        static const char FILE_OPTION[] = "-XX:VMOptionsFile=";
        size_t length = sizeof FILE_OPTION - 1;
        const char *path = *line == '@' ? line + 1 : strncmp(line, FILE_OPTION, length) == 0 ? line + length : NULL;
        found = strstr(line, "jdwp") || (path && inspect_file_mentions(path, "jdwp"));
    }
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
