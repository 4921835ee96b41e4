/*
 * agent.c - the JVM TI agent of assay inject: one method gets work as its class loads, and its calls are counted.
 *
 * Loaded with -agentpath together with other agents; configured by INJECT_ENVIRONMENT, without which it does nothing.
 * It uses only class file hooks: no event that would make the compilers record more about their code, since that would
 * improve the profilers under test. It writes REPORT/PID.json when the JVM ends.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/replace.h"
#include "base/clock.h"
#include "base/json_file.h"
#include "collect/inject/jvm/classfile.h"
#include "collect/agents/jvm/role.h"
#include "collect/record/inject_environment.h"

/* For the agent's copy of Jansson, as in collect/sample/config.c. */
extern FILE *__wrap_stdin __attribute__((visibility("hidden")));
FILE *__wrap_stdin;

static struct {
    jvmtiEnv *jvmti;
    json_t *settings;
    char *class_name;      /* com/acme/Engine */
    char *class_signature; /* Lcom/acme/Engine; */
    struct classfile_work work;
    uint64_t start_ns;
} agent;

/* The result. Classes load in any thread. */
static struct {
    pthread_mutex_t lock;
    uint32_t classes; /* classes of that name, in any loader */
    uint32_t methods, bytes_before, bytes_after;
    enum classfile_status failure;
    uint64_t start_java_ns; /* CPU time of the Java threads before the program's first class; 0: not yet */
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------------------------------------------------ classes -- */

/* CPU time of the Java threads, including the time before there were any: none is lost when a thread ends. It is the
 * process's time without that of the JVM's own threads: compilers, collectors and the like. */
static uint64_t inject_agent_java_cpu_ns(uint64_t process_ns)
{
    uint64_t own_ns = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        char path[64], name[17] = "";
        snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "re") : NULL;
        if (!file)
            continue;
        if (fgets(name, sizeof name, file))
            name[strcspn(name, "\n")] = '\0';
        fclose(file);
        /* The id that pthread_getcpuclockid() forms from a thread's number. */
        if (*name && threads_role(name) != ROLE_JAVA)
            own_ns += clock_ns((clockid_t)(~strtoul(entry->d_name, NULL, 10) << 3 | 6));
    }
    if (tasks)
        closedir(tasks);
    return process_ns > own_ns ? process_ns - own_ns : 0;
}

static void JNICALL inject_agent_on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                               const char *name, jobject domain, jint length,
                                               const unsigned char *bytes, jint *new_length, unsigned char **new_bytes)
{
    (void)env, (void)redefined, (void)domain;
    if (loader && __atomic_load_n(&found.start_java_ns, __ATOMIC_RELAXED) == 0) {
        /* The first class that the boot loader does not load is the program's: everything before is the start of the
         * JVM, and of profilers that it starts itself. */
        pthread_mutex_lock(&found.lock);
        if (found.start_java_ns == 0)
            found.start_java_ns = inject_agent_java_cpu_ns(clock_ns(CLOCK_PROCESS_CPUTIME_ID));
        pthread_mutex_unlock(&found.lock);
    }
    if (!name || strcmp(name, agent.class_name) != 0)
        return;
    struct classfile_result result = {0};
    enum classfile_status status = classfile_inject(bytes, (size_t)length, &agent.work, &result);
    if (!status && result.bytes) {
        if ((*jvmti)->Allocate(jvmti, (jlong)result.size, new_bytes) == JVMTI_ERROR_NONE) {
            memcpy(*new_bytes, result.bytes, result.size);
            *new_length = (jint)result.size;
        } else {
            status = CLASSFILE_NO_MEMORY;
        }
    }
    free(result.bytes);
    pthread_mutex_lock(&found.lock);
    found.classes++;
    if (status) {
        found.failure = status;
    } else {
        found.methods += result.methods;
        if (result.bytes_before >= found.bytes_before) {
            found.bytes_before = result.bytes_before;
            found.bytes_after = result.bytes_after;
        }
    }
    pthread_mutex_unlock(&found.lock);
}

/* ------------------------------------------------------------------------------------------- report -- */

static jlong inject_agent_class_calls(JNIEnv *env, jclass class)
{
    jfieldID *fields = NULL;
    jint count = 0, status = 0;
    jlong calls = 0;
    (*agent.jvmti)->GetClassStatus(agent.jvmti, class, &status);
    if (!(status & JVMTI_CLASS_STATUS_INITIALIZED) ||
        (*agent.jvmti)->GetClassFields(agent.jvmti, class, &count, &fields) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        char *name = NULL;
        if ((*agent.jvmti)->GetFieldName(agent.jvmti, class, fields[i], &name, NULL, NULL) != JVMTI_ERROR_NONE)
            continue;
        if (strcmp(name, WORK_CALLS) == 0)
            calls = (*env)->GetStaticLongField(env, class, fields[i]);
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)name);
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)fields);
    return calls;
}

