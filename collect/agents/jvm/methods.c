/*
 * methods.c - mode methods: classes get probes as they load. Mode calls has the same probes, and its own native methods
 * (chosen.c).
 *
 * The probe is a class of java.lang with native methods, which this file implements, so that every class of every
 * loader and module sees it. The rewriter of classes is written in Java, with ASM, in a loader of its own
 * (collect/agents/jvm/java). Both are created when the JVM is live: classes loaded by then, the core of the JDK, have
 * no probes.
 */
#include "collect/agents/jvm/agent.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "collect/methods/methods.h"

#define METHODS_PROBE "java/lang/AssayProbe"
#define METHODS_CHOOSER "java/lang/AssayChooser"

/* Why something has no probes, numbered as in Rewriter.java. */
enum { SKIPPED_TOO_LARGE, SKIPPED_CONSTRUCTOR, SKIPPED_CLASS, SKIPPED_COUNT };

struct methods_name {
    char *class_name, *method, *signature, *file;
};

static struct {
    struct methods_name *names; /* [number], from 1 */
    uint32_t count;
    size_t capacity;
    uint64_t skipped[SKIPPED_COUNT];
    char first[SKIPPED_COUNT][256]; /* the first of each */
    jclass rewriter, pairs;
    jmethodID rewrite, missing, run;
    JNIEnv *measuring;
} table;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

/* CPU time of all this: the start, and each inspected class. */
static atomic_uint_fast64_t rewrite_ns;

static _Thread_local bool again;     /* … again: its methods have numbers, and some are given up */
static _Thread_local bool rewriting; /* this thread is in the rewriter: classes that load now are its own */

/* ------------------------------------------------------------------------------------------------ the probe -- */

/* The JVM looks for native methods of its own classes in the libraries of agents too, by these names. */
JNIEXPORT jint JNICALL Java_java_lang_AssayProbe_enter(JNIEnv *env, jclass class, jint method);
JNIEXPORT jint JNICALL Java_java_lang_AssayProbe_enter(JNIEnv *env, jclass class, jint method)
{
    (void)class;
    allocated_set_env(env);
    return (jint)methods_enter((uint64_t)method + PSEUDO_COUNT);
}

JNIEXPORT void JNICALL Java_java_lang_AssayProbe_exit(JNIEnv *env, jclass class, jint method, jint depth);
JNIEXPORT void JNICALL Java_java_lang_AssayProbe_exit(JNIEnv *env, jclass class, jint method, jint depth)
{
    (void)env, (void)class;
    methods_leave(MARK_EXIT, (uint64_t)method + PSEUDO_COUNT, (uint32_t)depth);
}

JNIEXPORT void JNICALL Java_java_lang_AssayProbe_thrown(JNIEnv *env, jclass class, jint method, jint depth);
JNIEXPORT void JNICALL Java_java_lang_AssayProbe_thrown(JNIEnv *env, jclass class, jint method, jint depth)
{
    (void)env, (void)class;
    methods_leave(MARK_THROWN, (uint64_t)method + PSEUDO_COUNT, (uint32_t)depth);
}

/* -------------------------------------------------------------------------------------------------- names -- */

/* The result of a call of Java code; NULL if it threw, and then the exception is pending. */
static jobject methods_check_result(JNIEnv *env, jobject result)
{
    return (*env)->ExceptionCheck(env) ? NULL : result;
}

static char *methods_copy_text(JNIEnv *env, jstring text)
{
    const char *chars = text ? (*env)->GetStringUTFChars(env, text, NULL) : NULL;
    char *copy = chars ? strdup(chars) : NULL;
    if (chars)
        (*env)->ReleaseStringUTFChars(env, text, chars);
    return copy;
}

