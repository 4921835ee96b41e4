/*
 * describe.c - names of raw frames, requested by the trace's writer in its own thread.
 *
 * That thread joins the JVM as a daemon when it meets its first jmethodID; before the JVM is live it meets none. A
 * method's names and line table are requested once. A method that was sampled but not described before its class was
 * unloaded has no name.
 */
#include "collect/agents/jvm/agent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct describe_method {
    uint64_t id; /* the jmethodID; 0: free slot */
    char *class_name, *name, *signature, *file;
    jvmtiLineNumberEntry *lines;
    jint line_count;
    bool hidden, known;
};

/* Open addressing, at most half full. The writer's thread alone touches it. */
static struct {
    struct describe_method *slots;
    size_t size, used;
} describe_table;

static JNIEnv *describe_env;
static bool describe_refused;

static const char *const describe_pseudo[] = {
#define PSEUDO_TEXT(id, text) [id] = text,
    PSEUDO_FRAMES(PSEUDO_TEXT)
#undef PSEUDO_TEXT
};

static struct describe_method *describe_find_slot(uint64_t id)
{
    assert(id != 0 && (describe_table.size & (describe_table.size - 1)) == 0);
    size_t i = (size_t)(id * 0x9E3779B97F4A7C15u >> 20) & (describe_table.size - 1);
    while (describe_table.slots[i].id && describe_table.slots[i].id != id)
        i = (i + 1) & (describe_table.size - 1);
    return &describe_table.slots[i];
}

static bool describe_grow_table(void)
{
    size_t old_size = describe_table.size, size = old_size ? 2 * old_size : 1024;
    struct describe_method *old = describe_table.slots, *slots = calloc(size, sizeof *slots);
    if (!slots)
        return false;
    describe_table.slots = slots;
    describe_table.size = size;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i].id)
            *describe_find_slot(old[i].id) = old[i];
    }
    free(old);
    return true;
}

/* A copy of a string of the JVM TI's, which is freed. */
static char *describe_copy_text(char *text)
{
    char *copy = strdup(text ? text : "");
    if (text)
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)text);
    return copy;
}

/*
 * "Ljava/util/Map$Entry;" → "java.util.Map$Entry". A hidden class (lambdas, method handles) is "LMain$$Lambda.0x7f12;":
 * its address differs from run to run and is dropped; the number of a lambda before it is kept.
 */
static char *describe_convert_class_name(char *signature, bool *hidden)
{
    char *name = describe_copy_text(signature);
    size_t length = name ? strlen(name) : 0;
    if (length < 2)
        return name;
    char *address = strstr(name, ".0x");
    *hidden = address != NULL;
    size_t end = address ? (size_t)(address - name) : length - 1;
    memmove(name, name + 1, end - 1);
    name[end - 1] = '\0';
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '.' : *c;
    return name;
}

static bool describe_attach_thread(void)
{
    if (describe_env)
        return true;
    if (describe_refused || atomic_load(&agent.phase) != PHASE_LIVE)
        return false;
    char name[] = "assay writer";
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, name, NULL};
    void *env = NULL;
    agent_own_thread = true;
    describe_refused = (*agent.vm)->AttachCurrentThreadAsDaemon(agent.vm, &env, &arguments) != JNI_OK;
    describe_env = describe_refused ? NULL : env;
    return describe_env != NULL;
}

/* The description of a method, which is requested the first time; NULL without memory or a JVM. */
static struct describe_method *describe_find_method(uint64_t code)
{
    if (2 * (describe_table.used + 1) > describe_table.size && !describe_grow_table())
        return NULL;
    assert(2 * (describe_table.used + 1) <= describe_table.size);
    struct describe_method *method = describe_find_slot(code);
    if (method->id)
        return method;
    if (!describe_attach_thread())
        return NULL;
    method->id = code;
    describe_table.used++;
    jvmtiEnv *jvmti = agent.jvmti;
    jmethodID id = (jmethodID)(uintptr_t)code; /* NOLINT: a raw frame holds it */
    jclass class = NULL;
    char *name = NULL, *signature = NULL, *class_signature = NULL, *file = NULL;
    if ((*describe_env)->PushLocalFrame(describe_env, 8) != 0)
        return method;
    /* The declaring class is requested first: the reference to it keeps the method alive for the rest. */
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, id, &class) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetMethodName(jvmti, id, &name, &signature, NULL) == JVMTI_ERROR_NONE) {
        (*jvmti)->GetClassSignature(jvmti, class, &class_signature, NULL);
        (*jvmti)->GetSourceFileName(jvmti, class, &file);
        method->class_name = describe_convert_class_name(class_signature, &method->hidden);
        method->file = describe_copy_text(file);
        method->name = describe_copy_text(name);
        method->signature = describe_copy_text(signature);
        if ((*jvmti)->GetLineNumberTable(jvmti, id, &method->line_count, &method->lines) != JVMTI_ERROR_NONE)
            method->line_count = 0;
        method->known = method->class_name && method->name && method->signature && method->file;
    }
    (*describe_env)->PopLocalFrame(describe_env, NULL);
    return method;
}

bool describe_frame(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    (void)user;
    *text = (struct trace_frame_text){.class_name = "", .method = "", .signature = "", .file = ""};
    text->position = frame->position;
    if (frame->code < PSEUDO_COUNT) {
        text->method = describe_pseudo[frame->code];
        text->method_key = frame->code;
        return text->method != NULL;
    }
    const struct describe_method *method = describe_find_method(frame->code);
    if (!method)
        return false;
    if (!method->known) {
        text->method = "[unloaded method]";
        return true;
    }
    text->class_name = method->class_name;
    text->method = method->name;
    text->signature = method->signature;
    text->file = method->file;
    /* The line of the last entry at or before this bytecode index; tables need not be sorted. */
    int64_t bci = frame->position;
    jlocation best = -1;
    jint line = 0;
    for (jint i = 0; i < method->line_count; i++) {
        const jvmtiLineNumberEntry *entry = &method->lines[i];
        if (entry->start_location <= bci && entry->start_location > best) {
            best = entry->start_location;
            line = entry->line_number;
        }
    }
    text->line = line > 0 ? (uint64_t)line : 0;
    text->method_key = method->hidden ? 0 : frame->code; /* hidden classes share their shortened names */
    return true;
}

void describe_detach_thread(void *user)
{
    (void)user;
    if (describe_env)
        (*agent.vm)->DetachCurrentThread(agent.vm);
    describe_env = NULL;
}

void describe_prepare_class(jvmtiEnv *jvmti, jclass class)
{
    jint count;
    jmethodID *methods;
    if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods) == JVMTI_ERROR_NONE)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

void describe_prepare_loaded(jvmtiEnv *jvmti, JNIEnv *jni)
{
    jint count;
    jclass *classes;
    if ((*jni)->PushLocalFrame(jni, 8) != 0)
        return;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            describe_prepare_class(jvmti, classes[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    }
    (*jni)->PopLocalFrame(jni, NULL);
}
