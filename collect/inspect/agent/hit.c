/*
 * hit.c - the inspection of one entry of a method, in the thread that enters it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/inspect/agent/agent.h"

/* ------------------------------------------------------------------------------------------ arguments -- */

/* The variable's value; unknown if the JVM does not give it. */
static struct value hit_read_local(struct living *living, jint slot, char type)
{
    jvmtiEnv *jvmti = agent.jvmti;
    enum value_kind kind = value_kind_of(type);
    struct value value = value_of(kind, 0);
    jvalue got = {.j = 0};
    bool good = false;
    switch (kind) {
    case VALUE_INT:
        good = (*jvmti)->GetLocalInt(jvmti, NULL, 0, slot, &got.i) == JVMTI_ERROR_NONE;
        value.bits = (uint32_t)got.i;
        break;
    case VALUE_LONG:
        good = (*jvmti)->GetLocalLong(jvmti, NULL, 0, slot, &got.j) == JVMTI_ERROR_NONE;
        value.bits = (uint64_t)got.j;
        break;
    case VALUE_FLOAT:
        good = (*jvmti)->GetLocalFloat(jvmti, NULL, 0, slot, &got.f) == JVMTI_ERROR_NONE;
        memcpy(&value.bits, &got.f, sizeof got.f);
        break;
    case VALUE_DOUBLE:
        good = (*jvmti)->GetLocalDouble(jvmti, NULL, 0, slot, &got.d) == JVMTI_ERROR_NONE;
        memcpy(&value.bits, &got.d, sizeof got.d);
        break;
    default:
        good = (*jvmti)->GetLocalObject(jvmti, NULL, 0, slot, &got.l) == JVMTI_ERROR_NONE;
        bool null = !got.l;
        value.bits = living_number(living, got.l);
        good = good && (null || value.bits);
        break;
    }
    return good ? value : value_unknown(kind);
}

/* ------------------------------------------------------------------------------------------ the record -- */

/* Counts the loads from the heap whose value is at their address, and the others. */
struct verified {
    uint64_t same, other;
};

/* Whether what was loaded is at its address. */
static struct verified hit_verify_loads(const struct inspection *inspection)
{
    struct verified verified = {0, 0};
    for (uint32_t loop = 0; loop < inspection->method->code.flow->loop_count; loop++)
        for (size_t i = 0; i < inspection->records[loop].event_count; i++) {
            const struct interpreter_event *event = &inspection->records[loop].events[i];
            if (event->loop || !event->living)
                continue;
            /* Bytes and shorts were extended to ints. */
            uint64_t value, mask = event->bytes < 8 ? (UINT64_C(1) << 8 * event->bytes) - 1 : UINT64_MAX;
            bool same = placement_read(event->address, event->bytes, event->reference, &value) &&
                        (event->reference ? value == event->value : ((value ^ event->value) & mask) == 0);
            verified.same += same;
            verified.other += !same;
        }
    return verified;
}

/* ------------------------------------------------------------------------------------------ an entry -- */

static bool hit_inspect_loops(struct inspection *inspection, struct living *living, const struct target *target,
                              const struct heap *heap)
{
    struct value *locals = calloc(target->method.code.local_count + 1, sizeof *locals);
    if (!locals)
        return false;
    /* The method's object and its parameters, in the order of its descriptor. */
    uint32_t slot = 0, count = target->method.code.local_count;
    for (uint32_t i = 0; i < count; i++)
        locals[i] = value_unknown(VALUE_NONE);
    if (!target->is_static && slot < count)
        locals[slot++] = hit_read_local(living, 0, 'L');
    for (const char *at = target->descriptor + 1; *at && *at != ')' && slot < count; at++) {
        char type = *at;
        at += strspn(at, "[");
        if (*at == 'L')
            at = strchr(at, ';');
        locals[slot] = hit_read_local(living, (jint)slot, type);
        slot += 1 + value_is_wide(value_kind_of(type));
    }
    inspection_run(inspection, heap, locals, (uint32_t)agent.iterations);
    free(locals);
    return true;
}

/*
 * Objects move only after the event of a collection's (or, of concurrent collectors, a pause's) beginning, and a thread
 * sees each at one address between two of them. The first local reference is made after the number of these has been
 * read, and none is used if it is another one at the end. While the world is stopped none can be made.
 */
struct inspection *hit_inspect(JNIEnv *env, const struct target *target)
{
    struct heap heap;
    jvmtiThreadInfo info = {.name = NULL};
    bool named = (*agent.jvmti)->GetThreadInfo(agent.jvmti, NULL, &info) == JVMTI_ERROR_NONE && info.name;
    struct inspection *inspection = inspection_new(&target->method, (uint32_t)gettid(), named ? info.name : "");
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)info.name);
    struct living *living = inspection ? living_begin(env, target, &heap) : NULL;
    if (!living) {
        inspection_free(inspection);
        return NULL;
    }
    struct verified verified = {0, 0};
    uint64_t begun = atomic_load(&agent.collections_begun);
    bool good = hit_inspect_loops(inspection, living, target, &heap);
    if (good && agent.verify)
        verified = hit_verify_loads(inspection);
    good = good && begun == atomic_load(&agent.collections_begun);
    living_end(living);
    if (!good) {
        inspection_free(inspection);
        return NULL;
    }
    atomic_fetch_add(&agent.counts[COUNT_SAME], verified.same);
    atomic_fetch_add(&agent.counts[COUNT_OTHER], verified.other);
    return inspection;
}
