#include "trace/export/events.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "trace/names/method_name.h"
#include "trace/names/thread_name.h"
#include "trace/export/export_format.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/text_stream.h"

struct call {
    uint32_t method, stack; /* stack: index into stacks, only for folded */
};

/* A thread's open calls. */
struct open_calls {
    struct call *calls;
    size_t count, capacity;
    uint64_t excess; /* deeper than the format takes */
    uint64_t last_ns;
    uint32_t root; /* stack without calls, only for folded */
    bool begun;
};

/* A distinct stack: its parent plus one call. */
struct stack {
    uint32_t parent, id; /* id: of the method; of a stack without calls (parent NO_STACK) of the thread, or 0 */
    uint64_t self_ns;
};
enum { NO_STACK = UINT32_MAX, STACKS_FULL = UINT32_MAX };
enum { FIRST_OWN_NUMBER = 1 << 30 }; /* for threads without a number of their own: beyond those of the system */

struct events {
    const struct trace_names *names;
    struct event_gaps *gaps;
    struct open_calls *threads;
    size_t depth_max;
    /* chrome */
    FILE *out; /* NULL: folded */
    uint32_t process;
    uint32_t *tids;    /* [thread] */
    char **json_names; /* [method], NULL before its first call */
    /* folded */
    struct stack *stacks;
    size_t stack_count, stack_capacity;
    struct hash stack_index; /* of their numbers + 1 */
    bool by_thread;
};

/* ------------------------------------------------------------------------------------------ chrome -- */

static const char *events_json_name(struct events *events, uint32_t method)
{
    if (events->json_names[method])
        return events->json_names[method];
    char name[METHOD_NAME_MAX];
    size_t size;
    FILE *memory = text_stream_open(&events->json_names[method], &size);
    if (!memory)
        return NULL;
    method_name(&events->names->methods[method], name);
    export_write_text(memory, name);
    text_stream_close(memory, &events->json_names[method]);
    return events->json_names[method];
}

static void events_write_label(const struct events *events, uint32_t thread, const char *what, const char *text)
{
    fprintf(events->out,
            ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%" PRIu32 ",\"name\":\"%s\",\"args\":{\"name\":", events->process,
            events->tids[thread], what);
    export_write_text(events->out, text);
    fputs("}}", events->out);
}

static bool events_write_event(struct events *events, uint32_t thread, uint32_t method, uint64_t time_ns, bool enters)
{
    assert(method < events->names->method_count);
    const char *name = events_json_name(events, method);
    if (name)
        fprintf(events->out, ",\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03u,\"name\":%s",
                enters ? 'B' : 'E', events->process, events->tids[thread], time_ns / 1000, (unsigned)(time_ns % 1000),
                name);
    return name != NULL;
}

/* ------------------------------------------------------------------------------------------ calls -- */

struct wanted {
    const struct events *events;
    uint32_t parent, id;
};

static bool events_stack_equal(const void *user, uint32_t number)
{
    const struct wanted *wanted = user;
    const struct stack *stack = &wanted->events->stacks[number - 1];
    return stack->parent == wanted->parent && stack->id == wanted->id;
}

/* The stack of a call; its caller's if there is no capacity for more; STACKS_FULL without memory. Stacks without calls
 * always have capacity: there are as many as threads. */
static uint32_t events_find_stack(struct events *events, uint32_t parent, uint32_t id)
{
    assert(parent == NO_STACK || parent < events->stack_count);
    uint64_t hash = hash_mix(parent, id);
    uint32_t number = hash_find(&events->stack_index, hash, events_stack_equal, &(struct wanted){events, parent, id});
    if (number > 0)
        return number - 1;
    if (parent != NO_STACK && events->stack_count >= EVENTS_STACKS_MAX) {
        events->gaps->new_stacks++;
        return parent;
    }
    struct stack *grown = grow_unset(events->stacks, &events->stack_capacity, events->stack_count, sizeof *grown);
    if (!grown)
        return STACKS_FULL;
    events->stacks = grown;
    if (hash_add(&events->stack_index, hash, (uint32_t)events->stack_count + 1) != 0)
        return STACKS_FULL;
    events->stacks[events->stack_count] = (struct stack){.parent = parent, .id = id};
    return (uint32_t)events->stack_count++;
}

