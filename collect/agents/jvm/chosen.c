/*
 * chosen.c - mode calls: of the calls of methods with probes some are chosen at random (collect/calls/chooser.h), with
 * the whole stack of Java frames as their context. The clocks run as in mode cpu.
 *
 * A collection that stops the program is not the method's time: what an instance took excludes it, and the counter
 * wall-ns includes it. A method that is left by an exception has ended like one that returns.
 */
#include "collect/agents/jvm/agent.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

_Static_assert(sizeof(jvmtiFrameInfo) == sizeof(struct trace_raw_frame), "frames have the same size");

static jclass virtual_thread;          /* the class of threads that change carriers; NULL: this JVM has none */
static _Atomic uint64_t virtual_calls; /* calls of theirs that were to be chosen */
static atomic_bool dying;

/* ------------------------------------------------------------------------------------------------ the probe -- */

/* A call may be chosen, or the thread has chosen none yet. */
static jint chosen_decide(JNIEnv *env) __attribute__((noinline));
static jint chosen_decide(JNIEnv *env)
{
    if (!chooser_self && (agent_own_thread || methods_is_rewriting()))
        return (jint)CHOOSER_PASSED;
    allocated_set_env(env);
    return (jint)chooser_enter(&(struct chooser_call){.probe = env});
}

JNIEXPORT jint Java_java_lang_AssayChooser_enter(JNIEnv *env, jclass class, jint method);
JNIEXPORT jint Java_java_lang_AssayChooser_enter(JNIEnv *env, jclass class, jint method)
{
    (void)class, (void)method;
    return chooser_passes() ? (jint)CHOOSER_PASSED : chosen_decide(env);
}

JNIEXPORT void Java_java_lang_AssayChooser_leave(JNIEnv *env, jclass class, jint number);
JNIEXPORT void Java_java_lang_AssayChooser_leave(JNIEnv *env, jclass class, jint number)
{
    (void)env, (void)class;
    chooser_leave((uint32_t)number);
}

/* ------------------------------------------------------------------------------------------------ the host -- */

/* chooser_host.walk: the innermost frame is the probe's. Counters belong to the carrier of a virtual thread, which may
 * leave the method on another one. */
static size_t chosen_walk_stack(const struct chooser_call *call, struct trace_raw_frame *frames, size_t max)
{
    jvmtiFrameInfo *java = (jvmtiFrameInfo *)(void *)frames;
    JNIEnv *env = call->probe;
    jthread thread;
    jint count = 0;
    if (virtual_thread && (*agent.jvmti)->GetCurrentThread(agent.jvmti, &thread) == JVMTI_ERROR_NONE) {
        bool is_virtual = (*env)->IsInstanceOf(env, thread, virtual_thread);
        (*env)->DeleteLocalRef(env, thread);
        if (is_virtual) {
            atomic_fetch_add(&virtual_calls, 1);
            return 0;
        }
    }
    if ((*agent.jvmti)->GetStackTrace(agent.jvmti, NULL, 1, (jint)max, java, &count) != JVMTI_ERROR_NONE || count <= 0)
        return 0;
    for (jint i = 0; i < count; i++) {
        jvmtiFrameInfo frame;
        memcpy(&frame, &frames[i], sizeof frame);
        walk_set_frame(&frames[i], (uint64_t)(uintptr_t)frame.method,
                       frame.location < 0 ? CALL_TRACE_NATIVE : frame.location);
    }
    if ((size_t)count == max)
        walk_set_frame(&frames[max - 1], PSEUDO_CUT, 0);
    return (size_t)count;
}

static void chosen_on_cycle(void *user)
{
    static bool reported;
    (void)user;
    chooser_renew();
    if (atomic_load(&dying) && !reported) {
        reported = true;
        perfdata_write(methods_rewrite_ns());
    }
}

/* ---------------------------------------------------------------------------------------- beginning and end -- */

void chosen_vm_live(JNIEnv *env, struct sampler_hooks *hooks, json_t *metadata)
{
    const struct chooser_host host = {.stream = sampler_thread_stream,
                                      .walk = chosen_walk_stack,
                                      .pairs = methods_run_probe_pairs,
                                      .warm_up_ns = 20000000,
                                      .seed = sampler_seed};
    uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if ((*env)->PushLocalFrame(env, 64) != 0)
        return;
    jclass rewriter = methods_load_rewriter(env);
    if (rewriter) {
        jclass found = (*env)->FindClass(env, "java/lang/BaseVirtualThread");
        (*env)->ExceptionClear(env);
        virtual_thread = found ? (*env)->NewGlobalRef(env, found) : NULL;
        meter_host.stopped = agent_stopped_ns;
        meter_host.allocated = allocated_prepare(env) ? allocated_bytes : NULL;
        json_t *calls = json_copy(json_object_get(agent.config.metadata, "calls"));
        json_t *counters = meter_prepare(json_object_get(calls, "counters"));
        json_t *cost = chooser_prepare(&host);
        json_object_set_new(calls, "engine", json_string("hooks"));
        json_object_set_new(metadata, "calls", calls);
        json_object_set_new(metadata, "counters", counters);
        json_object_set_new(metadata, "probe", cost);
        hooks->on_cycle = chosen_on_cycle;
        hooks->tick_begins = chooser_tick_begins;
        hooks->tick_ends = chooser_tick_ends;
        if (sampler_start(&agent.config, hooks, metadata) == 0)
            methods_rewrite_with(env, rewriter);
    }
    (*env)->PopLocalFrame(env, NULL);
    methods_add_rewrite_ns(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun);
}

void chosen_begin_thread(JNIEnv *env)
{
    allocated_set_env(env);
    if (!agent_own_thread)
        chooser_begin_thread();
}

void chosen_vm_death(JNIEnv *env)
{
    uint64_t unmeasured = atomic_load(&virtual_calls);
    if (!chooser_stop()) {
        sampler_keep_streams();
        agent_print_error("a thread was still recording a call when the JVM ended: it may be lost");
    }
    methods_stop_rewriting(env);
    if (unmeasured > 0)
        sampler_report(
            "%llu calls of virtual threads were to be chosen, and are not measured: such threads move between "
            "those that counters belong to",
            (unsigned long long)unmeasured);
    atomic_store(&dying, true);
}
