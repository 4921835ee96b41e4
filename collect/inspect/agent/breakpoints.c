/*
 * breakpoints.c - methods as the JVM compiles them, and the breakpoints at their entries.
 */
#include "base/grow.h"
#include "base/hash.h"
#include "collect/inspect/agent/agent.h"

/* Under the agent's monitor. */
static struct {
    jmethodID *compiled; /* [compiled_count]: not looked at yet */
    size_t compiled_count, compiled_capacity;
    struct known_method {
        jmethodID id;
        struct target *target; /* NULL: it has no loops, or can't be inspected */
    } * methods;               /* [method_count + 1], by number from 1 */
    uint32_t method_count;
    size_t method_capacity;
    struct hash by_id; /* numbers */
    struct inspection *finished, **last;
} work;

static struct target *waiting; /* all that are not done */

/* ------------------------------------------------------------------------------------------ compiled methods -- */

void JNICALL breakpoints_on_compiled_method(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                                            jint maps, const jvmtiAddrLocationMap *map, const void *info)
{
    (void)size, (void)address, (void)maps, (void)map, (void)info;
    uint64_t begun = inspect_thread_ns();
    inspect_lock();
    jmethodID *grown = atomic_load(&agent.ended)
                           ? NULL
                           : grow_unset(work.compiled, &work.compiled_capacity, work.compiled_count, sizeof *grown);
    if (grown) {
        work.compiled = grown;
        grown[work.compiled_count++] = method;
    }
    if (work.compiled_count == 1)
        (*jvmti)->RawMonitorNotify(jvmti, agent.monitor);
    inspect_unlock();
    atomic_fetch_add(&agent.noting_ns, inspect_thread_ns() - begun);
}

static uint64_t breakpoints_method_key(jmethodID method)
{
    return hash_mix((uint64_t)(uintptr_t)method, 0);
}

static bool breakpoints_method_matches(const void *id, uint32_t number)
{
    return work.methods[number].id == id;
}

/* Its number; 0: it was not looked at. Under the lock. */
static uint32_t breakpoints_find_method(jmethodID id)
{
    return hash_find(&work.by_id, breakpoints_method_key(id), breakpoints_method_matches, id);
}

void breakpoints_read_compiled(JNIEnv *env)
{
    for (;;) {
        inspect_lock();
        jmethodID id = work.compiled_count > 0 ? work.compiled[--work.compiled_count] : NULL;
        bool known = id && breakpoints_find_method(id) != 0; /* it was compiled again */
        inspect_unlock();
        if (!id)
            return;
        if (known)
            continue;
        struct target *target = target_read(env, id);
        if (target) {
            target->next = waiting;
            waiting = target;
        }
        inspect_lock();
        struct known_method *grown =
            grow_unset(work.methods, &work.method_capacity, work.method_count + 1, sizeof *grown);
        if (grown) {
            work.methods = grown;
            grown[work.method_count + 1] = (struct known_method){id, target};
            if (hash_add(&work.by_id, breakpoints_method_key(id), work.method_count + 1) == 0)
                work.method_count++;
        }
        inspect_unlock();
    }
}

/* ------------------------------------------------------------------------------------------ breakpoints -- */

/*
 * A method with a breakpoint is not compiled. A thread that is in it already, perhaps in a loop that never ends, would
 * stay in the interpreter, so the breakpoint is taken back soon, and set again later; where no thread is in the method
 * it waits for the next entry, at no cost. A breakpoint keeps the class of its method alive, and all that its loader
 * has loaded. In a class that may be unloaded it does not stay for long either.
 */
enum { ARMED_MS = BREAKPOINTS_ARMED_MS, HELD_MS = 100, TRIES_MAX = 3, FRAMES_MAX = 65536, THREADS = 16384 };

static bool breakpoints_set(JNIEnv *env, struct target *target, bool set)
{
    jclass class = NULL; /* keeps the method alive */
    bool good = (*agent.jvmti)->GetMethodDeclaringClass(agent.jvmti, target->id, &class) == JVMTI_ERROR_NONE &&
                (set ? (*agent.jvmti)->SetBreakpoint(agent.jvmti, target->id, 0)
                     : (*agent.jvmti)->ClearBreakpoint(agent.jvmti, target->id, 0)) == JVMTI_ERROR_NONE;
    (*env)->DeleteLocalRef(env, class);
    return good;
}

/* Whether this thread may move the target to another state. */
static bool breakpoints_move_target(struct target *target, enum target_state from, enum target_state to)
{
    return !atomic_load(&agent.ended) && atomic_compare_exchange_strong(&target->state, &from, to);
}

static void breakpoints_finish_target(struct target *target)
{
    inspect_add_count(target->entries > 0    ? COUNT_INSPECTED
                      : target->given_up > 0 ? COUNT_COLLECTED
                                             : COUNT_NOT_ENTERED);
    atomic_store(&target->state, TARGET_DONE);
}

/* Takes the breakpoint back, if the target still is in that state. */
static void breakpoints_disarm_target(JNIEnv *env, struct target *target, enum target_state from, uint64_t now_ns)
{
    if (!breakpoints_move_target(target, from, TARGET_TAKEN))
        return;
    breakpoints_set(env, target, false);
    target->next_ns = now_ns + ((uint64_t)ARMED_MS * 1000000 << 3 * ++target->tries);
    if (target->tries < TRIES_MAX)
        atomic_store(&target->state, TARGET_WAITING);
    else
        breakpoints_finish_target(target);
}