static uint32_t events_innermost_stack(const struct open_calls *open)
{
    return open->count > 0 ? open->calls[open->count - 1].stack : open->root;
}

static bool events_begin_thread(struct events *events, uint32_t thread, uint64_t time_ns)
{
    assert(thread < events->names->thread_count);
    struct open_calls *open = &events->threads[thread];
    open->begun = true;
    open->last_ns = time_ns;
    if (!events->out) {
        open->root = events_find_stack(events, NO_STACK, events->by_thread ? thread : 0);
        return open->root != STACKS_FULL;
    }
    char name[256];
    thread_name(events->names, thread, name, sizeof name);
    events_write_label(events, thread, "thread_name", name);
    return true;
}

static bool events_enter_call(struct events *events, uint32_t thread, uint32_t method)
{
    struct open_calls *open = &events->threads[thread];
    if (open->count == events->depth_max) {
        open->excess++;
        events->gaps->too_deep++;
        return true;
    }
    struct call *grown = grow_unset(open->calls, &open->capacity, open->count, sizeof *grown);
    if (!grown)
        return false;
    open->calls = grown;
    struct call call = {.method = method};
    if (!events->out && (call.stack = events_find_stack(events, events_innermost_stack(open), method)) == STACKS_FULL)
        return false;
    open->calls[open->count++] = call;
    if (!events->out)
        return true;
    bool good = events_write_event(events, thread, method, open->last_ns, true);
    putc('}', events->out);
    return good;
}

/* The innermost call ends; how: NULL if it returned. */
static bool events_end_call(struct events *events, uint32_t thread, const char *how)
{
    struct open_calls *open = &events->threads[thread];
    assert(open->count > 0);
    const struct call *call = &open->calls[--open->count];
    if (!events->out)
        return true;
    if (!events_write_event(events, thread, call->method, open->last_ns, false))
        return false;
    if (how)
        fprintf(events->out, ",\"args\":{\"left\":\"%s\"}", how);
    putc('}', events->out);
    return true;
}

static bool events_read_event(struct events *events, const struct trace_batch *batch, size_t row)
{
    uint32_t thread = batch->thread;
    struct open_calls *open = &events->threads[thread];
    uint64_t time_ns = batch->integers[EVENT_TIME][row], method = batch->integers[EVENT_METHOD][row];
    uint64_t what = batch->integers[EVENT_WHAT][row];
    if (!open->begun && !events_begin_thread(events, thread, time_ns))
        return false;
    if (time_ns < open->last_ns) {
        events->gaps->backwards++;
        time_ns = open->last_ns;
    }
    if (!events->out)
        events->stacks[events_innermost_stack(open)].self_ns += time_ns - open->last_ns;
    open->last_ns = time_ns;
    uint32_t known = method < events->names->method_count ? (uint32_t)method : 0;
    if (what == EVENT_ENTER)
        return events_enter_call(events, thread, known);
    if (open->excess > 0) {
        open->excess--;
        return true;
    }
    size_t at = open->count;
    while (at > 0 && open->calls[at - 1].method != known)
        at--;
    if (at == 0) {
        events->gaps->missing_enters++;
        return true;
    }
    bool good = true;
    for (; good && open->count > at; events->gaps->missing_exits++)
        good = events_end_call(events, thread, "exit is missing");
    return good && events_end_call(events, thread, what == EVENT_EXIT ? NULL : trace_event_name((unsigned)what));
}

/* ------------------------------------------------------------------------------------------ traces -- */

