/*
 * Mode methods: what the probes of a process have recorded becomes events (collect/methods). That takes about as much
 * time as recording it, so each process has a thread here, which writes its trace.
 */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system_call.h"
#include "collect/chosen_functions/choice.h"
#include "collect/keep/state.h"
#include "collect/agents/native/frame_text.h"

enum { EVENTS_LEVEL = 1 }; /* times of events are barely repetitive: more work gives 5 % fewer bytes */

struct events {
    struct process *process;
    struct methods_tables *tables;
    struct methods_about about;          /* a copy: what is in the pool may change */
    bool damaged;                        /* … or there is no memory: nothing is written */
    struct trace_writer *_Atomic writer; /* NULL: the thread has just begun */
    struct collection *collection;       /* NULL: it has no thread that records */
    struct choice *choice;               /* NULL: everything is recorded */
    struct collected *_Atomic first;     /* of the thread that was there when the process began */
    _Atomic bool waits;                  /* for what the parent had open when it forked … */
    uint64_t waits_until_ns;             /* … once the process has ended */
    _Atomic bool ending;
    bool over;
    char name[FRAME_NAME_BYTES];
};

static enum trace_role events_thread_role(const char *thread_name)
{
    (void)thread_name;
    return ROLE_NATIVE;
}

/* ---------------------------------------------------------------------------- forks -- */

/* What threads had open when they announced a fork, until the child takes it. */
struct fork_mark {
    struct fork_mark *next;
    uint64_t mark, since_ns;
    struct open_stack open;
};
static struct fork_mark *marks;
static pthread_mutex_t marks_lock = PTHREAD_MUTEX_INITIALIZER;

static void fork_mark_free(struct fork_mark *mark)
{
    open_free(&mark->open);
    free(mark);
}

static void fork_marks_add(void *nothing, uint64_t number, const struct open_stack *open)
{
    static const uint64_t LONG_NS = UINT64_C(60000000000);
    struct fork_mark *added = calloc(1, sizeof *added);
    (void)nothing;
    if (!added || !open_copy(&added->open, open)) {
        free(added);
        return;
    }
    added->mark = number;
    added->since_ns = clock_ns(CLOCK_MONOTONIC);
    pthread_mutex_lock(&marks_lock);
    /* A fork may have failed, or its child may not be recorded: old marks are freed. */
    for (struct fork_mark **link = &marks, *mark; (mark = *link);) {
        if (added->since_ns - mark->since_ns < LONG_NS) {
            link = &mark->next;
            continue;
        }
        *link = mark->next;
        fork_mark_free(mark);
    }
    added->next = marks;
    marks = added;
    pthread_mutex_unlock(&marks_lock);
}

/* Whether there is nothing to wait for any more. `last`: it has been waited for long enough. */
static bool events_begin_with_parents(struct events *events, bool last)
{
    struct collected *first = atomic_load(&events->first);
    struct fork_mark *mark = NULL;
    if (first && atomic_load(&events->waits)) {
        pthread_mutex_lock(&marks_lock);
        struct fork_mark **link = &marks;
        while (*link && (*link)->mark != events->about.fork)
            link = &(*link)->next;
        mark = *link;
        if (mark)
            *link = mark->next;
        pthread_mutex_unlock(&marks_lock);
    }
    if (mark) {
        collection_begin_with(first, &mark->open, ((struct thread *)first->user)->shared->first_ns);
        fork_mark_free(mark);
    }
    if (mark || last)
        atomic_store(&events->waits, false);
    return !atomic_load(&events->waits);
}

/* ---------------------------------------------------------------------------- choice -- */

/* As this process sees the file: also behind a change of root, as long as the program lives. */
static void events_set_file_path(const struct process *process, const struct code_file *from, struct choice_file *file)
{
    snprintf(file->path, sizeof file->path, "/proc/%d/root%s", (int)process->pid, from->path);
    if (process->pid <= 0 || access(file->path, R_OK) != 0)
        snprintf(file->path, sizeof file->path, "%s", from->path);
}

static bool events_find_file(void *user, uint64_t address, struct choice_file *file)
{
    const struct process *process = user;
    const struct code_file *found = code_find_file(&process->code, address);
    if (!found)
        return false;
    const char *slash = strrchr(found->path, '/');
    *file = (struct choice_file){.low = found->low, .high = found->high, .bias = found->bias};
    snprintf(file->name, sizeof file->name, "%s", slash ? slash + 1 : found->path);
    events_set_file_path(process, found, file);
    return true;
}