/* Those that were armed before, and are still, either have no thread in them, or are disarmed. */
void breakpoints_decide_armed(JNIEnv *env, uint64_t now_ns)
{
    jvmtiStackInfo *stacks = NULL;
    jint count = 0;
    struct target *first = waiting;
    for (struct target *target = waiting; target; target = target->next)
        breakpoints_move_target(target, TARGET_ENTERED, TARGET_ARMED); /* only here, so the stacks below are later */
    while (first && first->state != TARGET_ARMED)
        first = first->next;
    if (!first || (*env)->PushLocalFrame(env, THREADS) != 0)
        return;
    if ((*agent.jvmti)->GetAllStackTraces(agent.jvmti, FRAMES_MAX, &stacks, &count) != JVMTI_ERROR_NONE)
        first = NULL;
    for (struct target *target = first; target; target = target->next) {
        if (target->state != TARGET_ARMED)
            continue;
        bool is_on_stack = false;
        for (jint i = 0; i < count && !is_on_stack; i++)
            for (jint frame = 0; frame < stacks[i].frame_count && !is_on_stack; frame++)
                is_on_stack = stacks[i].frame_buffer[frame].method == target->id;
        if (is_on_stack) {
            breakpoints_disarm_target(env, target, TARGET_ARMED, now_ns);
            continue;
        }
        target->until_ns = now_ns + (uint64_t)HELD_MS * 1000000;
        target->collections = atomic_load(&agent.collections_begun);
        /* Fails if a thread has entered the method since: that one has moved the target to another state. */
        breakpoints_move_target(target, TARGET_ARMED, TARGET_DECIDED);
    }
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)stacks);
    (*env)->PopLocalFrame(env, NULL);
}

/* Returns whether some wait for their turn, or to be decided. Drops those that are done. */
bool breakpoints_arm_waiting(JNIEnv *env, uint64_t now_ns)
{
    bool any = false;
    for (struct target **at = &waiting; *at;) {
        struct target *target = *at;
        if (target->state == TARGET_WAITING && target->next_ns <= now_ns &&
            breakpoints_move_target(target, TARGET_WAITING, TARGET_ARMED) && !breakpoints_set(env, target, true) &&
            breakpoints_move_target(target, TARGET_ARMED, TARGET_TAKEN))
            breakpoints_finish_target(target);
        if (target->unloadable && target->state == TARGET_DECIDED &&
            (target->until_ns <= now_ns || target->collections != atomic_load(&agent.collections_begun)))
            breakpoints_disarm_target(env, target, TARGET_DECIDED, now_ns);
        enum target_state state = target->state;
        any |= state == TARGET_WAITING || state == TARGET_ARMED || state == TARGET_ENTERED ||
               (state == TARGET_DECIDED && target->unloadable);
        if (target->state == TARGET_DONE) {
            *at = target->next;
            target_release(env, target);
        } else {
            at = &target->next;
        }
    }
    return any;
}

/* ------------------------------------------------------------------------------------------ inspections -- */

enum { COLLECTIONS_MAX = 3 };

static void breakpoints_inspect_entry(JNIEnv *env, struct target *target)
{
    struct inspection *inspection = hit_inspect(env, target);
    if (inspection) {
        target->entries++;
        target->given_up = 0;
        inspect_add_count(COUNT_INSPECTIONS);
        for (uint32_t loop = 0; loop < inspection->method->code.flow->loop_count; loop++)
            inspect_add_count(COUNT_ENDS + inspection->records[loop].end);
        /* Hands an inspection to the agent's thread. */
        inspect_lock();
        if (!work.finished) {
            work.last = &work.finished;
            (*agent.jvmti)->RawMonitorNotify(agent.jvmti, agent.monitor);
        }
        *work.last = inspection;
        work.last = &inspection->next;
        inspect_unlock();
    } else {
        target->given_up++;
        inspect_add_count(COUNT_GIVEN_UP);
    }
    if (target->entries < agent.entries && target->given_up < COLLECTIONS_MAX) {
        atomic_store(&target->state, TARGET_ENTERED);
        return;
    }
    breakpoints_set(env, target, false);
    breakpoints_finish_target(target);
}

void JNICALL breakpoints_on_breakpoint(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method, jlocation at)
{
    (void)jvmti, (void)thread, (void)at;
    uint64_t begun = inspect_thread_ns();
    inspect_lock();
    uint32_t number = breakpoints_find_method(method);
    struct target *target = number ? work.methods[number].target : NULL;
    inspect_unlock();
    if (target && (breakpoints_move_target(target, TARGET_DECIDED, TARGET_TAKEN) ||
                   breakpoints_move_target(target, TARGET_ARMED, TARGET_TAKEN) ||
                   breakpoints_move_target(target, TARGET_ENTERED, TARGET_TAKEN)))
        breakpoints_inspect_entry(env, target);
    atomic_fetch_add(&agent.interpreting_ns, inspect_thread_ns() - begun);
}

/* ------------------------------------------------------------------------------------------ the agent's thread -- */

bool breakpoints_has_work(void)
{
    return work.compiled_count > 0 || work.finished;
}

struct inspection *breakpoints_take_finished(void)
{
    inspect_lock();
    struct inspection *inspection = work.finished;
    work.finished = NULL;
    inspect_unlock();
    return inspection;
}

void breakpoints_finish(void)
{
    for (struct target *target = waiting; target; target = target->next)
        if (target->state != TARGET_DONE && target->state != TARGET_TAKEN) /* its breakpoint was not met, or not set */
            breakpoints_finish_target(target);
}