/* Rewriter.methods_native_define() */
static jint JNICALL methods_native_define(JNIEnv *env, jclass class, jstring class_name, jstring method,
                                          jstring signature, jstring file)
{
    (void)class;
    struct methods_name name = {methods_copy_text(env, class_name), methods_copy_text(env, method),
                                methods_copy_text(env, signature), methods_copy_text(env, file)};
    jint number = 0;
    pthread_mutex_lock(&table_lock);
    bool whole = name.class_name && name.method && name.signature && name.file;
    jint before = 0; /* the number that the method already has */
    for (uint32_t i = 1; whole && again && !before && i <= table.count; i++) {
        const struct methods_name *known = &table.names[i];
        if (strcmp(known->method, name.method) == 0 && strcmp(known->signature, name.signature) == 0 &&
            strcmp(known->class_name, name.class_name) == 0)
            before = (jint)i;
    }
    struct methods_name *grown =
        whole && !before ? grow_unset(table.names, &table.capacity, table.count + 1, sizeof *grown) : NULL;
    if (grown) {
        table.names = grown;
        number = (jint)++table.count;
        grown[number] = name;
    }
    pthread_mutex_unlock(&table_lock);
    if (number == 0) {
        free(name.class_name);
        free(name.method);
        free(name.signature);
        free(name.file);
    }
    if (before)
        return methods_given_up((uint64_t)before + PSEUDO_COUNT) ? -1 : before;
    return number; /* 0 has no name, and neither have its events */
}

/* Rewriter.methods_native_skipped() */
static void JNICALL methods_native_skipped(JNIEnv *env, jclass class, jint reason, jstring what)
{
    (void)class;
    char *text = methods_copy_text(env, what);
    pthread_mutex_lock(&table_lock);
    if (reason >= 0 && reason < SKIPPED_COUNT && table.skipped[reason]++ == 0)
        snprintf(table.first[reason], sizeof table.first[reason], "%s", text ? text : "");
    pthread_mutex_unlock(&table_lock);
    free(text);
}

static bool methods_describe_frame(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    (void)user;
    uint64_t number = frame->code - PSEUDO_COUNT;
    pthread_mutex_lock(&table_lock);
    bool known = number > 0 && number <= table.count;
    if (known) {
        const struct methods_name *name = &table.names[number];
        *text = (struct trace_frame_text){
            .class_name = name->class_name, .method = name->method, .signature = name->signature, .file = name->file};
    }
    pthread_mutex_unlock(&table_lock);
    return known;
}

bool methods_class_signature(uint64_t method, char *text, size_t size)
{
    uint64_t number = method - PSEUDO_COUNT;
    pthread_mutex_lock(&table_lock);
    bool known = number > 0 && number <= table.count;
    if (known)
        snprintf(text, size, "L%s;", table.names[number].class_name);
    pthread_mutex_unlock(&table_lock);
    for (char *c = text; known && *c; c++)
        *c = *c == '.' ? '/' : *c;
    return known;
}

/* ------------------------------------------------------------------------------------------------ classes -- */

void JNICALL methods_on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                   jobject domain, jint length, const unsigned char *bytes, jint *new_length,
                                   unsigned char **new_bytes)
{
    (void)domain;
    if (rewriting || !table.rewriter || !name || (*env)->PushLocalFrame(env, 8) != 0)
        return;
    uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    rewriting = true;
    again = redefined != NULL;
    bool paused = agent.chooses && chooser_pause();
    if (!agent.chooses)
        methods_mute();
    jstring text = (*env)->NewStringUTF(env, name);
    jbyteArray old = (*env)->NewByteArray(env, length);
    jbyteArray made = NULL;
    if (text && old) {
        (*env)->SetByteArrayRegion(env, old, 0, length, (const jbyte *)bytes);
        made = methods_check_result(
            env, (*env)->CallStaticObjectMethod(env, table.rewriter, table.rewrite, loader, text, old));
    }
    (*env)->ExceptionClear(env);
    jint size = made ? (*env)->GetArrayLength(env, made) : 0;
    if (size > 0 && (*jvmti)->Allocate(jvmti, size, new_bytes) == JVMTI_ERROR_NONE) {
        (*env)->GetByteArrayRegion(env, made, 0, size, (jbyte *)*new_bytes);
        *new_length = size;
    }
    if (!agent.chooses)
        methods_unmute();
    rewriting = false;
    (*env)->PopLocalFrame(env, NULL);
    if (paused)
        chooser_resume(0);
    atomic_fetch_add(&rewrite_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun);
}