static void events_each_file(void *user, void (*visit)(const char *path, void *arg), void *arg)
{
    const struct process *process = user;
    struct choice_file file;
    for (size_t i = 0; i < process->code.count; i++) {
        events_set_file_path(process, &process->code.files[i], &file);
        visit(file.path, arg);
    }
}

static bool events_is_chosen(void *user, uint64_t method)
{
    return choice_has(((struct events *)user)->choice, method);
}

static struct choice *events_make_choice(const struct events *events)
{
    const struct choice_files files = {.find = events_find_file, .each = events_each_file, .user = events->process};
    struct choice *choice = choice_new(json_object_get(keeper.metadata, "methods"), &files);
    if (choice)
        choice_set_table(choice, &events->tables->passed);
    return choice;
}

/* ---------------------------------------------------------------------------- the thread -- */

static bool events_describe_frame(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    struct events *events = user;
    bool known = code_describe(events->process, frame, text);
    if (known)
        frame_text_of_function(text, events->name);
    return known;
}

static void events_report_text(void *user, const char *text)
{
    process_report(((struct events *)user)->process, text);
}

/* The process has said when its threads' recording ended, unless it was killed: then it ended now. */
static void events_thread_end(void *nothing, const struct collected *collected, uint64_t *ns, uint64_t *cpu_ns)
{
    const struct thread *thread = collected->user;
    uint64_t reported_ns = atomic_load(&thread->shared->last_ns),
             reported_cpu_ns = atomic_load(&thread->shared->last_cpu_ns);
    (void)nothing;
    *ns = reported_ns ? reported_ns : clock_ns(CLOCK_MONOTONIC);
    *cpu_ns = reported_cpu_ns > *cpu_ns ? reported_cpu_ns : *cpu_ns;
    *cpu_ns = thread->cpu_ns > *cpu_ns ? thread->cpu_ns : *cpu_ns;
}

static void events_forget_thread(void *nothing, struct collected *collected)
{
    struct thread *thread = collected->user;
    (void)nothing;
    atomic_store(&thread->shared->gone, 1);
    atomic_store(&thread->over, true);
}

static void events_run_cycle(void *user)
{
    struct events *events = user;
    bool last = atomic_load(&events->ending);
    if (events->over || !atomic_load(&events->writer))
        return;
    assert(events->collection);
    events->process->waits = 0;
    if (code_take_entries(events->process)) {
        trace_forget_frames(atomic_load(&events->writer));
        collection_forget(events->collection);
        if (events->choice)
            choice_forget(events->choice);
    }
    if (events_begin_with_parents(events, last))
        collection_collect(events->collection, last);
    else
        atomic_fetch_add(&events->tables->taken, 1); /* nobody is to give up waiting */
    if (last && collection_has_events(events->collection)) {
        /* What recording took: the start in the process, and this thread. */
        struct trace_stream *recorder;
        if (events->about.lacks_allocated)
            events_report_text(events, METHODS_NO_ALLOCATED);
        if (trace_stream_open(atomic_load(&events->writer), 0, METHODS_RECORDER, ROLE_NATIVE, &recorder) == 0)
            collection_report_cost(recorder, events->about.start_ns, VM_OUTSIDE_WRITER);
    }
    events->over = last;
}

static void events_wait_for_bell(void *user, uint64_t until_ns)
{
    _Atomic uint32_t *bell = &((struct events *)user)->tables->bell;
    uint64_t now = clock_ns(CLOCK_MONOTONIC), left = until_ns > now ? until_ns - now : 0;
    const struct timespec timeout = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    system_call(SYS_futex, (long)bell, FUTEX_WAIT, 0, (long)&timeout, 0, 0);
    atomic_store(bell, 0);
}

static void events_ring_bell(void *user)
{
    _Atomic uint32_t *bell = &((struct events *)user)->tables->bell;
    atomic_store(bell, 1);
    system_call(SYS_futex, (long)bell, FUTEX_WAKE, 1, 0, 0, 0);
}

/* ---------------------------------------------------------------------------- the process -- */

struct events *events_new(struct process *process)
{
    struct events *events = calloc(1, sizeof *events);
    if (!events)
        return NULL;
    events->process = process;
    assert(process->board && !process->events);
    events->tables = (void *)((char *)process->board + POOL_PROCESS_BYTES);
    /* What others can change is checked once, in the copy. */
    struct methods_about *about = &events->about;
    *about = events->tables->about;
    events->damaged = about->counter_count > EVENT_COUNTERS_MAX;
    for (uint32_t i = 0; !events->damaged && i < about->counter_count; i++)
        events->damaged = about->counters[i] >= COUNTER_KINDS;
    atomic_store(&events->waits, events->about.fork != 0);
    return events;
}

