/*
 * target.c - a method that the JVM has compiled, read so that it can be interpreted: in the agent's thread.
 */
#include <stdlib.h>
#include <string.h>

#include "collect/inspect/agent/agent.h"
#include "collect/inspect/interpret/bytecode.h"

enum { METHOD_STATIC = 0x8 };

/* ------------------------------------------------------------------------------------------ texts -- */

/* A copy of a string of the JVM TI's, which is freed; NULL without memory. */
static char *target_copy_text(char *text)
{
    char *copy = strdup(text ? text : "");
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)text);
    return copy;
}

/* "Ljava/util/Map$Entry;" becomes "java.util.Map$Entry". The address in the name of a hidden class,
 * "LMain$$Lambda.0x7f12;", is left out. */
static bool target_read_texts(struct target *target, jclass class)
{
    jvmtiEnv *jvmti = agent.jvmti;
    char *signature = NULL, *name = NULL, *descriptor = NULL, *file = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetMethodName(jvmti, target->id, &name, &descriptor, NULL) != JVMTI_ERROR_NONE)
        return false;
    if ((*jvmti)->GetSourceFileName(jvmti, class, &file) != JVMTI_ERROR_NONE)
        file = NULL;
    char *class_name = target_copy_text(signature), *address = class_name ? strstr(class_name, ".0x") : NULL;
    size_t length = class_name ? strlen(class_name) : 0;
    if (length >= 2) {
        size_t end = address ? (size_t)(address - class_name) : length - 1;
        memmove(class_name, class_name + 1, end - 1);
        class_name[end - 1] = '\0';
        for (char *c = class_name; *c; c++)
            *c = *c == '/' ? '.' : *c;
    }
    target->class_name = class_name;
    target->name = target_copy_text(name);
    target->descriptor = target_copy_text(descriptor);
    target->file = target_copy_text(file);
    return target->class_name && target->name && target->descriptor && target->file;
}

/* ------------------------------------------------------------------------------------------ code -- */

/* Whether it jumps backwards: a loop is not there without that. */
static bool target_may_loop(const unsigned char *code, uint32_t bytes)
{
    struct bytecode instruction;
    for (uint32_t at = 0; bytecode_decode(code, bytes, at, &instruction); at = instruction.next) {
        if ((bytecode_is_branch(&instruction) || bytecode_is_goto(&instruction)) && instruction.operand <= (int32_t)at)
            return true;
        for (uint32_t i = 0; bytecode_is_switch(&instruction) && i < bytecode_switch_targets(code, &instruction); i++)
            if (bytecode_switch_target(code, &instruction, i) <= at)
                return true;
    }
    return false;
}

/* False: it has no loop, or `unreadable` is true. */
static bool target_read_code(struct target *target, bool *unreadable)
{
    jvmtiEnv *jvmti = agent.jvmti;
    jint bytes = 0, locals = 0;
    if ((*jvmti)->GetBytecodes(jvmti, target->id, &bytes, &target->code) != JVMTI_ERROR_NONE ||
        !target_may_loop(target->code, (uint32_t)bytes))
        return false;
    enum flow_status status = flow_find(&target->flow, target->code, (size_t)bytes);
    *unreadable = status != FLOW_FOUND || (*jvmti)->GetMaxLocals(jvmti, target->id, &locals) != JVMTI_ERROR_NONE;
    target->method.code = (struct interpreter_method){.code = target->code,
                                                      .bytes = (uint32_t)bytes,
                                                      .local_count = (uint32_t)locals,
                                                      .flow = &target->flow,
                                                      .constants = &target->constants};
    return !*unreadable && target->flow.loop_count > 0;
}

/* ------------------------------------------------------------------------------------------ resolving -- */

/* The class of a method, and what loads the classes that it names. */
struct context {
    JNIEnv *env;
    jclass class;
    jobject loader;
    const char *signature;
};

/* A local reference, or NULL. */
static jclass target_find_class(const struct context *context, const struct constants_text *name)
{
    bool own = name->text && name->length + 2 == strlen(context->signature) &&
               strncmp(context->signature + 1, name->text, name->length) == 0;
    return own ? (*context->env)->NewLocalRef(context->env, context->class)
               : names_find_class(context->env, name, context->loader);
}

static void target_resolve_code(struct target *target, const struct context *context)
{
    JNIEnv *env = context->env;
    for (uint32_t b = 0; b < target->flow.block_count; b++) {
        struct bytecode instruction;
        for (uint32_t at = target->flow.blocks[b].begin;
             at < target->flow.blocks[b].end &&
             bytecode_decode(target->code, target->method.code.bytes, at, &instruction);
             at = instruction.next) {
            uint32_t constant = (uint32_t)instruction.operand;
            struct constants_member member;
            jclass class = NULL;
            if (instruction.code < OP_GETSTATIC || constant >= target->constants.count)
                continue;
            if (instruction.code <= OP_PUTFIELD) {
                bool is_static = instruction.code == OP_GETSTATIC || instruction.code == OP_PUTSTATIC;
                if (!target->fields[constant].owner && constants_member(&target->constants, constant, &member))
                    class = target_find_class(context, &member.owner);
                if (class)
                    names_find_field(env, class, &member, is_static, &target->fields[constant]);
            } else if (instruction.code == OP_CHECKCAST || instruction.code == OP_INSTANCEOF) {
                struct constants_text name = constants_class(&target->constants, constant);
                if (!target->classes[constant] && name.text)
                    class = target_find_class(context, &name);
                if (class)
                    target->classes[constant] = (*env)->NewWeakGlobalRef(env, class);
            }
            if (class)
                (*env)->DeleteLocalRef(env, class);
        }
    }
}

