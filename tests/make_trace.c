/*
 * make_trace FILE [KEY=VALUE]... - writes a trace of the samples that standard input lists, for tests of analyzers.
 *
 * A line is THREAD TICK TIME_NS CPU_NS [STACK]; or "lost THREAD COUNT"; or an event: "enter", "exit",
 * "exit-by-exception" or "unfinished", then THREAD TIME_NS METHOD [COUNTER]...; or, without an event, "role THREAD ROLE
 * FIRST_CPU_NS LAST_CPU_NS [LAST_NS]", "vm THREAD WHAT VALUE" (enum trace_vm; the metadata needs start_monotonic_ns)
 * and "gc THREAD TIME_NS DURATION_NS [COUNTER]..." (the metadata needs gc_counters). A call that was chosen, in mode
 * calls: "instance WHAT THREAD TIME_NS NUMBER WEIGHT TOOK COUNTER_0 [STACK]" (enum trace_instance). STACK: methods from
 * outermost to innermost, joined by ';', to the end of the line. Threads get the tids 100, 101, … in order of
 * appearance; what follows a '/' in THREAD distinguishes threads of one name; what follows a '@' is the role: java,
 * jit, gc, vm (default: native). Lines may be mixed at will, but a trace has either samples or events. KEY=VALUE goes
 * into the metadata, as JSON if VALUE is a number, an array, an object or true. CHUNK=N in the environment: records a
 * chunk.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

enum { THREADS_MAX = 1000, METHODS_MAX = 1000, DEPTH_MAX = 128 };

static struct {
    char key[64];
    struct trace_stream *stream;
} threads[THREADS_MAX];
static size_t thread_count;
static char methods[METHODS_MAX][64];
static size_t method_count;
static struct trace_writer *writer;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "make_trace: %s: %s\n", what, strerror(errno));
    exit(1);
}

static bool describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    (void)user;
    *text = (struct trace_frame_text){.class_name = "", .method = methods[frame->code], .signature = "", .file = ""};
    return true;
}

static struct trace_stream *stream_of(const char *key)
{
    for (size_t i = 0; i < thread_count; i++)
        if (strcmp(threads[i].key, key) == 0)
            return threads[i].stream;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "/@"), key);
    unsigned role = ROLE_NATIVE;
    for (unsigned i = 0; strchr(key, '@') && i < ROLE_COUNT; i++)
        if (strcmp(strchr(key, '@') + 1, trace_role_name(i)) == 0)
            role = i;
    if (thread_count == THREADS_MAX ||
        (errno = trace_stream_open(writer, 100 + thread_count, name, role, &threads[thread_count].stream)) != 0)
        fail(key);
    snprintf(threads[thread_count].key, sizeof threads->key, "%s", key);
    return threads[thread_count++].stream;
}

static uint64_t method_of(const char *name)
{
    for (size_t i = 0; i < method_count; i++)
        if (strcmp(methods[i], name) == 0)
            return i;
    if (method_count == METHODS_MAX)
        fail(name);
    snprintf(methods[method_count], sizeof *methods, "%s", name);
    return method_count++;
}

/* Fills the array from its end, since its first frame is the innermost. */
static size_t frames_of(char *stack, struct trace_raw_frame frames[DEPTH_MAX])
{
    size_t depth = 0;
    for (char *method = strtok(stack, ";"); method && depth < DEPTH_MAX; method = strtok(NULL, ";"))
        frames[DEPTH_MAX - ++depth] = (struct trace_raw_frame){method_of(method), 0};
    return depth;
}

/* One stack of one frame per method, so that its context has the id of the method. */
static bool append_event(const char *line)
{
    char what[64], key[64], method[64];
    uint64_t values[EVENT_COUNTER_3 + 1] = {0};
    int got = sscanf(line, "%63s %63s %" SCNu64 " %63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, what, key,
                     &values[EVENT_TIME], method, &values[EVENT_COUNTER_0], &values[EVENT_COUNTER_1],
                     &values[EVENT_COUNTER_2], &values[EVENT_COUNTER_3]);
    while (values[EVENT_WHAT] < EVENT_COUNT && strcmp(what, trace_event_name((unsigned)values[EVENT_WHAT])) != 0)
        values[EVENT_WHAT]++;
    if (got < 4 || values[EVENT_WHAT] == EVENT_COUNT)
        return false;
    const struct trace_raw_frame frame = {method_of(method), 0};
    struct trace_stream *stream = stream_of(key);
    while (!trace_append_stacks(stream, TRACE_EVENT, values, EVENT_COUNTER_0 + (size_t)got - 4,
                                &(struct trace_stack){EVENT_METHOD, &frame, 1}, 1))
        if ((errno = trace_drain(writer, false)) != 0)
            fail("trace_drain");
    return true;
}

static bool set_role(const char *line)
{
    char key[64], role[64];
    struct trace_thread_update update = {.last_ns = 1};
    if (sscanf(line, "role %63s %63s %" SCNu64 " %" SCNu64 " %" SCNu64, key, role, &update.first_cpu_ns,
               &update.last_cpu_ns, &update.last_ns) < 4)
        return false;
    while (update.role < ROLE_COUNT && strcmp(role, trace_role_name(update.role)) != 0)
        update.role++;
    trace_stream_update(stream_of(key), &update);
    return true;
}