/* Makes the collection, and its trace. 0 or an errno value. */
static int events_begin_collection(struct events *events)
{
    const struct collection_hooks hooks = {.role = events_thread_role,
                                           .chosen =
                                               (events->choice = events_make_choice(events)) ? events_is_chosen : NULL,
                                           .report = events_report_text,
                                           .end_of = events_thread_end,
                                           .forks = fork_marks_add,
                                           .forget = events_forget_thread,
                                           .user = events};
    struct trace_writer_options options = {.describe = events_describe_frame,
                                           .on_cycle = events_run_cycle,
                                           .wait = events_wait_for_bell,
                                           .wake = events_ring_bell,
                                           .lazy_ns = UINT64_MAX,
                                           .level = EVENTS_LEVEL,
                                           .user = events};
    assert(!events->collection && !atomic_load(&events->writer));
    events->collection = collection_new(&hooks, events->tables, &events->about, keeper.metadata);
    if (!events->collection)
        return ENOMEM;
    char text[ABOUT_TEXT_BYTES]; /* a copy: what is in the pool may change */
    memcpy(text, events->tables->text, sizeof text);
    text[sizeof text - 1] = '\0';
    json_t *metadata = json_loads(text, 0, NULL);
    if (!metadata)
        metadata = json_object();
    int error = process_create(events->process, &options, metadata);
    json_decref(metadata);
    if (!error)
        collection_set_writer(events->collection, events->process->writer);
    atomic_store(&events->writer, events->process->writer);
    return error;
}

/* The list begins with the newest, but some are found late. */
static void events_add_threads(struct events *events, struct thread *thread)
{
    const struct process *process = events->process;
    if (!thread)
        return;
    events_add_threads(events, thread->next);
    if (thread->events)
        return;
    struct methods_ring *ring = (void *)((char *)thread->shared + POOL_PAGE);
    pid_t own = thread->shared->tid;
    thread->events = collection_add(events->collection, &(struct collected){.ring = ring,
                                                                            .user = thread,
                                                                            .process = process->pid,
                                                                            .tid = thread->tid,
                                                                            .own_tid = (uint64_t)(uint32_t)own,
                                                                            .began_ns = thread->shared->first_ns});
    if (thread->events && own == process->own_pid && !atomic_load(&events->first))
        atomic_store(&events->first, thread->events);
}

void events_step(struct process *process)
{
    struct events *events = process->events;
    assert(events && events->process == process);
    if (!events->collection)
        code_take_log(process); /* later its thread does */
    if (events->damaged)
        atomic_fetch_add(&events->tables->cycles, 1); /* nothing more is read, for which the process could wait */
    if (!process->threads || events->damaged)
        return;
    int error = events->collection ? 0 : events_begin_collection(events);
    if (error)
        process_report_incomplete(process, error);
    events->damaged = error != 0;
    if (!error)
        events_add_threads(events, process->threads);
}

bool events_can_finish(struct process *process)
{
    static const uint64_t PATIENCE_NS = UINT64_C(3000000000);
    struct events *events = process->events;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (!process->finished)
        events_step(process); /* it may have come and gone since the last step */
    if (!process->writer || !atomic_load(&events->waits))
        return true;
    if (events->waits_until_ns == 0)
        events->waits_until_ns = now + PATIENCE_NS;
    for (struct process *other = keeper.processes; other; other = other->next)
        if (other->writer) /* among them the parent, which has not come to its fork */
            trace_wake(other->writer);
    return now >= events->waits_until_ns;
}

int events_finish(struct process *process)
{
    struct events *events = process->events;
    char text[512];
    assert(!atomic_load(&events->ending));
    atomic_store(&events->ending, true);
    int error = process->writer ? trace_finish(process->writer) : 0;
    /* Names that were chosen and never met, of a process that has probes. The child of a fork has its parent's. */
    if (events->about.forked || !(events->collection || atomic_load(&events->tables->has_probes)))
        return error;
    if (!events->choice && !(events->choice = events_make_choice(events)))
        return error;
    choice_mark(events->choice, events->tables->lines_recorded);
    if (choice_missing(events->choice, text, sizeof text))
        process_report(process, text);
    return error;
}

void events_free(struct events *events)
{
    if (!events)
        return;
    if (events->collection)
        collection_free(events->collection);
    choice_free(events->choice);
    free(events);
}
