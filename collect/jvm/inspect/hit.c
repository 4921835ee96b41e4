/*
 * hit.c - the inspection of one entry of a method, in the thread that enters it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/jvm/inspect/agent.h"

/* ------------------------------------------------------------------------------------------ arguments -- */

/* The variable's value; unknown if the JVM does not tell. */
static struct value read_local(struct living *living, jint slot, char type)
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

/* The method's object and its parameters, in the order of its descriptor. */
static void read_arguments(struct living *living, const struct target *target, struct value *locals)
{
    uint32_t slot = 0, count = target->method.local_count;
    for (uint32_t i = 0; i < count; i++)
        locals[i] = value_unknown(VALUE_NONE);
    if (!target->is_static && slot < count)
        locals[slot++] = read_local(living, 0, 'L');
    for (const char *at = target->descriptor + 1; *at && *at != ')' && slot < count; at++) {
        char type = *at;
        at += strspn(at, "[");
        if (*at == 'L')
            at = strchr(at, ';');
        locals[slot] = read_local(living, (jint)slot, type);
        slot += 1 + value_is_wide(value_kind_of(type));
    }
}

/* ------------------------------------------------------------------------------------------ the record -- */

/* Numbers of objects become their addresses; those of objects that the interpretation has made have none. */
static void place_values(const struct heap *heap, struct interpreter_record *record)
{
    for (size_t i = 0; i < record->event_count; i++)
        if (record->events[i].reference)
            record->events[i].value = heap->address(heap->user, (uint32_t)record->events[i].value);
}

/* Whether what was loaded is at its address; bytes and shorts were extended to ints. */
static bool is_there(const struct interpreter_event *event)
{
    uint64_t value, mask = event->bytes < 8 ? (UINT64_C(1) << 8 * event->bytes) - 1 : UINT64_MAX;
    return placement_read(event->address, event->bytes, event->reference, &value) &&
           (event->reference ? value == event->value : ((value ^ event->value) & mask) == 0);
}

/* Of the loads from the heap those that differ from what is there, and the others. */
struct verified {
    uint64_t same, other;
};

static struct verified verify(const struct inspection *inspection)
{
    struct verified verified = {0, 0};
    for (uint32_t loop = 0; loop < inspection->target->flow.loop_count; loop++)
        for (size_t i = 0; i < inspection->records[loop].event_count; i++) {
            const struct interpreter_event *event = &inspection->records[loop].events[i];
            if (!event->loop && event->living)
                is_there(event) ? verified.same++ : verified.other++;
        }
    return verified;
}

static struct inspection *make_inspection(const struct target *target)
{
    struct inspection *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->target = target;
    made->tid = (uint32_t)gettid();
    made->records = calloc(target->flow.loop_count, sizeof *made->records);
    jvmtiThreadInfo info = {.name = NULL};
    if ((*agent.jvmti)->GetThreadInfo(agent.jvmti, NULL, &info) == JVMTI_ERROR_NONE) {
        made->thread = strdup(info.name ? info.name : "");
        (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)info.name);
    } else {
        made->thread = strdup("");
    }
    if (made->records && made->thread)
        return made;
    inspection_free(made);
    return NULL;
}

void inspection_free(struct inspection *inspection)
{
    for (uint32_t i = 0; inspection->records && i < inspection->target->flow.loop_count; i++)
        interpreter_record_free(&inspection->records[i]);
    free(inspection->records);
    free(inspection->thread);
    free(inspection);
}

/* ------------------------------------------------------------------------------------------ an entry -- */

/* The program's thread waits, and records take memory, so all loops of an entry together have a limit as well. What a
 * step takes grows with the number of loops. */
enum { ENTRY_STEPS_MAX = 1000000, LOOPS_PER_STEP = 64 };

static bool inspect_loops(struct inspection *inspection, struct living *living, const struct heap *heap)
{
    const struct target *target = inspection->target;
    struct value *locals = calloc(target->method.local_count + 1, sizeof *locals);
    if (!locals)
        return false;
    read_arguments(living, target, locals);
    uint64_t steps = 0;
    for (uint32_t i = 0; i < target->flow.loop_count; i++) {
        uint32_t loop = target->flow.postorder[i];
        struct interpreter_record *record = &inspection->records[loop];
        if (steps * (1 + target->flow.loop_count / LOOPS_PER_STEP) >= ENTRY_STEPS_MAX) {
            record->end = INTERPRETER_STEPS;
            continue;
        }
        interpreter_run(&target->method, heap, locals, loop, (uint32_t)agent.iterations, record);
        place_values(heap, record);
        steps += record->steps;
    }
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
    struct inspection *inspection = make_inspection(target);
    struct living *living = inspection ? living_begin(env, target, &heap) : NULL;
    if (!living) {
        if (inspection)
            inspection_free(inspection);
        return NULL;
    }
    struct verified verified = {0, 0};
    uint64_t begun = atomic_load(&agent.collections_begun);
    bool good = inspect_loops(inspection, living, &heap);
    if (good && agent.verify)
        verified = verify(inspection);
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
