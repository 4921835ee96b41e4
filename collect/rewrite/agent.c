/*
 * agent.c - the JVM TI agent: its beginning, classes as they load, and the end.
 *
 * Loaded with -agentpath; configured by SAMPLER_ENVIRONMENT, without which it does nothing.
 */
#include "collect/rewrite/agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/clock.h"
#include "collect/rewrite/addresses.h"
#include "collect/rewrite/prepared.h"
#include "collect/rewrite/raw_output.h"
#include "collect/rewrite/ring_output.h"

struct accesses_agent agent;

/* Classes outside of java.base that loaded before the rewriter could run, one per line. */
static struct {
    char *text;
    size_t size;
} early;

static bool running; /* accesses are recorded */

/* The thread that writes what the others have counted. */
static struct {
    jrawMonitorID monitor;
    bool end;
} drainer;

void accesses_print(const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "assay: %s\n", text);
}

bool accesses_find_file(const char *name, char *path, size_t size)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)accesses_find_file, &info) || !info.dli_fname)
        return false;
    char *real = realpath(info.dli_fname, NULL), *slash = real ? strrchr(real, '/') : NULL;
    if (slash)
        snprintf(path, size, "%.*s/%s", (int)(slash - real), real, name);
    free(real);
    return slash && access(path, R_OK) == 0;
}

/* ------------------------------------------------------------------------------------------ the kinds -- */

static unsigned accesses_kinds(void)
{
    const char *mode = agent.mode;
    unsigned adjacent = agent.adjacent ? RAW_OUTPUT_ADJACENT_LOADS : 0;
    return strcmp(mode, "silent-load") == 0    ? RAW_OUTPUT_LOADS | adjacent
           : strcmp(mode, "silent-store") == 0 ? RAW_OUTPUT_SILENT_STORES
           : strcmp(mode, "dead-store") == 0   ? RAW_OUTPUT_DEAD_STORES
           : strcmp(mode, "memory") == 0
               ? 0
               : RAW_OUTPUT_LOADS | RAW_OUTPUT_SILENT_STORES | RAW_OUTPUT_DEAD_STORES | adjacent;
}

/* Replaces a number in the constants of a class. */
static void accesses_replace_number(unsigned char *bytes, size_t size, uint32_t from, uint32_t to)
{
    uint32_t wanted = __builtin_bswap32(from), fresh = __builtin_bswap32(to);
    for (size_t i = 0; i + sizeof wanted <= size; i++)
        if (memcmp(bytes + i, &wanted, sizeof wanted) == 0)
            memcpy(bytes + i, &fresh, sizeof fresh);
}

/* The numbers that AssayModes.java has in their place. */
static void accesses_write_modes(unsigned char *bytes, size_t size)
{
    enum {
        KINDS = 0x5a5a0001,
        TOLERANCE = 0x5a5a0002,
        BURSTS = 0x5a5a0003,
        BETWEEN_THREADS = 0x5a5a0004,
        MEMORY = 0x5a5a0005
    };
    accesses_replace_number(bytes, size, KINDS, accesses_kinds());
    accesses_replace_number(bytes, size, TOLERANCE, (uint32_t)(agent.tolerance * 1e9 + 0.5));
    accesses_replace_number(bytes, size, BURSTS, agent.in_bursts);
    accesses_replace_number(bytes, size, BETWEEN_THREADS, agent.between_threads);
    accesses_replace_number(bytes, size, MEMORY, agent.memory ? agent.values ? 2 : 1 : 0);
}

/* ------------------------------------------------------------------------------------------ classes -- */

static void JNICALL accesses_on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                           const char *name, jobject domain, jint length, const unsigned char *bytes,
                                           jint *new_length, unsigned char **new_bytes)
{
    (void)redefined, (void)domain;
    const struct prepared_class *class = name && !loader ? prepared_find(name) : NULL;
    unsigned char *fresh = NULL;
    if (class && checksum_crc32c(bytes, (size_t)length) != class->checksum) {
        /* Code that is prepared for a class of the JDK's does not fit another one. */
        accesses_print(
            "%s is not that of the JDK (--patch-module, or another agent): a JVM with it can't be recorded with "
            "engine rewrite",
            class->name);
        _exit(1);
    }
    if (class && (*jvmti)->Allocate(jvmti, class->size, &fresh) == JVMTI_ERROR_NONE) {
        memcpy(fresh, class->bytes, class->size);
        *new_length = (jint) class->size;
    } else if (class) {
        fresh = NULL;
    } else if (name && running) {
        fresh = rewrite_class(env, loader, name, bytes, length, new_length);
    }
    if (fresh)
        *new_bytes = fresh;
    else if (name && !running && !rewrite_is_own(env, loader)) {
        size_t name_length = strlen(name);
        char *grown = realloc(early.text, early.size + name_length + 2);
        if (grown) {
            early.text = grown;
            memcpy(grown + early.size, name, name_length);
            early.size += name_length;
            grown[early.size++] = '\n';
            grown[early.size] = '\0';
        }
    }
}

