/*
 * natives.c - what the classes in runtime/ ask of the agent (AssayOutput.java). The JVM finds the first function by its
 * name, in the libraries of agents. It runs Java code for that, which has probes, so the others are registered.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/rewrite/addresses.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"
#include "collect/rewrite/raw_output.h"
#include "collect/rewrite/ring_output.h"

#define NATIVE(type, name, ...) static type JNICALL native_##name(JNIEnv *env, jclass class __VA_OPT__(, ) __VA_ARGS__)

NATIVE(void, references, jint size)
{
    (void)env, (void)class;
    raw_output_set_reference_size((uint32_t)size);
    ring_output_set_reference_size((uint32_t)size);
}

NATIVE(jint, thread)
{
    (void)class;
    jvmtiThreadInfo info = {0};
    jthread self;
    bool known = (*agent.jvmti)->GetCurrentThread(agent.jvmti, &self) == JVMTI_ERROR_NONE &&
                 (*agent.jvmti)->GetThreadInfo(agent.jvmti, self, &info) == JVMTI_ERROR_NONE;
    uint32_t number = raw_output_define_thread((uint32_t)syscall(SYS_gettid), known ? info.name : NULL);
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
    return (jint)raw_output_reserve_handles((uint32_t)thread, (uint32_t)count);
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
    return (jint)raw_output_define_node(&made);
}

NATIVE(jlong, mark, jint thread, jint parent, jint parent_method, jint site, jint method, jboolean cut)
{
    (void)env, (void)class;
    const struct raw_output_node made = {
        (uint32_t)thread, (uint32_t)parent, (uint32_t)parent_method, (uint32_t)site, (uint32_t)method, 0, cut};
    return (jlong)ring_output_define_node(&made);
}

NATIVE(void, words, jlongArray words, jint from, jint count)
{
    (void)class;
    ring_output_append(env, words, from, count);
}

NATIVE(jlong, address, jint fact)
{
    (void)env, (void)class;
    return (jlong)addresses_fact((enum addresses_fact)fact);
}

NATIVE(jlong, offset, jint reference)
{
    (void)class;
    return layout_offset(env, (uint32_t)reference);
}

NATIVE(jclass, owner, jint reference)
{
    (void)class;
    jfieldID id;
    bool is_static;
    return statics_declaring_class(env, (uint32_t)reference, &id, &is_static);
}

NATIVE(void, object, jint handle, jint node, jint method)
{
    (void)env, (void)class;
    raw_output_define_object((uint32_t)handle, (uint32_t)node, (uint32_t)method);
}

NATIVE(jboolean, pair, jint thread, jint first, jint second, jint object, jint scope, jlong events, jlong silent,
       jlong other)
{
    (void)env, (void)class;
    const struct raw_output_pair counted = {(uint32_t)thread, (uint32_t)first,  (uint32_t)second, object,
                                            (uint32_t)scope,  (uint64_t)events, (uint64_t)silent, (uint64_t)other};
    return raw_output_add_pair(&counted);
}

NATIVE(jintArray, loops, jint number)
{
    (void)class;
    struct method method;
    if (!methods_at((uint32_t)number, &method))
        return NULL;
    uint32_t count = 0, loops = method.loop_count, accesses = method.access_count, calls = method.call_count;
    jint *numbers = malloc((3 + (size_t)loops + accesses + calls) * sizeof *numbers);
    for (uint32_t i = 0; numbers && i < 3; i++)
        numbers[count++] = (jint)(i == 0 ? loops : i == 1 ? accesses : calls);
    for (uint32_t i = 0; numbers && i < loops; i++)
        numbers[count++] = (jint)(method.loops[i] >> LOOP_AROUND_SHIFT & UINT16_MAX);
    for (uint32_t i = 0; numbers && i < accesses; i++)
        numbers[count++] = (jint)(method.accesses[i] >> ACCESS_LOOP_SHIFT & UINT16_MAX);
    for (uint32_t i = 0; numbers && i < calls; i++)
        numbers[count++] = (jint)method.around_calls[i];
    jintArray made = numbers ? (*env)->NewIntArray(env, (jsize)count) : NULL;
    if (made)
        (*env)->SetIntArrayRegion(env, made, 0, (jsize)count, numbers);
    free(numbers);
    return made;
}

NATIVE(void, alone, jint thread, jlongArray counts)
{
    (void)class;
    jlong copy[16] = {0};
    (*env)->GetLongArrayRegion(env, counts, 0, 16, copy);
    raw_output_add_unpaired((uint32_t)thread, (const uint64_t *)copy);
}

NATIVE(void, ended, jint thread)
{
    (void)env, (void)class;
    raw_output_release_thread((uint32_t)thread);
}

NATIVE(void, flush)
{
    (void)env, (void)class;
    raw_output_flush();
}

NATIVE(void, lost, jlong reused, jlong lumped, jlong scopes)
{
    (void)env, (void)class;
    raw_output_add_lost((uint64_t)reused, (uint64_t)lumped, (uint64_t)scopes);
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
    bool all = true;
    size_t count = found ? stack_find_frames(env, found, most, &all) : 0;
    if (count)
        (*env)->SetIntArrayRegion(env, frames, 0, (jsize)(count * FRAME_INTS), (const jint *)found);
    free(found);
    return all ? (jint)count : ~(jint)count;
}

NATIVE(jint, field, jint reference)
{
    (void)class;
    return (jint)statics_field_number(env, (uint32_t)reference);
}

NATIVE(void, elsewhere, jlong bytes)
{
    (void)env, (void)class;
    raw_output_add_elsewhere((uint64_t)bytes);
}

NATIVE(jlong, constant, jstring name)
{
    (void)class;
    const char *chars = (*env)->GetStringUTFChars(env, name, NULL);
    jlong value = chars ? layout_constant(env, chars) : -1;
    if (chars)
        (*env)->ReleaseStringUTFChars(env, name, chars);
    return value;
}

NATIVE(jlongArray, layout, jclass owner)
{
    (void)class;
    return layout_describe_class(env, owner);
}

JNIEXPORT void JNICALL Java_java_lang_AssayOutput_register(JNIEnv *env, jclass class);
JNIEXPORT void JNICALL Java_java_lang_AssayOutput_register(JNIEnv *env, jclass class)
{
    JNINativeMethod methods[] = {{(char[]){"references"}, (char[]){"(I)V"}, (void *)native_references},
                                 {(char[]){"thread"}, (char[]){"()I"}, (void *)native_thread},
                                 {(char[]){"handles"}, (char[]){"(II)I"}, (void *)native_handles},
                                 {(char[]){"node"}, (char[]){"(IIIIIIZ)I"}, (void *)native_node},
                                 {(char[]){"object"}, (char[]){"(III)V"}, (void *)native_object},
                                 {(char[]){"pair"}, (char[]){"(IIIIIJJJ)Z"}, (void *)native_pair},
                                 {(char[]){"loops"}, (char[]){"(I)[I"}, (void *)native_loops},
                                 {(char[]){"mark"}, (char[]){"(IIIIIZ)J"}, (void *)native_mark},
                                 {(char[]){"words"}, (char[]){"([JII)V"}, (void *)native_words},
                                 {(char[]){"address"}, (char[]){"(I)J"}, (void *)native_address},
                                 {(char[]){"offset"}, (char[]){"(I)J"}, (void *)native_offset},
                                 {(char[]){"owner"}, (char[]){"(I)Ljava/lang/Class;"}, (void *)native_owner},
                                 {(char[]){"alone"}, (char[]){"(I[J)V"}, (void *)native_alone},
                                 {(char[]){"ended"}, (char[]){"(I)V"}, (void *)native_ended},
                                 {(char[]){"flush"}, (char[]){"()V"}, (void *)native_flush},
                                 {(char[]){"lost"}, (char[]){"(JJJ)V"}, (void *)native_lost},
                                 {(char[]){"burst"}, (char[]){"([J)V"}, (void *)native_burst},
                                 {(char[]){"stack"}, (char[]){"([I)I"}, (void *)native_stack},
                                 {(char[]){"field"}, (char[]){"(I)I"}, (void *)native_field},
                                 {(char[]){"elsewhere"}, (char[]){"(J)V"}, (void *)native_elsewhere},
                                 {(char[]){"constant"}, (char[]){"(Ljava/lang/String;)J"}, (void *)native_constant},
                                 {(char[]){"layout"}, (char[]){"(Ljava/lang/Class;)[J"}, (void *)native_layout}};
    (*env)->RegisterNatives(env, class, methods, sizeof methods / sizeof *methods);
}