/* ------------------------------------------------------------------------------------------------ beginning -- */

/* file:///path/assay-methods.jar, in this library's directory. */
static bool methods_find_jar(char *url, size_t size)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)methods_find_jar, &info) || !info.dli_fname)
        return false;
    char *path = realpath(info.dli_fname, NULL);
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        snprintf(url, size, "%.*s/assay-methods.jar", (int)(slash - path), path);
    free(path);
    return slash != NULL;
}

/* The rewriter's class, in a loader that sees the JDK and the jar alone. */
static jclass methods_load_rewriter_class(JNIEnv *env)
{
    char path[4096];
    if (!methods_find_jar(path, sizeof path))
        return NULL;
    jclass file_class = (*env)->FindClass(env, "java/io/File"), url_class = (*env)->FindClass(env, "java/net/URL");
    jclass uri_class = (*env)->FindClass(env, "java/net/URI");
    jclass loader_class = (*env)->FindClass(env, "java/net/URLClassLoader");
    jclass base_class = (*env)->FindClass(env, "java/lang/ClassLoader");
    if (!file_class || !url_class || !uri_class || !loader_class || !base_class)
        return NULL;
    jobject file = methods_check_result(
        env, (*env)->NewObject(env, file_class, (*env)->GetMethodID(env, file_class, "<init>", "(Ljava/lang/String;)V"),
                               (*env)->NewStringUTF(env, path)));
    jobject uri = file ? methods_check_result(
                             env, (*env)->CallObjectMethod(
                                      env, file, (*env)->GetMethodID(env, file_class, "toURI", "()Ljava/net/URI;")))
                       : NULL;
    jobject url =
        uri ? methods_check_result(env, (*env)->CallObjectMethod(
                                            env, uri, (*env)->GetMethodID(env, uri_class, "toURL", "()Ljava/net/URL;")))
            : NULL;
    jobjectArray urls = url ? (*env)->NewObjectArray(env, 1, url_class, url) : NULL;
    jobject platform =
        urls ? methods_check_result(env, (*env)->CallStaticObjectMethod(
                                             env, base_class,
                                             (*env)->GetStaticMethodID(env, base_class, "getPlatformClassLoader",
                                                                       "()Ljava/lang/ClassLoader;")))
             : NULL;
    jobject loader = platform
                         ? methods_check_result(
                               env, (*env)->NewObject(env, loader_class,
                                                      (*env)->GetMethodID(env, loader_class, "<init>",
                                                                          "([Ljava/net/URL;Ljava/lang/ClassLoader;)V"),
                                                      urls, platform))
                         : NULL;
    return loader ? methods_check_result(
                        env, (*env)->CallObjectMethod(env, loader,
                                                      (*env)->GetMethodID(env, base_class, "loadClass",
                                                                          "(Ljava/lang/String;)Ljava/lang/Class;"),
                                                      (*env)->NewStringUTF(env, "assay.methods.Rewriter")))
                  : NULL;
}

static const json_t *methods_setting(const char *key)
{
    return json_object_get(json_object_get(agent.config.metadata, agent.chooses ? "calls" : "methods"), key);
}

/* The words of an array, one per line; NULL if there is no such array and `absent` is NULL. */
static jstring methods_setting_lines(JNIEnv *env, const char *key)
{
    size_t i, size = 1;
    const json_t *words = methods_setting(key), *word;
    json_array_foreach(words, i, word) size += json_string_length(word) + 1;
    char *text = malloc(size), *end = text;
    if (!text)
        return NULL;
    *text = '\0';
    json_array_foreach(words, i, word) end = stpcpy(stpcpy(end, json_string_value(word)), "\n");
    jstring result = (*env)->NewStringUTF(env, text);
    free(text);
    return result;
}