static bool append_vm(const char *line)
{
    char key[64];
    uint64_t values[] = {[VM_TIME] = 1, [VM_WHAT] = 0, [VM_VALUE] = 0};
    if (sscanf(line, "vm %63s %" SCNu64 " %" SCNu64, key, &values[VM_WHAT], &values[VM_VALUE]) < 3)
        return false;
    trace_append(stream_of(key), TRACE_VM, values, sizeof values / sizeof *values);
    return true;
}

static bool append_collection(const char *line)
{
    char key[64];
    uint64_t values[GC_COUNTER_3 + 1] = {0};
    int got = sscanf(line, "gc %63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, key,
                     &values[GC_TIME], &values[GC_DURATION], &values[GC_COUNTER_0], &values[GC_COUNTER_1],
                     &values[GC_COUNTER_2], &values[GC_COUNTER_3]);
    if (got < 3)
        return false;
    trace_append(stream_of(key), TRACE_GC, values, GC_COUNTER_0 + (size_t)got - 3);
    return true;
}

static bool append_instance(const char *line)
{
    char what[64], key[64], stack[1024] = "";
    uint64_t values[INSTANCE_COUNTER_0 + 1] = {0};
    int got = sscanf(line, "instance %63s %63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNi64 " %" SCNi64 " %1023[^\n]",
                     what, key, &values[INSTANCE_TIME], &values[INSTANCE_NUMBER], &values[INSTANCE_WEIGHT],
                     (int64_t *)&values[INSTANCE_TOOK], (int64_t *)&values[INSTANCE_COUNTER_0], stack);
    while (values[INSTANCE_WHAT] < INSTANCE_COUNT &&
           strcmp(what, trace_instance_name((unsigned)values[INSTANCE_WHAT])) != 0)
        values[INSTANCE_WHAT]++;
    if (got < 7 || values[INSTANCE_WHAT] == INSTANCE_COUNT)
        return false;
    struct trace_raw_frame frames[DEPTH_MAX];
    size_t depth = frames_of(stack, frames);
    struct trace_stream *stream = stream_of(key);
    while (depth > 0
               ? !trace_append_stacks(stream, TRACE_INSTANCE, values, INSTANCE_COUNTER_0 + 1,
                                      &(struct trace_stack){INSTANCE_CONTEXT, frames + DEPTH_MAX - depth, depth}, 1)
               : !trace_append(stream, TRACE_INSTANCE, values, INSTANCE_COUNTER_0 + 1))
        if ((errno = trace_drain(writer, false)) != 0)
            fail("trace_drain");
    return true;
}

static void append(const char *line)
{
    char key[64], stack[1024] = "work";
    uint64_t values[5] = {0}, count;
    if (append_event(line) || append_instance(line) || set_role(line) || append_vm(line) || append_collection(line))
        return;
    if (sscanf(line, "lost %63s %" SCNu64, key, &count) == 2) {
        trace_count_lost(stream_of(key), LOST_NOT_DELIVERED, count);
        return;
    }
    errno = EINVAL;
    if (sscanf(line, "%63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %1023[^\n]", key, &values[SAMPLE_TICK],
               &values[SAMPLE_TIME], &values[SAMPLE_CPU], stack) < 4)
        fail(line);
    values[SAMPLE_STATE] = STATE_NATIVE;
    struct trace_raw_frame frames[DEPTH_MAX];
    size_t depth = frames_of(stack, frames);
    struct trace_stream *stream = stream_of(key);
    while (!trace_append_stacks(stream, TRACE_SAMPLE, values, 5,
                                &(struct trace_stack){SAMPLE_CONTEXT, frames + DEPTH_MAX - depth, depth}, 1))
        if ((errno = trace_drain(writer, false)) != 0)
            fail("trace_drain");
}

static json_t *metadata_of(char **pairs)
{
    json_t *metadata = json_object();
    for (; *pairs; pairs++) {
        char *value = strchr(*pairs, '=');
        errno = EINVAL;
        if (!value)
            fail(*pairs);
        *value++ = '\0';
        char *end;
        long long number = strtoll(value, &end, 10);
        json_t *json = *value == '[' || *value == '{' ? json_loads(value, 0, NULL) : NULL;
        if (strcmp(value, "true") == 0)
            json = json_true();
        if (!json)
            json = *value && !*end ? json_integer(number) : json_string(value);
        json_object_set_new(metadata, *pairs, json);
    }
    return metadata;
}

int main(int argc, char **argv)
{
    const char *chunk = getenv("CHUNK");
    struct trace_writer_options options = {
        .manual = true, .describe = describe, .chunk_records = chunk ? strtoul(chunk, NULL, 10) : 0};
    errno = EINVAL;
    if (argc < 2)
        fail("usage: make_trace FILE [KEY=VALUE]... < SAMPLES");
    json_t *metadata = metadata_of(argv + 2);
    if ((errno = trace_create(argv[1], metadata, &options, &writer)) != 0)
        fail(argv[1]);
    json_decref(metadata);
    char line[2048];
    for (unsigned n = 1; fgets(line, sizeof line, stdin); n++) {
        append(line);
        if (n % 256 == 0 && (errno = trace_drain(writer, false)) != 0)
            fail(argv[1]);
    }
    if ((errno = trace_finish(writer)) != 0)
        fail(argv[1]);
    return 0;
}