/* No hook gets hidden classes, such as those of lambdas. Their names have a dot: "LMain$$Lambda.0x7f12;". */
static void JNICALL accesses_on_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
    (void)env, (void)thread;
    char *signature = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE && strchr(signature, '.'))
        raw_output_count_hidden();
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

/* What rewritten code needs is defined before any code runs. */
static void JNICALL accesses_on_vm_start(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    const struct prepared_class *class;
    for (size_t i = 0; (class = prepared_runtime(i)); i++) {
        unsigned char *bytes = malloc(class->size);
        if (bytes) {
            memcpy(bytes, class->bytes, class->size);
            if (strcmp(class->name, "java/lang/AssayModes") == 0)
                accesses_write_modes(bytes, class->size);
        }
        if (!bytes || !(*env)->DefineClass(env, class->name, NULL, (jbyte *)bytes, (jsize) class->size)) {
            (*env)->ExceptionDescribe(env);
            accesses_print("%s can't be defined; this JVM can't run", class->name);
            _exit(1);
        }
        free(bytes);
    }
}

/* ------------------------------------------------------------------------------------------ the run -- */

static void accesses_add_property(json_t *about, const char *key, const char *property)
{
    char *value = NULL;
    if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, property, &value) == JVMTI_ERROR_NONE)
        json_object_set_new(about, key, json_string(value));
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)value);
}

static json_t *accesses_describe_run(void)
{
    char path[4096] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    json_t *bursts = agent.in_bursts
                         ? json_pack("{s:I, s:I, s:s, s:b}", "enable", (json_int_t)agent.burst_on, "disable",
                                     (json_int_t)agent.burst_off, "unit", "accesses", "auto", (int)agent.burst_auto)
                         : json_null();
    json_t *about = json_pack("{s:s, s:s, s:s, s:f, s:o, s:s, s:{s:I}}", "collector", "jvm", "engine", "rewrite",
                              "mode", agent.mode, "fp_tolerance", agent.tolerance, "burst", bursts, "exe",
                              length > 0 ? path : "", "rewrite", "base_without_probes", (json_int_t)prepared_skipped());
    accesses_add_property(about, "jvm", "java.vm.version");
    accesses_add_property(about, "main", "sun.java.command");
    if (agent.memory) { /* the program's threads have no common order */
        json_object_set_new(about, "values", json_boolean(agent.values));
        json_object_set_new(about, "access_order", json_string("thread"));
    }
    return about;
}

static void accesses_call_runtime(JNIEnv *env, const char *name, const char *signature, jlong argument)
{
    jclass class = (*env)->FindClass(env, "java/lang/AssayAccess");
    jmethodID method = class ? (*env)->GetStaticMethodID(env, class, name, signature) : NULL;
    if (method)
        (*env)->CallStaticVoidMethod(env, class, method, argument);
    (*env)->DeleteLocalRef(env, class);
    if (!(*env)->ExceptionCheck(env))
        return;
    (*env)->ExceptionDescribe(env);
    accesses_print("AssayAccess.%s() failed", name);
}

bool accesses_pause(uint64_t ms)
{
    (*agent.jvmti)->RawMonitorEnter(agent.jvmti, drainer.monitor);
    if (!drainer.end)
        (*agent.jvmti)->RawMonitorWait(agent.jvmti, drainer.monitor, (jlong)ms);
    bool goes_on = !drainer.end;
    (*agent.jvmti)->RawMonitorExit(agent.jvmti, drainer.monitor);
    return goes_on;
}

static void JNICALL accesses_run_drainer(jvmtiEnv *jvmti, JNIEnv *env, void *unused)
{
    (void)jvmti, (void)unused;
    rewrite_mute(env);
    if (agent.in_bursts)
        bursts_run(env);
    else {
        /* Drains every second, or less often where a thread's counts take long: a killed process loses no more. */
        enum { SHARE = 20, WAIT_MS = 100 };
        uint64_t pause_ms = 1000;
        while (accesses_pause(pause_ms)) {
            uint64_t begun = clock_ns(CLOCK_MONOTONIC);
            accesses_call_runtime(env, "drain", "(J)V", WAIT_MS);
            uint64_t took_ms = (clock_ns(CLOCK_MONOTONIC) - begun) / 1000000;
            pause_ms = took_ms > WAIT_MS ? 1000 + (took_ms - WAIT_MS) * SHARE : 1000;
        }
    }
}

/* Which classes are prepared (prepared.h). */
static const char *accesses_variant_name(void)
{
    static const char *const VARIANTS[3][2] = {
        {"accesses", "bursts"}, {"lengths", "lengths-bursts"}, {"memory", "memory-bursts"}};
    return VARIANTS[agent.memory ? 2 : agent.array_lengths][agent.in_bursts];
}

