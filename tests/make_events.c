/*
 * make_events FILE CALLS [DEPTH [THREADS [METHODS]]] - writes a trace of CALLS calls per thread of METHODS methods
 * (default 40), with one counter, up to DEPTH (default 12) deep, for benchmarks and for tests that need a long trace.
 * It is the same every time. CHUNK=N in the environment: records a chunk.
 *
 * Methods m1 … m40 in package p; a call of method i takes about 20·i ns besides what it calls. m1 is active all the
 * time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "trace/trace.h"

enum { DEPTH_MAX = 1000 };

static uint64_t methods = 40;

static struct trace_writer *writer;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "make_events: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t draw(void)
{
    static struct rng state = {20041024};
    return rng_next(&state);
}

static bool describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    static char name[32];
    (void)user;
    snprintf(name, sizeof name, "m%" PRIu64, frame->code);
    *text = (struct trace_frame_text){.class_name = "p", .method = name, .signature = "()V", .file = ""};
    return true;
}

struct thread {
    struct trace_stream *stream;
    uint64_t time, counter, events;
    uint64_t stack[DEPTH_MAX];
    size_t depth;
};

/* One stack of one frame per method, so that its context has the id of the method. */
static void put(struct thread *thread, enum trace_event what, uint64_t method)
{
    const uint64_t values[] = {thread->time, what, 0, thread->counter};
    const struct trace_raw_frame frame = {method, 0};
    if (++thread->events % 256 == 0 && (errno = trace_drain(writer, false)) != 0)
        fail("trace_drain");
    errno = ENOBUFS;
    if (!trace_append_stacks(thread->stream, TRACE_EVENT, values, 4, &(struct trace_stack){EVENT_METHOD, &frame, 1}, 1))
        fail("trace_append_stacks");
}

static void spend(struct thread *thread, uint64_t method)
{
    uint64_t ns = 10 * method + draw() % (20 * method);
    thread->time += ns;
    thread->counter += ns / 50;
}

static void enter(struct thread *thread, uint64_t method)
{
    put(thread, EVENT_ENTER, method);
    thread->stack[thread->depth++] = method;
    spend(thread, method);
}

static void leave(struct thread *thread)
{
    uint64_t method = thread->stack[--thread->depth];
    spend(thread, method);
    put(thread, draw() % 1000 ? EVENT_EXIT : EVENT_EXCEPTION, method);
}

static void run(struct thread *thread, uint64_t calls, size_t depth)
{
    enter(thread, 1);
    for (uint64_t i = 1; i < calls; i++) {
        while (thread->depth > 1 && (thread->depth >= depth || draw() % 2))
            leave(thread);
        enter(thread, 2 + draw() % (methods - 1));
    }
    while (thread->depth > 0)
        leave(thread);
}

int main(int argc, char **argv)
{
    const char *chunk = getenv("CHUNK");
    const struct trace_writer_options options = {
        .manual = true, .describe = describe, .chunk_records = chunk ? strtoul(chunk, NULL, 10) : 0};
    errno = EINVAL;
    if (argc < 3)
        fail("usage: make_events FILE CALLS [DEPTH [THREADS [METHODS]]]");
    size_t depth = argc > 3 ? strtoul(argv[3], NULL, 10) : 12, threads = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;
    methods = argc > 5 ? strtoull(argv[5], NULL, 10) : methods;
    json_t *metadata = json_pack("{s:[s]}", "counters", "allocations");
    if (depth < 2 || methods < 2 || depth > DEPTH_MAX ||
        (errno = trace_create(argv[1], metadata, &options, &writer)) != 0)
        fail(argv[1]);
    json_decref(metadata);
    for (size_t t = 0; t < threads; t++) {
        struct thread thread = {.time = 1000000};
        if ((errno = trace_stream_open(writer, 100 + t, "worker", ROLE_NATIVE, &thread.stream)) != 0)
            fail(argv[1]);
        run(&thread, strtoull(argv[2], NULL, 10), depth);
    }
    if ((errno = trace_finish(writer)) != 0)
        fail(argv[1]);
    return 0;
}
