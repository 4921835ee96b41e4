/*
 * allocated.c - bytes that the calling thread has allocated, as from ThreadMXBean.getThreadAllocatedBytes(), at the
 * cost of four loads: HotSpot's sum over the thread's earlier allocation buffers, plus the used part of the current
 * one.
 */
#include "collect/agents/jvm/agent.h"

#include <string.h>

static struct {
    ptrdiff_t thread; /* from a JNIEnv to the JavaThread around it */
    long sum, start, top;
} layout;
static _Thread_local char *self __attribute__((tls_model("initial-exec")));

bool allocated_prepare(JNIEnv *env)
{
    jclass thread_class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID current =
        thread_class ? (*env)->GetStaticMethodID(env, thread_class, "currentThread", "()Ljava/lang/Thread;") : NULL;
    jfieldID pointer = current ? (*env)->GetFieldID(env, thread_class, "eetop", "J") : NULL;
    jobject thread = pointer ? (*env)->CallStaticObjectMethod(env, thread_class, current) : NULL;
    bool threw = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    uintptr_t address = thread && !threw ? (uintptr_t)(*env)->GetLongField(env, thread, pointer) : 0;
    long buffer = vmstructs_offset("Thread", "_tlab");
    layout.sum = vmstructs_offset("Thread", "_allocated_bytes");
    layout.start = vmstructs_offset("ThreadLocalAllocBuffer", "_start");
    layout.top = vmstructs_offset("ThreadLocalAllocBuffer", "_top");
    if (!address || buffer < 0 || layout.sum < 0 || layout.start < 0 || layout.top < 0)
        return false;
    layout.start += buffer;
    layout.top += buffer;
    layout.thread = (ptrdiff_t)(address - (uintptr_t)env);
    self = (char *)env + layout.thread;
    return true;
}

void allocated_set_env(JNIEnv *env)
{
    self = (char *)env + layout.thread;
}

static uint64_t allocated_word(long offset)
{
    uint64_t word;
    memcpy(&word, self + offset, sizeof word);
    return word;
}

uint64_t allocated_bytes(void)
{
    return self ? allocated_word(layout.sum) + allocated_word(layout.top) - allocated_word(layout.start) : 0;
}