/* The file of --methods, unchanged; NULL without one. */
static jstring methods_read_list(JNIEnv *env)
{
    const char *path = json_string_value(methods_setting("file"));
    char *text = NULL;
    size_t size = 0;
    FILE *file = path ? fopen(path, "re") : NULL;
    jstring list = NULL;
    if (file && getdelim(&text, &size, '\0', file) >= 0)
        list = (*env)->NewStringUTF(env, text);
    else if (path)
        list = (*env)->NewStringUTF(env, "");
    if (file)
        fclose(file);
    free(text);
    return list;
}

static bool methods_define_class(JNIEnv *env, jobjectArray made, jsize i, const char *name, jclass *out)
{
    jbyteArray bytes = (*env)->GetObjectArrayElement(env, made, i);
    jsize length = bytes ? (*env)->GetArrayLength(env, bytes) : 0;
    jbyte *copy = bytes ? (*env)->GetByteArrayElements(env, bytes, NULL) : NULL;
    jclass class = copy ? (*env)->DefineClass(env, name, NULL, copy, length) : NULL;
    if (copy)
        (*env)->ReleaseByteArrayElements(env, bytes, copy, JNI_ABORT);
    *out = class ? (*env)->NewGlobalRef(env, class) : NULL;
    return *out != NULL;
}

static bool methods_prepare_rewriter(JNIEnv *env, jclass rewriter)
{
    static char define_type[] = "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)I";
    JNINativeMethod own[] = {{(char[]){"define"}, define_type, (void *)methods_native_define},
                             {(char[]){"skipped"}, (char[]){"(ILjava/lang/String;)V"}, (void *)methods_native_skipped}};
    jclass probe;
    if ((*env)->RegisterNatives(env, rewriter, own, 2) != 0)
        return false;
    jmethodID start = (*env)->GetStaticMethodID(env, rewriter, "start",
                                                "(ZIZLjava/lang/String;Ljava/lang/String;Ljava/lang/String;)[[B");
    table.rewrite =
        (*env)->GetStaticMethodID(env, rewriter, "rewrite", "(Ljava/lang/ClassLoader;Ljava/lang/String;[B)[B");
    table.missing = (*env)->GetStaticMethodID(env, rewriter, "missing", "()Ljava/lang/String;");
    const json_t *bytes = methods_setting("min_bytes"), *loops = methods_setting("loop_rule");
    jobjectArray made =
        start ? methods_check_result(
                    env, (*env)->CallStaticObjectMethod(env, rewriter, start, (jboolean)agent.chooses,
                                                        bytes ? (jint)json_integer_value(bytes) : 50,
                                                        (jboolean)(json_is_false(loops) ? JNI_FALSE : JNI_TRUE),
                                                        methods_setting_lines(env, "include"),
                                                        methods_setting_lines(env, "exclude"), methods_read_list(env)))
              : NULL;
    if (!made || !methods_define_class(env, made, 0, agent.chooses ? METHODS_CHOOSER : METHODS_PROBE, &probe) ||
        !methods_define_class(env, made, 1, "java/lang/AssayPairs", &table.pairs))
        return false;
    table.run = (*env)->GetStaticMethodID(env, table.pairs, "run", "(I)V");
    return table.run && table.rewrite && table.missing;
}

void methods_run_probe_pairs(unsigned count)
{
    (*table.measuring)->CallStaticVoidMethod(table.measuring, table.pairs, table.run, (jint)count);
    methods_check_result(table.measuring, NULL); /* its methods throw nothing, which -Xcheck:jni wants to see checked */
}

jclass methods_load_rewriter(JNIEnv *env)
{
    jclass rewriter = methods_load_rewriter_class(env);
    if (!rewriter || !methods_prepare_rewriter(env, rewriter)) {
        jthrowable pending = (*env)->ExceptionOccurred(env);
        (*env)->ExceptionClear(env);
        jclass class = (*env)->FindClass(env, "java/lang/Object");
        jmethodID to_string = class ? (*env)->GetMethodID(env, class, "toString", "()Ljava/lang/String;") : NULL;
        char *why =
            pending && to_string
                ? methods_copy_text(env, methods_check_result(env, (*env)->CallObjectMethod(env, pending, to_string)))
                : NULL;
        (*env)->ExceptionClear(env);
        sampler_report("methods get no probes: %s; this JVM is not recorded",
                       why ? why : "lib/assay/assay-methods.jar can't be used");
        free(why);
        return NULL;
    }
    table.measuring = env;
    return rewriter;
}

