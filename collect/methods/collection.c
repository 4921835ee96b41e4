/*
 * What threads have recorded becomes events of the trace. All of this runs in the writer's thread.
 */
#include "collect/methods/collection.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/methods/collection_state.h"

static const uint64_t PATIENCE_NS = UINT64_C(300000000);

struct collection *collection_new(const struct collection_hooks *hooks, struct methods_tables *tables,
                                  const struct methods_about *about, const json_t *configuration)
{
    struct collection *collection = calloc(1, sizeof *collection);
    if (!collection)
        return NULL;
    assert(hooks->role && hooks->end_of && hooks->forget);
    collection->hooks = *hooks;
    collection->tables = tables;
    collection->about = *about;
    collection->line = time_begin();
    collection->pair_ns = (uint64_t)(about->pair_ns + 0.5);
    giveup_prepare(&collection->giveup, &tables->giveup, configuration, about->pair_ns);
    collection->giveup.drains = !about->exact_places;
    return collection;
}

void collection_set_writer(struct collection *collection, struct trace_writer *writer)
{
    assert(writer);
    collection->writer = writer;
}

bool collection_has_events(const struct collection *collection)
{
    return collection->wrote;
}

void collection_forget(struct collection *collection)
{
    memset(collection->known, 0, sizeof collection->known);
    giveup_forget(&collection->giveup);
}

/* ---------------------------------------------------------------------------- threads -- */

struct collected *collection_add(struct collection *collection, const struct collected *added)
{
    struct collected *thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    assert(added->ring);
    *thread = *added;
    thread->open.exact = collection->about.exact_places;
    thread->next = atomic_load(&collection->arrived);
    while (!atomic_compare_exchange_weak(&collection->arrived, &thread->next, thread))
        ;
    return thread;
}

static void collection_add_arrived(struct collection *collection)
{
    struct collected *first = atomic_exchange(&collection->arrived, NULL);
    for (struct collected *thread = first, *next; thread; thread = next) {
        next = thread->next;
        thread->next = collection->threads;
        collection->threads = thread;
    }
}

static void collection_collect_thread(struct collection *collection, struct collected *thread, uint64_t until,
                                      bool last)
{
    bool gone = thread->gone || (!last && thread->process > 0 && thread->tid > 0 &&
                                 syscall(SYS_tgkill, thread->process, thread->tid, 0) != 0 && errno == ESRCH);
    if (thread->reenter) {
        /* What is open goes on in this trace. */
        struct moment at = {thread->since ? thread->since : clock_ns(CLOCK_MONOTONIC), thread->last_cpu_ns};
        for (size_t i = 0; i < thread->open.count; i++) {
            struct open_method *method = &thread->open.methods[i];
            method->id = collection_method_id(collection, method->method);
            method->since_ns = at.ns;
            method->events = thread->events + 1;
            collected_add_event(collection, thread, EVENT_ENTER, method->id, at);
        }
        thread->reenter = false;
    }
    collected_drain_ring(collection, thread, until);
    assert(thread->open.count <= thread->open.capacity);
    giveup_decide(collection, thread);
    giveup_count(&collection->giveup, thread);
    if (gone && thread->tail == atomic_load(&thread->ring->head)) {
        collected_end_methods(collection, thread, 0, EVENT_UNFINISHED,
                              (struct moment){thread->last_ns, thread->last_cpu_ns});
        thread->gone = true;
    }
    if (last) {
        /* What is open stays so: the process may go on after all. */
        struct moment at = {thread->last_ns, thread->last_cpu_ns};
        if (thread->open.count > 0)
            collection->hooks.end_of(collection->hooks.user, thread, &at.ns, &at.cpu_ns);
        for (size_t i = thread->open.count; i-- > 0;)
            collected_add_event(collection, thread, EVENT_UNFINISHED, thread->open.methods[i].id, at);
        collected_flush_events(collection, thread);
    } else if (thread->gone || (thread->count > 0 && clock_ns(CLOCK_MONOTONIC) - thread->since_ns >= PATIENCE_NS))
        collected_flush_events(collection, thread);
}

/* Its stream is the writer's. */
static void collected_free(struct collected *thread)
{
    for (size_t c = 0; c < EVENT_COLUMNS; c++)
        free(thread->columns[c]);
    open_free(&thread->open);
    free(thread);
}

/* ---------------------------------------------------------------------------- all of it -- */

static void collection_report(const struct collection *collection, const char *text)
{
    if (collection->hooks.report)
        collection->hooks.report(collection->hooks.user, text);
}

