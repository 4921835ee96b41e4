/*
 * safepoint.c - the biased baseline: a thread that sleeps a fixed period and then takes the stacks of all runnable
 * threads through the JVM TI, as hprof did. A stack is taken where the thread reaches its next safepoint, not where it
 * was when the period ended: this is the bias that assay measures. "Runnable" is the JVM's term: a thread blocked in a
 * system call of native code counts (hprof's known flaw, kept).
 */
#include "base/clock.h"
#include "collect/agents/jvm/agent.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* A thread of the program; its pointer lies in the JVM TI's thread-local storage. */
struct safepoint_thread {
    uint64_t tid, first_ns, first_cpu_ns;
    enum trace_role role;
    struct trace_stream *stream;
};

static struct {
    pthread_mutex_t lock; /* held while stacks are taken, so that no thread of the list ends meanwhile */
    pthread_cond_t wake;
    pthread_t thread;
    uint64_t period_ns, sample;
    bool running, stopping;
} safepoint = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* CPU time of another thread: the kernel's encoding of a per-thread clock id (see clock_getcpuclockid(3)). */
static uint64_t safepoint_cpu_ns(uint64_t tid)
{
    return clock_ns((clockid_t)(~(uint32_t)tid << 3 | 6));
}

static struct safepoint_thread *safepoint_find_thread(jthread thread)
{
    void *data = NULL;
    (*agent.jvmti)->GetThreadLocalStorage(agent.jvmti, thread, &data);
    return data;
}

static void safepoint_sample_threads(const jthread *threads, jint count)
{
    static struct trace_raw_frame frames[TRACE_STACK_MAX];
    jvmtiEnv *jvmti = agent.jvmti;
    jvmtiStackInfo *stacks;
    if (count == 0 ||
        (*jvmti)->GetThreadListStackTraces(jvmti, count, threads, TRACE_STACK_MAX, &stacks) != JVMTI_ERROR_NONE)
        return;
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    for (jint i = 0; i < count; i++) {
        const struct safepoint_thread *thread = safepoint_find_thread(threads[i]);
        if (!thread || stacks[i].frame_count <= 0)
            continue;
        size_t depth = (size_t)stacks[i].frame_count;
        assert(depth <= TRACE_STACK_MAX);
        for (size_t k = 0; k < depth; k++) {
            jmethodID method = stacks[i].frame_buffer[k].method;
            frames[k] = (struct trace_raw_frame){method ? (uint64_t)(uintptr_t)method : PSEUDO_NO_METHOD,
                                                 stacks[i].frame_buffer[k].location};
        }
        if (depth == TRACE_STACK_MAX)
            frames[depth - 1] = (struct trace_raw_frame){PSEUDO_CUT, 0};
        uint64_t values[] = {[SAMPLE_TIME] = now_ns,
                             [SAMPLE_CPU] = safepoint_cpu_ns(thread->tid),
                             [SAMPLE_STATE] = STATE_UNKNOWN,
                             [SAMPLE_TICK] = safepoint.sample};
        trace_append_stacks(thread->stream, TRACE_SAMPLE, values, sizeof values / sizeof *values,
                            &(struct trace_stack){SAMPLE_CONTEXT, frames, depth}, 1);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
}

/* Samples the threads that the JVM calls runnable. */
static void safepoint_sample_all(JNIEnv *jni)
{
    jvmtiEnv *jvmti = agent.jvmti;
    jint count, chosen = 0;
    jthread *threads;
    if ((*jni)->PushLocalFrame(jni, 64) != 0)
        return;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++) {
            jint state = 0;
            if (safepoint_find_thread(threads[i]) &&
                (*jvmti)->GetThreadState(jvmti, threads[i], &state) == JVMTI_ERROR_NONE &&
                (state & JVMTI_THREAD_STATE_RUNNABLE) && !(state & JVMTI_THREAD_STATE_SUSPENDED))
                threads[chosen++] = threads[i];
        }
        safepoint_sample_threads(threads, chosen);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    }
    (*jni)->PopLocalFrame(jni, NULL);
}