static bool target_resolve_all(JNIEnv *env, struct target *target, jclass class)
{
    static const char LOADERS[] = "Ljdk/internal/loader/ClassLoaders$";
    jvmtiEnv *jvmti = agent.jvmti;
    struct context context = {.env = env, .class = class};
    char *signature = NULL;
    bool good = (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE &&
                (*jvmti)->GetClassLoader(jvmti, class, &context.loader) == JVMTI_ERROR_NONE;
    context.signature = signature;
    if (good) {
        /* It may be unloaded if a class loader other than the JVM's own three has it, or if it is hidden. */
        bool built_in = !context.loader;
        jclass own = context.loader ? (*env)->GetObjectClass(env, context.loader) : NULL;
        if (own) {
            char *name = NULL;
            built_in = (*jvmti)->GetClassSignature(jvmti, own, &name, NULL) == JVMTI_ERROR_NONE &&
                       strncmp(name, LOADERS, sizeof LOADERS - 1) == 0;
            (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        }
        target->unloadable = !built_in || strchr(signature, '.');
        target_resolve_code(target, &context);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return good;
}

/* ------------------------------------------------------------------------------------------ a method -- */

/* What a method with loops needs besides its code. */
static bool target_read_rest(JNIEnv *env, struct target *target, jclass class)
{
    jvmtiEnv *jvmti = agent.jvmti;
    jint modifiers = 0, count = 0, bytes = 0;
    if ((*jvmti)->GetMethodModifiers(jvmti, target->id, &modifiers) != JVMTI_ERROR_NONE)
        return false;
    target->is_static = modifiers & METHOD_STATIC;
    if (!target_read_texts(target, class) ||
        (*jvmti)->GetConstantPool(jvmti, class, &count, &bytes, &target->pool) != JVMTI_ERROR_NONE ||
        !constants_parse(&target->constants, (uint32_t)count, target->pool, (size_t)bytes))
        return false;
    target->fields = calloc((size_t)count + 1, sizeof *target->fields);
    target->classes = calloc((size_t)count + 1, sizeof *target->classes);
    if (!target->fields || !target->classes || !target_resolve_all(env, target, class))
        return false;
    target->method.class_name = target->class_name;
    target->method.name = target->name;
    target->method.descriptor = target->descriptor;
    target->method.file = target->file;
    /* Without memory, or if the class file has none, the lines are unknown. */
    jvmtiLineNumberEntry *entries = NULL;
    if ((*jvmti)->GetLineNumberTable(jvmti, target->id, &count, &entries) == JVMTI_ERROR_NONE) {
        target->lines = calloc((size_t)count + 1, sizeof *target->lines);
        for (jint i = 0; target->lines && i < count; i++)
            target->lines[i] =
                (struct inspection_line){(uint32_t)entries[i].start_location, (uint32_t)entries[i].line_number};
        target->method.lines = target->lines;
        target->method.line_count = target->lines ? (uint32_t)count : 0;
        (*jvmti)->Deallocate(jvmti, (unsigned char *)entries);
    }
    return true;
}

struct target *target_read(JNIEnv *env, jmethodID id)
{
    struct target *target = calloc(1, sizeof *target);
    if (!target || (*env)->PushLocalFrame(env, 64) != 0) {
        free(target);
        return NULL;
    }
    target->id = id;
    /* The declaring class is requested first: the reference to it keeps the method alive for the rest. */
    jclass class = NULL;
    bool unreadable = false;
    bool good = (*agent.jvmti)->GetMethodDeclaringClass(agent.jvmti, id, &class) == JVMTI_ERROR_NONE &&
                (target_read_code(target, &unreadable) || unreadable);
    if (good) {
        inspect_add_count(COUNT_COMPILED);
        bool too_many =
            !unreadable &&
            atomic_load(&agent.counts[COUNT_COMPILED]) - atomic_load(&agent.counts[COUNT_UNREADABLE]) > agent.methods;
        good = !unreadable && !too_many && target_read_rest(env, target, class);
        if (!good)
            inspect_add_count(too_many ? COUNT_TOO_MANY : COUNT_UNREADABLE);
    }
    (*env)->PopLocalFrame(env, NULL);
    if (good)
        return target;
    target_free(env, target);
    return NULL;
}

void target_release(JNIEnv *env, struct target *target)
{
    for (uint32_t i = 0; target->fields && target->classes && i < target->constants.count; i++) {
        (*env)->DeleteWeakGlobalRef(env, target->fields[i].owner);
        (*env)->DeleteWeakGlobalRef(env, target->classes[i]);
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, target->code);
    (*agent.jvmti)->Deallocate(agent.jvmti, target->pool);
    constants_free(&target->constants);
    free(target->fields);
    free(target->classes);
    target->code = target->pool = NULL;
    target->fields = NULL;
    target->classes = NULL;
}

void target_free(JNIEnv *env, struct target *target)
{
    target_release(env, target);
    flow_free(&target->flow);
    free(target->lines);
    free(target->class_name);
    free(target->name);
    free(target->descriptor);
    free(target->file);
    free(target);
}