void methods_rewrite_with(JNIEnv *env, jclass rewriter)
{
    table.rewriter = (*env)->NewGlobalRef(env, rewriter);
}

void methods_add_rewrite_ns(uint64_t ns)
{
    atomic_fetch_add(&rewrite_ns, ns);
}

uint64_t methods_rewrite_ns(void)
{
    return atomic_load(&rewrite_ns);
}

bool methods_is_rewriting(void)
{
    return rewriting;
}

static atomic_bool dying;

static void methods_on_cycle(void *user)
{
    static bool reported;
    (void)user;
    methods_collect();
    vm_threads_update_all(false);
    if (atomic_load(&dying) && !reported && methods_has_recorded()) {
        reported = true;
        perfdata_write(atomic_load(&rewrite_ns));
    }
}

void methods_vm_live(JNIEnv *env, const json_t *metadata)
{
    struct methods_hooks own = {.role = threads_role,
                                .exact_places = true,
                                .pairs = methods_run_probe_pairs,
                                .warm_up_ns = 20000000,
                                .given_up = unprobe_request};
    static const struct sampler_hooks hooks = {.collector = "jvm",
                                               .describe = methods_describe_frame,
                                               .role = threads_role,
                                               .on_cycle = methods_on_cycle,
                                               .events_only = true};
    uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if ((*env)->PushLocalFrame(env, 64) != 0)
        return;
    jclass rewriter = methods_load_rewriter(env);
    if (rewriter) {
        if (allocated_prepare(env))
            own.allocated_bytes = allocated_bytes;
        json_t *extra = methods_prepare(&own, agent.config.metadata);
        if (methods_lacks_allocated())
            agent_print_error(
                "--counters allocated: this JVM does not report what its threads allocate: its trace has no "
                "such column");
        json_object_update(extra, (json_t *)(uintptr_t)metadata);
        if (gc_counters_prepare(json_object_get(extra, "counters")))
            json_object_set_new(extra, "gc_counters", json_true());
        if (sampler_start(&agent.config, &hooks, extra) == 0) {
            methods_rewrite_with(env, rewriter);
            vm_threads_update_all(true);
            methods_begin(extra, 0);
        }
        json_decref(extra);
    }
    (*env)->PopLocalFrame(env, NULL);
    methods_add_rewrite_ns(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun);
}

/* ---------------------------------------------------------------------------------------------------- end -- */

void methods_stop_rewriting(JNIEnv *env)
{
    static const char *const reasons[SKIPPED_COUNT] = {
        "too large for probes", "constructors that call super() in several places", "classes that can't be rewritten"};
    rewriting = true;
    /* Names that were requested but never found. */
    char *names = methods_copy_text(
        env, methods_check_result(env, (*env)->CallStaticObjectMethod(env, table.rewriter, table.missing)));
    (*env)->ExceptionClear(env);
    if (names && *names) {
        size_t count = 1;
        for (char *c = names; *c; c++)
            if (*c == '\n') {
                count++;
                *c = ' ';
            }
        sampler_report("--methods: %zu not found in the classes loaded after the JVM started: %s", count, names);
    }
    free(names);
    for (size_t i = 0; i < SKIPPED_COUNT; i++)
        if (table.skipped[i] > 0)
            sampler_report("without probes: %llu %s (%s%s)", (unsigned long long)table.skipped[i], reasons[i],
                           table.first[i], table.skipped[i] > 1 ? ", …" : "");
}

void methods_vm_death(JNIEnv *env)
{
    if (!table.rewriter)
        return;
    unprobe_stop();
    methods_mute();
    methods_stop_rewriting(env);
    vm_threads_update_all(true);
    atomic_store(&dying, true);
    methods_end();
}