/* Records when the thread was first and last seen, and its CPU time then. */
static void safepoint_update_thread(const struct safepoint_thread *thread)
{
    struct trace_thread_update update = {.role = thread->role,
                                         .first_ns = thread->first_ns,
                                         .first_cpu_ns = thread->first_cpu_ns,
                                         .last_ns = clock_ns(CLOCK_MONOTONIC),
                                         .last_cpu_ns = safepoint_cpu_ns(thread->tid)};
    trace_stream_update(thread->stream, &update);
}

static void *safepoint_main(void *unused)
{
    (void)unused;
    char name[] = "assay safepoint";
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, name, NULL};
    void *jni;
    agent_own_thread = true;
    if ((*agent.vm)->AttachCurrentThreadAsDaemon(agent.vm, &jni, &arguments) != JNI_OK) {
        agent_print_error("the JVM refuses to create a thread for the safepoint clock; no samples are taken");
        return NULL;
    }
    pthread_mutex_lock(&safepoint.lock);
    for (;; safepoint.sample++) {
        /* One period from now, with the lock released. */
        uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + safepoint.period_ns;
        struct timespec end = {(time_t)(end_ns / 1000000000u), (long)(end_ns % 1000000000u)};
        while (!safepoint.stopping && clock_ns(CLOCK_MONOTONIC) < end_ns)
            pthread_cond_timedwait(&safepoint.wake, &safepoint.lock, &end);
        if (safepoint.stopping)
            break;
        safepoint_sample_all(jni);
    }
    jint count;
    jthread *threads; /* alive when the clock stops */
    if ((*agent.jvmti)->GetAllThreads(agent.jvmti, &count, &threads) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++) {
            const struct safepoint_thread *thread = safepoint_find_thread(threads[i]);
            if (thread)
                safepoint_update_thread(thread);
        }
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)threads);
    }
    pthread_mutex_unlock(&safepoint.lock);
    (*agent.vm)->DetachCurrentThread(agent.vm);
    return NULL;
}

void safepoint_start(uint64_t period_ns)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&safepoint.wake, &attributes);
    pthread_condattr_destroy(&attributes);
    safepoint.period_ns = period_ns;
    safepoint.running = pthread_create(&safepoint.thread, NULL, safepoint_main, NULL) == 0;
    if (!safepoint.running)
        agent_print_error("the thread of the safepoint clock can't be created; no samples are taken");
}

/* There is no trace for threads that begin or end later. */
void safepoint_stop(void)
{
    pthread_mutex_lock(&safepoint.lock);
    safepoint.stopping = true;
    if (safepoint.running)
        pthread_cond_signal(&safepoint.wake);
    pthread_mutex_unlock(&safepoint.lock);
    if (safepoint.running)
        pthread_join(safepoint.thread, NULL);
    safepoint.running = false;
}

/* The thread gets both a stream and an entry in the JVM's thread, or neither. */
void safepoint_thread_start(jthread thread, const char *name, uint64_t tid)
{
    struct safepoint_thread *known = calloc(1, sizeof *known);
    if (!known)
        return;
    *known = (struct safepoint_thread){.tid = tid,
                                       .first_ns = clock_ns(CLOCK_MONOTONIC),
                                       .first_cpu_ns = safepoint_cpu_ns(tid),
                                       .role = threads_role(name)};
    bool added = false;
    pthread_mutex_lock(&safepoint.lock);
    if (!safepoint.stopping && !safepoint_find_thread(thread) &&
        trace_stream_open(sampler_writer(), tid, name, known->role, &known->stream) == 0) {
        safepoint_update_thread(known);
        added = (*agent.jvmti)->SetThreadLocalStorage(agent.jvmti, thread, known) == JVMTI_ERROR_NONE;
        if (!added)
            trace_stream_close(known->stream);
    }
    pthread_mutex_unlock(&safepoint.lock);
    if (!added)
        free(known);
}

void safepoint_thread_end(jthread thread)
{
    pthread_mutex_lock(&safepoint.lock);
    struct safepoint_thread *known = safepoint.stopping ? NULL : safepoint_find_thread(thread);
    if (known) {
        (*agent.jvmti)->SetThreadLocalStorage(agent.jvmti, thread, NULL);
        safepoint_update_thread(known);
        trace_stream_close(known->stream);
        free(known);
    }
    pthread_mutex_unlock(&safepoint.lock);
}