static void JNICALL accesses_on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread main_thread)
{
    (void)main_thread;
    if (!rewrite_begin(env, prepared_intrinsics(), accesses_variant_name()))
        return;
    rewrite_report_loaded(env, early.text ? early.text : "");
    json_t *about = accesses_describe_run();
    int error = raw_output_begin(agent.config.directory, agent.config.prefix, about, accesses_kinds(), agent.in_bursts);
    json_decref(about);
    if (!error && agent.memory)
        error = ring_output_begin(agent.config.recorder_pid, agent.values);
    if (error)
        accesses_print("%s: %s; this JVM is not recorded", agent.config.directory, strerror(error));
    bool addresses = error || !agent.memory || addresses_find(env);
    if (!addresses)
        accesses_print("this JVM does not tell where objects are (gHotSpotVMStructs); it is not recorded");
    if (error || !addresses)
        return;
    if (agent.between_threads)
        raw_output_set_between_threads();
    running = true;
    accesses_call_runtime(env, "begin", "()V", 0);
    if (agent.in_bursts)
        bursts_begin(env);
    /* The program does not see this thread. Without it there are no bursts, and all is written at the end. */
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID constructor = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*env)->NewStringUTF(env, "assay");
    jthread thread = constructor && name ? (*env)->NewObject(env, class, constructor, name) : NULL;
    if ((*jvmti)->CreateRawMonitor(jvmti, "assay", &drainer.monitor) != JVMTI_ERROR_NONE || !thread ||
        (*jvmti)->RunAgentThread(jvmti, thread, accesses_run_drainer, NULL, JVMTI_THREAD_NORM_PRIORITY) !=
            JVMTI_ERROR_NONE)
        drainer.end = true;
    (*env)->ExceptionClear(env);
}

static void JNICALL accesses_on_vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    if (!running)
        return;
    running = false;
    if (!drainer.end) {
        (*jvmti)->RawMonitorEnter(jvmti, drainer.monitor);
        drainer.end = true;
        (*jvmti)->RawMonitorNotifyAll(jvmti, drainer.monitor);
        (*jvmti)->RawMonitorExit(jvmti, drainer.monitor);
    }
    rewrite_mute(env);
    accesses_call_runtime(env, "end", "()V", 0);
    bursts_end();
    ring_output_end();
    rewrite_end();
    int error = raw_output_end(0);
    if (error)
        accesses_print("%s: %s; what this JVM's threads have counted is not complete", agent.config.directory,
                       strerror(error));
}

/* ------------------------------------------------------------------------------------------ beginning -- */

static bool accesses_enable_events(void)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_VM_START, JVMTI_EVENT_VM_INIT,
                                        JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_VM_DEATH};
    jvmtiCapabilities wanted = {.can_generate_all_class_hook_events = 1,
                                .can_generate_early_class_hook_events = 1,
                                .can_generate_early_vmstart = 1};
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = accesses_on_class_file,
                                     .ClassPrepare = accesses_on_class_prepare,
                                     .VMStart = accesses_on_vm_start,
                                     .VMInit = accesses_on_vm_init,
                                     .VMDeath = accesses_on_vm_death};
    bool ready = (*agent.jvmti)->AddCapabilities(agent.jvmti, &wanted) == JVMTI_ERROR_NONE &&
                 (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE;
    for (size_t i = 0; ready && i < sizeof events / sizeof *events; i++)
        ready =
            (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, events[i], NULL) == JVMTI_ERROR_NONE;
    return ready;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    char *home = NULL;
    if (!sampler_configure(&agent.config) || !sampler_wants_program(&agent.config))
        return JNI_OK;
    const char *mode = json_string_value(json_object_get(agent.config.metadata, "mode"));
    agent.mode = mode ? mode : "waste";
    agent.memory = strcmp(agent.mode, "memory") == 0;
    agent.values = json_is_true(json_object_get(agent.config.metadata, "values"));
    agent.tolerance = json_number_value(json_object_get(agent.config.metadata, "fp_tolerance"));
    agent.between_threads = json_is_true(json_object_get(agent.config.metadata, "between_threads"));
    agent.array_lengths = json_is_true(json_object_get(agent.config.metadata, "array_lengths"));
    agent.adjacent = json_is_true(json_object_get(agent.config.metadata, "adjacent"));
    const json_t *burst = json_object_get(agent.config.metadata, "burst");
    enum { CHOSEN_ON = 1000000, CHOSEN_OFF = 99000000 };
    agent.in_bursts = json_is_object(burst);
    agent.burst_auto = json_is_true(json_object_get(burst, "auto"));
    agent.burst_on = agent.burst_auto ? CHOSEN_ON : (uint64_t)json_integer_value(json_object_get(burst, "enable"));
    agent.burst_off = agent.burst_auto ? CHOSEN_OFF : (uint64_t)json_integer_value(json_object_get(burst, "disable"));
    if ((*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_9) != JNI_OK ||
        (*agent.jvmti)->GetSystemProperty(agent.jvmti, "java.home", &home) != JVMTI_ERROR_NONE) {
        accesses_print("engine rewrite needs a JVM of Java 9 or later; this one is not recorded");
        return JNI_OK;
    }
    if (prepared_open(home, accesses_variant_name(), agent.config.directory) && !accesses_enable_events())
        accesses_print("this JVM does not let agents rewrite its classes; it is not recorded");
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)home);
    return JNI_OK;
}