static jlong inject_agent_count_calls(JNIEnv *env)
{
    jclass *classes = NULL;
    jint count = 0;
    jlong calls = 0;
    if (agent.work.amount == 0 || (*agent.jvmti)->GetLoadedClasses(agent.jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return 0;
    /* The references exist already: this keeps -Xcheck:jni from warning of their number. */
    if ((*env)->EnsureLocalCapacity(env, count) != 0)
        (*env)->ExceptionClear(env);
    for (jint i = 0; i < count; i++) {
        char *signature = NULL;
        if ((*agent.jvmti)->GetClassSignature(agent.jvmti, classes[i], &signature, NULL) == JVMTI_ERROR_NONE) {
            if (strcmp(signature, agent.class_signature) == 0)
                calls += inject_agent_class_calls(env, classes[i]);
            (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)signature);
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)classes);
    return calls;
}

static void JNICALL inject_agent_on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    char path[4096];
    const char *directory = json_string_value(json_object_get(agent.settings, "report"));
    uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC) - agent.start_ns;
    uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t java_ns = inject_agent_java_cpu_ns(cpu_ns);
    jlong calls = inject_agent_count_calls(env);
    pthread_mutex_lock(&found.lock);
    json_t *report = json_pack("{s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I}", "classes", (int)found.classes,
                               "methods", (int)found.methods, "bytes_before", (int)found.bytes_before, "bytes_after",
                               (int)found.bytes_after, "failure", (int)found.failure, "calls", (json_int_t)calls,
                               "wall_ns", (json_int_t)wall_ns, "cpu_ns", (json_int_t)cpu_ns, "java_cpu_ns",
                               (json_int_t)java_ns, "start_java_ns", (json_int_t)found.start_java_ns);
    if (report && found.failure)
        json_object_set_new(report, "why", json_string(classfile_why(found.failure)));
    pthread_mutex_unlock(&found.lock);
    snprintf(path, sizeof path, "%s/%d.json", directory, (int)getpid());
    int fd = replace_create(path, 0666);
    int error = fd < 0 ? errno : report ? json_file_write(fd, report, JSON_COMPACT) : ENOMEM;
    if (fd >= 0 && close(fd) != 0)
        error = errno;
    if (error)
        fprintf(stderr, "assay inject: %s can't be written; this JVM's calls are not counted\n", path);
    json_decref(report);
}

/* ------------------------------------------------------------------------------------------ beginning -- */

/* com.acme.Engine.run or com.acme.Engine.run(I)V. False without memory or without a class. */
static bool inject_agent_read_method(const char *name)
{
    static char text[8192];
    if (!name || (size_t)snprintf(text, sizeof text, "%s", name) >= sizeof text)
        return false;
    char *descriptor = strchr(text, '(');
    agent.work.descriptor = descriptor ? strdup(descriptor) : NULL;
    if (descriptor)
        *descriptor = '\0';
    char *dot = strrchr(text, '.');
    if (!dot || dot == text)
        return false;
    *dot = '\0';
    agent.work.method = dot + 1;
    agent.class_name = text;
    for (char *c = text; *c; c++)
        if (*c == '.')
            *c = '/';
    return asprintf(&agent.class_signature, "L%s;", text) > 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    static const jvmtiEvent events[] = {JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_VM_DEATH};
    agent.start_ns = clock_ns(CLOCK_MONOTONIC);
    const char *text = getenv(INJECT_ENVIRONMENT);
    agent.settings = text ? json_loads(text, 0, NULL) : NULL;
    const char *work = json_string_value(json_object_get(agent.settings, "work"));
    agent.work.kind = work && strcmp(work, "alloc") == 0   ? WORK_ALLOC
                      : work && strcmp(work, "array") == 0 ? WORK_ARRAY
                                                           : WORK_FIB;
    agent.work.amount = (uint32_t)json_integer_value(json_object_get(agent.settings, "amount"));
    if (!agent.settings || !json_is_string(json_object_get(agent.settings, "report")) ||
        !inject_agent_read_method(json_string_value(json_object_get(agent.settings, "method"))) ||
        (*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_9) != JNI_OK)
        return JNI_OK;
    jvmtiCapabilities wanted = {.can_generate_all_class_hook_events = 1,
                                .can_generate_early_class_hook_events = (strncmp(agent.class_name, "java/", 5) == 0 ||
                                                                         strncmp(agent.class_name, "jdk/", 4) == 0 ||
                                                                         strncmp(agent.class_name, "sun/", 4) == 0)};
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = inject_agent_on_class_file, .VMDeath = inject_agent_on_death};
    bool ready = (*agent.jvmti)->AddCapabilities(agent.jvmti, &wanted) == JVMTI_ERROR_NONE &&
                 (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE;
    for (size_t i = 0; ready && i < sizeof events / sizeof *events; i++)
        ready =
            (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, events[i], NULL) == JVMTI_ERROR_NONE;
    if (!ready)
        fprintf(stderr, "assay inject: this JVM does not let agents rewrite its classes; no work is injected\n");
    return JNI_OK;
}
