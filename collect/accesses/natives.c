/*
 * natives.c - what the classes in runtime/ ask of the agent (AssayOutput.java). The JVM looks for native methods of its
 * own classes in the libraries of agents, too, by their names.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/accesses/agent.h"
#include "collect/accesses/raw_output.h"

#define NATIVE(type, name, ...)                                                                                        \
    JNIEXPORT type JNICALL Java_java_lang_AssayOutput_##name(JNIEnv *env, jclass class __VA_OPT__(, ) __VA_ARGS__);    \
    JNIEXPORT type JNICALL Java_java_lang_AssayOutput_##name(JNIEnv *env, jclass class __VA_OPT__(, ) __VA_ARGS__)

NATIVE(void, references, jint size)
{
    (void)env, (void)class;
    raw_output_references((uint32_t)size);
}

NATIVE(jint, thread)
{
    (void)class;
    jvmtiThreadInfo info = {0};
    jthread self;
    bool known = (*agent.jvmti)->GetCurrentThread(agent.jvmti, &self) == JVMTI_ERROR_NONE &&
                 (*agent.jvmti)->GetThreadInfo(agent.jvmti, self, &info) == JVMTI_ERROR_NONE;
    uint32_t number = raw_output_thread((uint32_t)syscall(SYS_gettid), known ? info.name : NULL);
    if (known) {
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)info.name);
        (*env)->DeleteLocalRef(env, info.thread_group);
        (*env)->DeleteLocalRef(env, info.context_class_loader);
        (*env)->DeleteLocalRef(env, self);
    }
    return (jint)number;
}

NATIVE(jint, handles, jint thread, jint count)
{
    (void)env, (void)class;
    return (jint)raw_output_handles((uint32_t)thread, (uint32_t)count);
}

NATIVE(jint, node, jint thread, jint parent, jint parent_method, jint site, jint method, jint first_handle,
       jboolean cut)
{
    (void)env, (void)class;
    const struct raw_output_node made = {(uint32_t)thread,
                                         (uint32_t)parent,
                                         (uint32_t)parent_method,
                                         (uint32_t)site,
                                         (uint32_t)method,
                                         (uint32_t)first_handle,
                                         cut};
    return (jint)raw_output_node(&made);
}

NATIVE(jboolean, pair, jint thread, jint first, jint second, jlong events, jlong silent, jlong dead)
{
    (void)env, (void)class;
    return raw_output_pair((uint32_t)thread, (uint32_t)first, (uint32_t)second, (uint64_t)events, (uint64_t)silent,
                           (uint64_t)dead);
}

NATIVE(void, alone, jint thread, jlongArray counts)
{
    (void)class;
    jlong copy[16] = {0};
    (*env)->GetLongArrayRegion(env, counts, 0, 16, copy);
    raw_output_alone((uint32_t)thread, (const uint64_t *)copy);
}

NATIVE(void, ended, jint thread)
{
    (void)env, (void)class;
    raw_output_ended((uint32_t)thread);
}

NATIVE(void, flush)
{
    (void)env, (void)class;
    raw_output_flush();
}

NATIVE(void, lost, jlong reused, jlong lumped)
{
    (void)env, (void)class;
    raw_output_lost((uint64_t)reused, (uint64_t)lumped);
}

NATIVE(void, burst, jlongArray sums)
{
    (void)class;
    jlong copy[RAW_OUTPUT_SUMS] = {0};
    (*env)->GetLongArrayRegion(env, sums, 0, RAW_OUTPUT_SUMS, copy);
    raw_output_add_burst((const uint64_t *)copy);
}

NATIVE(jint, stack, jintArray frames)
{
    (void)class;
    enum { FRAME_INTS = sizeof(struct stack_frame) / sizeof(jint) };
    size_t most = (size_t)(*env)->GetArrayLength(env, frames) / FRAME_INTS;
    struct stack_frame *found = calloc(most, sizeof *found);
    size_t count = found ? stack_find(env, found, most) : 0;
    if (count)
        (*env)->SetIntArrayRegion(env, frames, 0, (jsize)(count * FRAME_INTS), (const jint *)found);
    free(found);
    return (jint)count;
}

NATIVE(jint, field, jint reference)
{
    (void)class;
    return (jint)statics_field(env, (uint32_t)reference);
}