void collection_collect(struct collection *collection, bool last)
{
    if (!collection->blind_reported && atomic_load(&collection->tables->blind) != 0) {
        collection->blind_reported = true;
        collection_report(collection, "a thread's hardware counters can't be opened (too many descriptors, or others "
                                      "hold them): such threads count no hardware events");
    }
    collection_add_arrived(collection);
    uint64_t until = time_synchronize(&collection->line);
    for (struct collected **link = &collection->threads, *thread; (thread = *link);) {
        for (const struct collected *other = collection->threads; other; other = other->next)
            if (other->own_tid == thread->own_tid && other->began_ns > thread->began_ns)
                thread->gone = true; /* a later thread has got its number */
        collection_collect_thread(collection, thread, last ? UINT64_MAX : until, last);
        if (!thread->gone) {
            link = &thread->next;
            continue;
        }
        *link = thread->next;
        if (thread->stream)
            trace_stream_close(thread->stream);
        collection->hooks.forget(collection->hooks.user, thread);
        collected_free(thread);
    }
    giveup_finalize(&collection->giveup, collection->threads);
    if (last) {
        char text[512];
        if (giveup_text(&collection->giveup, collection->about.takes_out, text, sizeof text))
            collection_report(collection, text);
        unsigned hasty = atomic_exchange(&collection->tables->hasty, 0);
        snprintf(
            text, sizeof text,
            "libraries were unloaded %u time%s while the recorder was held up: calls of their functions before that "
            "may be missing, or have wrong names",
            hasty, hasty == 1 ? "" : "s");
        if (hasty > 0)
            collection_report(collection, text);
        unsigned unrecorded = atomic_exchange(&collection->tables->unrecorded, 0);
        snprintf(text, sizeof text, "%u thread%s not recorded: there was no memory for %s records", unrecorded,
                 unrecorded == 1 ? " is" : "s are", unrecorded == 1 ? "its" : "their");
        if (unrecorded > 0)
            collection_report(collection, text);
    }
    atomic_fetch_add(&collection->tables->cycles, 1);
}

void collection_free(struct collection *collection)
{
    collection_add_arrived(collection);
    for (struct collected *thread = collection->threads, *next; thread; thread = next) {
        next = thread->next;
        collected_free(thread);
    }
    free(collection->giveup.methods);
    free(collection);
}

static void collection_log_vm(struct trace_stream *stream, enum trace_vm what, uint64_t value)
{
    uint64_t record[] = {[VM_TIME] = clock_ns(CLOCK_MONOTONIC), [VM_WHAT] = what, [VM_VALUE] = value};
    trace_append(stream, TRACE_VM, record, sizeof record / sizeof *record);
}

void collection_report_cost(struct trace_stream *stream, uint64_t start_ns, enum trace_vm writer)
{
    if (start_ns > 0)
        collection_log_vm(stream, VM_REWRITE, start_ns);
    collection_log_vm(stream, writer, clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

/* ---------------------------------------------------------------------------- exec and fork -- */

void collection_reenter(struct collection *collection)
{
    for (struct collected *thread = collection->threads; thread; thread = thread->next)
        thread->reenter = true;
}

bool collection_begin_with(struct collected *thread, const struct open_stack *open, uint64_t at_ns)
{
    if (!open_copy(&thread->open, open))
        return false;
    thread->reenter = true;
    thread->since = at_ns;
    return true;
}

void collection_inherit(struct collection *collection, struct collected *thread)
{
    if (thread) {
        collection->replaying = true;
        collected_drain_ring(collection, thread, UINT64_MAX);
        collection->replaying = false;
        thread->stream = NULL; /* the parent's */
        thread->next = NULL;
        thread->process = getpid();
        thread->own_tid = (uint64_t)(thread->tid = (pid_t)syscall(SYS_gettid));
        thread->count = 0;
        thread->last_ns = thread->last_cpu_ns = thread->cpu_base_ns = 0;
        thread->cpu_base_ticks = UINT64_MAX;
        thread->reenter = true;
        memset(thread->counters, 0, sizeof thread->counters); /* the child's begin anew */
        memset(thread->history, 0, sizeof thread->history);
        giveup_inherit(&collection->giveup, thread);
    }
    collection->wrote = false;
    collection->threads = thread; /* the others are the parent's */
    atomic_store(&collection->arrived, NULL);
    memset(collection->known, 0, sizeof collection->known);
}
