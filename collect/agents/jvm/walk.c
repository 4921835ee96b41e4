/*
 * walk.c - takes a stack in the handler of the clocks' signal.
 *
 * Java frames come from HotSpot's AsyncGetCallTrace, which walks from any program counter (not from safepoints). It
 * reports only Java frames; what runs above them follows from the interrupted program counter.
 */
#include "collect/agents/jvm/agent.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

/* The thread-specific key under which HotSpot keeps its own Thread: set exactly in the threads that it knows. */
static pthread_key_t walk_key;
static atomic_bool walk_key_known;

/*
 * JavaVM::GetEnv would distinguish Java threads from others, but in a thread that the JVM has never seen it may
 * allocate thread-local memory, which a signal handler must not. A JNIEnv lies inside its Thread: find the key that
 * holds an address a little below it.
 */
void walk_find_key(JNIEnv *env)
{
    enum { THREAD_BYTES_MAX = 8192 };
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        uintptr_t value = (uintptr_t)pthread_getspecific(key);
        if (value && value <= (uintptr_t)env && (uintptr_t)env - value < THREAD_BYTES_MAX) {
            walk_key = key;
            atomic_store(&walk_key_known, true);
            return;
        }
    }
    agent_print_error("the JVM's thread key was not found; Java threads will have no stacks");
}

static void *walk_jvm_thread(void)
{
    return atomic_load(&walk_key_known) ? pthread_getspecific(walk_key) : NULL;
}

/* What runs above the Java frames, by the program counter: a frame to put on top, or 0. */
static uint64_t walk_leaf(enum code_kind kind, bool native_method, enum trace_state *state)
{
    static const enum trace_state states[] = {[CODE_OTHER] = STATE_NATIVE,
                                              [CODE_COMPILED] = STATE_COMPILED,
                                              [CODE_STUB] = STATE_STUB,
                                              [CODE_INTERPRETER] = STATE_INTERPRETED,
                                              [CODE_LIBJVM] = STATE_RUNTIME};
    *state = states[kind];
    if (native_method || codemap_is_generated(kind))
        return PSEUDO_NONE;
    return kind == CODE_LIBJVM ? PSEUDO_RUNTIME : PSEUDO_NATIVE;
}

/* A thread without Java frames, by its name; else by its program counter. */
static uint64_t walk_thread_leaf(enum trace_state *state)
{
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    switch (threads_role(name)) {
    case ROLE_JIT:
        *state = STATE_JIT;
        return PSEUDO_JIT;
    case ROLE_GC:
        *state = STATE_GC;
        return PSEUDO_GC;
    case ROLE_VM:
        /* With the serial collector the VM thread itself collects, and with the others it leads the pause. */
        *state = atomic_load(&agent.gc_running) && strcmp(name, "VM Thread") == 0 ? STATE_GC : STATE_VM;
        return *state == STATE_GC ? PSEUDO_GC : PSEUDO_VM;
    default:
        return PSEUDO_NONE;
    }
}

static uint64_t walk_leaf_without_java(enum code_kind kind, enum trace_state *state)
{
    uint64_t leaf = walk_thread_leaf(state);
    if (leaf)
        return leaf;
    leaf = walk_leaf(kind, false, state);
    if (atomic_load(&agent.phase) == PHASE_LOADING)
        return PSEUDO_STARTING;
    return leaf ? leaf : PSEUDO_STUB;
}

/* AsyncGetCallTrace gave an error code < 0. */
static uint64_t walk_failure_leaf(int code, enum trace_state *state)
{
    static const enum pseudo reasons[] = {[1] = PSEUDO_NO_CLASS_LOAD,
                                          [2] = PSEUDO_GC_ACTIVE,
                                          [3] = PSEUDO_UNKNOWN_NOT_JAVA,
                                          [4] = PSEUDO_NOT_WALKABLE_NOT_JAVA,
                                          [5] = PSEUDO_UNKNOWN_JAVA,
                                          [6] = PSEUDO_NOT_WALKABLE_JAVA,
                                          [7] = PSEUDO_UNKNOWN_STATE,
                                          [8] = PSEUDO_THREAD_EXIT,
                                          [9] = PSEUDO_DEOPT,
                                          [10] = PSEUDO_SAFEPOINT};
    uint64_t leaf = walk_thread_leaf(state);
    if (leaf)
        return leaf;
    *state = code == WALK_THREAD_EXIT ? STATE_RUNTIME : STATE_UNWALKABLE;
    if (code == WALK_FAULT)
        return PSEUDO_FAULT;
    return code >= -10 && code < 0 ? reasons[-code] : PSEUDO_OTHER;
}

static size_t walk_put_single(struct trace_raw_frame *frames, uint64_t code)
{
    walk_set_frame(&frames[0], code, 0);
    return 1;
}

/* The stack is walked into frames[1…]; what runs above it is put on top. */
static size_t walk_java_stack(JNIEnv *env, void *ucontext, struct trace_raw_frame *frames, size_t max,
                              enum code_kind kind, enum trace_state *state)
{
    bool leaving = recover_is_leaving(ucontext, kind); /* where a wrong stack would come without an error */
    struct recover_result found = {.count = leaving ? WALK_UNKNOWN_JAVA
                                                    : call_trace_walk(env, ucontext, frames + 1, max - 1)};
    int code = found.count;
    if (code < 0 || (code == 0 && codemap_is_generated(kind)))
        found = recover_walk(code, env, walk_jvm_thread(), ucontext, frames + 1, max - 1);
    if (found.count <= 0 && found.leaf.code >= PSEUDO_COUNT) {
        /* What runs is known, but not its caller: its position in the tree says so. */
        frames[0] = found.leaf;
        walk_set_frame(&frames[1], walk_failure_leaf(code, state), 0);
        walk_leaf(kind, false, state);
        return 2;
    }
    if (found.count <= 0)
        return walk_put_single(frames, code < 0 && !found.no_java ? walk_failure_leaf(code, state)
                                                                  : walk_leaf_without_java(kind, state));
    size_t count = call_trace_convert(frames + 1, (size_t)found.count, max - 1);
    uint64_t above = walk_leaf(kind, frames[1].position == CALL_TRACE_NATIVE, state);
    if (!found.leaf.code)
        found.leaf.code = above;
    if (kind == CODE_INTERPRETER && !found.leaf.code)
        recover_set_bytecode_index(ucontext, &frames[1]);
    if (found.leaf.code) {
        frames[0] = found.leaf;
        return count + 1;
    }
    memmove(frames, frames + 1, count * sizeof *frames);
    return count;
}

size_t walk_jvm_stack(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state)
{
    enum code_kind kind = codemap_kind(recover_pc(ucontext));
    void *env = NULL; /* NULL in a thread that is not (yet, or no longer) a Java thread */
    if (walk_jvm_thread() && (*agent.vm)->GetEnv(agent.vm, &env, JNI_VERSION_1_6) != JNI_OK)
        env = NULL;
    if (env && max >= 3)
        return walk_java_stack(env, ucontext, frames, max, kind, state);
    return walk_put_single(frames, walk_leaf_without_java(kind, state));
}
