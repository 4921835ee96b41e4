/*
 * bursts.c - when a burst begins, counts and ends. A burst ends after so many accesses, which its code counts. Code
 * without probes counts nothing, so a gap is so much CPU time of the process: as long as its accesses take, at a
 * SLOWDOWN-th of the least time that those of a burst have taken so far. After a burst that took long, since the JIT
 * compilers had not compiled its code yet, the gap is at least GAP_LEAST times as long.
 *
 * A first burst begins with the program, and all of it counts, since nothing comes before. It is all that there is of a
 * short program; as soon as another one is complete it is dropped, for it did not begin at a random point. Mode memory,
 * which can't drop what it has handed over, begins with a gap.
 */
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/raw_output.h"
#include "collect/bursts/length.h"
#include "collect/exact/tool/state/raw.h"

/* By probes, roughly: whole programs take 7.8 to 24 times as long (docs/measurements/waste-java.md). The intervals of
 * bursts do not depend on it, but how many bursts there are does. */
static const double SLOWDOWN = 13;
static const double GAP_LEAST = 2;
static const double NS_LEAST = 0.1, NS = 2; /* of an access without probes: at least, and before the first burst */
enum { POLL_MS = 1, STEADY_MS = 3 };

static struct {
    jclass class;
    jmethodID begin, middle, end, drain, seen, set_aside, drop_aside;
    jint handles_left, handles_used; /* for bursts from the last one on; by the one before it */
    bool counting;                   /* what is to be written, if the JVM ends */
    bool aside;                      /* the first burst is kept */
    bool found;                      /* the methods above */
    double ns;                       /* of an access without probes */
    double last;                     /* CPU time of the last burst: ns */
    bool unflushed;
    uint64_t flushed;
} bursts = {.ns = NS};

/* An exception, which only a lack of memory can be, is shown. */
static void bursts_show_exception(JNIEnv *env)
{
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionDescribe(env);
}

static void bursts_call_runtime(JNIEnv *env, jmethodID method)
{
    (*env)->CallStaticVoidMethod(env, bursts.class, method);
    bursts_show_exception(env);
}

/* False: there are no handles left. */
static bool bursts_begin_burst(JNIEnv *env)
{
    jint left = (*env)->CallStaticIntMethod(env, bursts.class, bursts.begin);
    bursts_show_exception(env);
    bursts.handles_used = bursts.handles_left > left ? bursts.handles_left - left : 0;
    bursts.handles_left = left;
    return left > 0;
}

/* The accesses of all threads in this burst. */
static uint64_t bursts_count_accesses(JNIEnv *env)
{
    jlong count = (*env)->CallStaticLongMethod(env, bursts.class, bursts.seen);
    bursts_show_exception(env);
    return (uint64_t)count;
}

/* Waits for CPU time of the process. Handles last for ever, as the gaps get longer when fewer are left. False: the JVM
 * ends. */
static bool bursts_wait_for_gap(void)
{
    static const uint64_t FLUSH_NS = 1000000000;
    double gap = (double)burst_length_gap() * bursts.ns, least = GAP_LEAST * bursts.last;
    double so_far = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    double sparing = so_far * bursts.handles_used / (bursts.handles_left + 1.0);
    gap = gap > least ? gap : least;
    uint64_t ns = (uint64_t)(gap > sparing ? gap : sparing), begun = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begun < ns) {
        if (!accesses_pause(POLL_MS))
            return false;
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (bursts.unflushed && now - bursts.flushed >= FLUSH_NS) {
            raw_output_flush();
            bursts.flushed = now;
            bursts.unflushed = false;
        }
    }
    return true;
}

static bool bursts_wait_for_accesses(JNIEnv *env, uint64_t count)
{
    while (bursts_count_accesses(env) < count)
        if (!accesses_pause(POLL_MS))
            return false;
    return true;
}

static void bursts_learn_length(const struct raw_burst *burst)
{
    burst_length_learn(burst->waste, burst->bytes, burst->wasted_bytes, burst->unseen_bytes);
}

static bool bursts_run_first_burst(JNIEnv *env)
{
    if (!bursts_wait_for_accesses(env, burst_length_first() + burst_length_second()))
        return false;
    bursts_call_runtime(env, bursts.end);
    bursts.aside = true;
    bursts.counting = false;
    if (!accesses_pause(STEADY_MS))
        return false;
    bursts_call_runtime(env, bursts.set_aside);
    return true;
}

static bool bursts_run_burst(JNIEnv *env)
{
    uint64_t begun = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (!bursts_wait_for_accesses(env, burst_length_first()))
        return false;
    bursts.counting = true;
    bursts_call_runtime(env, bursts.middle);
    uint64_t before = bursts_count_accesses(env); /* more than the first half was to have */
    if (!bursts_wait_for_accesses(env, before + burst_length_second()))
        return false;
    uint64_t accesses = bursts_count_accesses(env);
    bursts.last = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begun);
    double ns = bursts.last / (double)accesses / SLOWDOWN;
    bursts.ns = ns > bursts.ns ? bursts.ns : ns < NS_LEAST ? NS_LEAST : ns;
    /* A thread that a burst's end has met between two steps of an access is given time to finish it. */
    bursts_call_runtime(env, bursts.end);
    if (!accesses_pause(STEADY_MS))
        return false;
    bursts_call_runtime(env, bursts.drain);
    if (__atomic_exchange_n(&bursts.counting, false, __ATOMIC_SEQ_CST))
        raw_output_end_burst(bursts_learn_length);
    if (bursts.aside)
        bursts_call_runtime(env, bursts.drop_aside);
    bursts.aside = false;
    bursts.unflushed = true;
    return true;
}

void bursts_begin(JNIEnv *env)
{
    uint64_t seed = clock_ns(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)getpid();
    jclass class = (*env)->FindClass(env, "java/lang/AssayBursts");
    if (class) {
        bursts.class = (*env)->NewGlobalRef(env, class);
        bursts.begin = (*env)->GetStaticMethodID(env, class, "begin", "()I");
        bursts.middle = (*env)->GetStaticMethodID(env, class, "middle", "()V");
        bursts.end = (*env)->GetStaticMethodID(env, class, "end", "()V");
        bursts.drain = (*env)->GetStaticMethodID(env, class, "drain", "()V");
        bursts.seen = (*env)->GetStaticMethodID(env, class, "seen", "()J");
        bursts.set_aside = (*env)->GetStaticMethodID(env, class, "setAside", "()V");
        bursts.drop_aside = (*env)->GetStaticMethodID(env, class, "dropAside", "()V");
    }
    if (!bursts.set_aside || !bursts.drop_aside || !bursts.class || !bursts.begin || !bursts.middle || !bursts.end ||
        !bursts.drain || !bursts.seen) {
        (*env)->ExceptionDescribe(env);
        accesses_print("there are no bursts: this JVM is not recorded");
        return;
    }
    burst_length_init(&(struct burst_lengths){agent.burst_on, agent.burst_off, agent.burst_auto, seed});
    bursts.found = true;
    if (agent.memory)
        return;
    bursts_begin_burst(env);
    bursts_call_runtime(env, bursts.middle);
    bursts.counting = true;
}

void bursts_run(JNIEnv *env)
{
    bool goes_on = bursts.found && (agent.memory || bursts_run_first_burst(env));
    while (goes_on)
        goes_on = bursts_wait_for_gap() && bursts_begin_burst(env) && bursts_run_burst(env);
}

void bursts_end(void)
{
    if (__atomic_exchange_n(&bursts.counting, false, __ATOMIC_SEQ_CST) || bursts.aside)
        raw_output_end_burst(bursts_learn_length);
}
