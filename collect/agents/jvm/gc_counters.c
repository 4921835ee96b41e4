/*
 * gc_counters.c - what a garbage collection costs in the counters of mode methods: the sum over the threads that
 * collect, which are those of the collector and the VM thread, from the collection's start to its end.
 *
 * Both events come in the VM thread while the program is stopped, so one collection is counted at a time.
 */
#include "collect/agents/jvm/agent.h"

#include <assert.h>
#include <string.h>

#include "collect/methods/methods.h"
#include "collect/perf/hardware.h"
#include "collect/sample/task.h"

enum { SLOTS = 4096, SURE_LOOKS = 2 };

/* By tid % SLOTS, or after that if others are there which collect: these are never replaced, as the threads of the
 * program are. */
struct gc_thread {
    pid_t tid;
    unsigned looks; /* a thread may get its name a moment after it has begun */
    bool collects;
    struct hardware hardware;
    uint64_t collection;                 /* of the next: its number */
    uint64_t before[EVENT_COUNTERS_MAX]; /* when that began */
};

static struct {
    size_t count; /* of the counters below; 0: collections are not counted */
    enum methods_counter kinds[EVENT_COUNTERS_MAX];
    uint64_t collection; /* number of the current or last one, from 1 */
    bool blind;          /* a thread's hardware counters can't be opened */
    struct gc_thread threads[SLOTS];
} gc;

/* The thread's slot if it collects; NULL also if all are in use. */
static struct gc_thread *gc_thread_of(pid_t tid)
{
    struct gc_thread *thread = NULL;
    for (unsigned i = 0; i < SLOTS; i++) {
        thread = &gc.threads[((unsigned)tid + i) % SLOTS];
        if (thread->tid == tid || !thread->collects)
            break;
    }
    if (thread->tid != tid && thread->collects)
        return NULL;
    if (thread->tid != tid)
        *thread = (struct gc_thread){.tid = tid};
    if (!thread->collects && thread->looks < SURE_LOOKS) {
        char name[17];
        task_name(tid, name, sizeof name);
        thread->looks++;
        thread->collects = threads_role(name) == ROLE_GC || strcmp(name, "VM Thread") == 0;
        if (thread->collects && hardware_count() > 0 && !hardware_open_thread(&thread->hardware, tid))
            gc.blind = true;
    }
    return thread->collects ? thread : NULL;
}

static uint64_t gc_read_counter(const struct gc_thread *thread, enum methods_counter kind)
{
    uint64_t value = 0;
    if (kind == COUNTER_CPU)
        task_cpu_ns(thread->tid, &value);
    else if (kind == COUNTER_FAULTS)
        task_faults(thread->tid, &value);
    else if (kind == COUNTER_SWITCHES)
        task_switches(thread->tid, &value);
    else if (kind >= COUNTER_HARDWARE)
        hardware_read(&thread->hardware, (size_t)(kind - COUNTER_HARDWARE), &value);
    return value;
}

static void gc_begin_thread(pid_t tid, void *user)
{
    (void)user;
    struct gc_thread *thread = gc_thread_of(tid);
    for (size_t c = 0; thread && c < gc.count; c++)
        thread->before[c] = gc_read_counter(thread, gc.kinds[c]);
    if (thread)
        thread->collection = gc.collection;
}

static void gc_end_thread(pid_t tid, void *user)
{
    uint64_t *sums = user;
    const struct gc_thread *thread = gc_thread_of(tid);
    for (size_t c = 0; thread && c < gc.count; c++) {
        /* A thread that began during the collection has only worked for it. */
        uint64_t before = thread->collection == gc.collection ? thread->before[c] : 0;
        uint64_t now = gc_read_counter(thread, gc.kinds[c]);
        sums[c] += now > before ? now - before : 0;
    }
}

bool gc_counters_prepare(const json_t *names)
{
    static const char *const known[COUNTERS_NAMED] = {METHODS_COUNTER_NAMES};
    size_t hardware = 0, count = json_array_size(names);
    assert(count <= EVENT_COUNTERS_MAX);
    for (size_t c = 0; c < count; c++) {
        gc.kinds[c] = COUNTER_KINDS;
        for (size_t which = 0; which < COUNTERS_NAMED; which++)
            if (strcmp(json_string_value(json_array_get(names, c)), known[which]) == 0)
                gc.kinds[c] = (enum methods_counter)which;
        if (gc.kinds[c] == COUNTER_KINDS)
            gc.kinds[c] = (enum methods_counter)(COUNTER_HARDWARE + hardware++);
    }
    gc.count = count;
    gc_counters_begin(); /* opens what the threads need */
    if (gc.blind)
        gc.count = 0;
    return gc.count > 0;
}

void gc_counters_begin(void)
{
    if (gc.count == 0)
        return;
    gc.collection++;
    vm_threads_each(gc_begin_thread, NULL);
}

size_t gc_counters_end(uint64_t duration_ns, uint64_t sums[EVENT_COUNTERS_MAX])
{
    static bool reported;
    memset(sums, 0, EVENT_COUNTERS_MAX * sizeof *sums);
    if (gc.count > 0)
        vm_threads_each(gc_end_thread, sums);
    for (size_t c = 0; c < gc.count; c++)
        if (gc.kinds[c] == COUNTER_WALL)
            sums[c] = duration_ns;
    if (gc.blind && !reported && gc.count > 0) {
        reported = true;
        agent_print_error("hardware counters of a new thread of the collector can't be opened: its events are missing");
    }
    return gc.count;
}