static bool events_read_trace(struct events *events, const struct trace *trace, struct trace_loss *loss)
{
    const uint64_t columns = TRACE_COLUMN(EVENT_TIME) | TRACE_COLUMN(EVENT_WHAT) | TRACE_COLUMN(EVENT_METHOD);
    struct trace_batch batch = {0};
    struct error_text problem;
    events->threads = calloc(events->names->thread_count, sizeof *events->threads);
    bool good = events->threads != NULL;
    for (size_t i = 0; good && i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (chunk->kind != TRACE_EVENT)
            continue;
        int status = trace_read(trace, i, columns, &batch, &problem);
        trace_loss_read(loss, chunk, status, &problem);
        if (status != 0)
            continue;
        events->gaps->events += batch.count;
        if (batch.thread >= events->names->thread_count) /* its definition is damaged, so the thread is unknown */
            batch.thread = 0;
        for (size_t row = 0; good && row < batch.count; row++)
            good = events_read_event(events, &batch, row);
    }
    trace_batch_free(&batch);
    for (size_t t = 0; good && t < events->names->thread_count; t++)
        for (; good && events->threads[t].count > 0; events->gaps->open++)
            good = events_end_call(events, (uint32_t)t, "open at the end");
    return good;
}

static void events_free_threads(struct events *events)
{
    for (size_t t = 0; events->threads && t < events->names->thread_count; t++)
        free(events->threads[t].calls);
    free(events->threads);
}

void events_chrome_begin(FILE *out)
{
    fputs("{\"otherData\":{\"exporter\":\"assay " ASSAY_VERSION
          "\",\"times\":\"as recorded, with the cost of probes\"},\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"assay\"}}",
          out);
}

bool events_chrome_add(FILE *out, uint32_t process, const struct trace *trace, const struct trace_names *names,
                       struct trace_loss *loss, struct event_gaps *gaps)
{
    struct events events = {
        .names = names, .gaps = gaps, .depth_max = EVENTS_CHROME_DEPTH, .out = out, .process = process};
    events.json_names = calloc(names->method_count, sizeof *events.json_names);
    events.tids = calloc(names->thread_count, sizeof *events.tids);
    for (size_t t = 0; events.tids && t < names->thread_count; t++) {
        /* The system's numbers, if each thread has its own; else, from 2^30 on, those of the trace. */
        uint64_t tid = names->threads[t].tid;
        bool own = tid > 0 && tid < FIRST_OWN_NUMBER;
        for (size_t before = 0; own && before < t; before++)
            own = events.tids[before] != tid;
        events.tids[t] = own ? (uint32_t)tid : FIRST_OWN_NUMBER + (uint32_t)t;
    }
    bool good = events.json_names != NULL && events.tids != NULL;
    if (good) {
        events_write_label(&events, 0, "process_name", trace_path(trace));
        good = events_read_trace(&events, trace, loss);
    }
    for (size_t m = 0; events.json_names && m < names->method_count; m++)
        free(events.json_names[m]);
    free(events.json_names);
    free(events.tids);
    events_free_threads(&events);
    return good;
}

void events_chrome_end(FILE *out)
{
    fputs("\n]}\n", out);
}

bool events_folded_add(struct folded *stacks, bool threads, const struct trace *trace, const struct trace_names *names,
                       struct trace_loss *loss, struct event_gaps *gaps)
{
    struct events events = {.names = names, .gaps = gaps, .depth_max = EVENTS_FOLDED_DEPTH, .by_thread = threads};
    struct folded_line line = {0};
    bool good = events_read_trace(&events, trace, loss);
    for (size_t i = 0; good && i < events.stack_count; i++) {
        const struct stack *stack = &events.stacks[i];
        const uint64_t self_ns = stack->self_ns;
        uint32_t path[EVENTS_FOLDED_DEPTH];
        size_t depth = 0;
        char name[METHOD_NAME_MAX];
        if (stack->parent == NO_STACK || self_ns == 0)
            continue;
        for (; stack->parent != NO_STACK; stack = &events.stacks[stack->parent])
            path[depth++] = stack->id;
        folded_clear(&line);
        if (threads) {
            thread_name(names, stack->id, name, sizeof name);
            good = folded_frame(&line, name);
        }
        while (good && depth > 0) { /* from the outermost frame on */
            method_name(&names->methods[path[--depth]], name);
            good = folded_frame(&line, name);
        }
        good = good && folded_add(stacks, &line, self_ns);
    }
    folded_free_line(&line);
    free(events.stacks);
    hash_free(&events.stack_index);
    events_free_threads(&events);
    return good;
}
