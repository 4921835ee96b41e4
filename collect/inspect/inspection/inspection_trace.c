/*
 * inspection_trace.c - the trace of a process whose methods are inspected: the kinds of mode memory, and dependences.
 *
 * Each inspection of a loop is preceded by a gap (iteration of loop 0). The same place of the same thread is the same
 * site, or loop, in all of them. A context has one frame, since the callers of a method have no part in its inspection.
 */
#include "collect/inspect/inspection/inspection_trace.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/keyed.h"
#include "trace/write/put.h"

enum { METADATA_SPARE = 8192, CHUNK_ROWS = 65536 };

struct known_thread {
    uint32_t tid;
};

/* A site, by its key, whose id is its index plus 1; likewise a loop. */
struct known_site {
    uint32_t context, thread, load, bytes;
};
struct known_loop {
    uint32_t context, thread;
};

static struct {
    struct output output;
    struct tree tree;
    struct put_progress written;
    struct keyed threads, sites, loops, dependences;
    struct chunk_rows thread_rows, loop_rows, site_rows, dependence_rows, iteration_rows, access_rows;
    uint64_t access_count;
    bool open;
} out;

/* ------------------------------------------------------------------------------------------ the file -- */

int inspection_trace_open(const char *path, const json_t *metadata)
{
    assert(!out.open);
    tree_init(&out.tree);
    out.threads = (struct keyed){.item_bytes = sizeof(struct known_thread), .key_bytes = sizeof(struct known_thread)};
    out.sites = (struct keyed){.item_bytes = sizeof(struct known_site), .key_bytes = sizeof(struct known_site)};
    out.loops = (struct keyed){.item_bytes = sizeof(struct known_loop), .key_bytes = sizeof(struct known_loop)};
    out.dependences = (struct keyed){.item_bytes = sizeof(struct interpreter_dependence),
                                     .key_bytes = sizeof(struct interpreter_dependence)};
    out.thread_rows.kind = TRACE_THREAD;
    out.loop_rows.kind = TRACE_LOOP;
    out.site_rows.kind = TRACE_SITE;
    out.dependence_rows.kind = TRACE_DEPENDENCE;
    out.iteration_rows.kind = TRACE_ITERATION;
    out.access_rows.kind = TRACE_ACCESS;
    int error = output_init(&out.output, path, metadata, METADATA_SPARE, 3);
    if (!error)
        error = output_create(&out.output, O_EXCL);
    if (error)
        output_close(&out.output);
    out.open = !error;
    return error;
}

int inspection_trace_describe(const json_t *metadata)
{
    return out.open ? output_describe(&out.output, metadata) : 0;
}

/* Definitions first, and iterations before the accesses that follow them. */
int inspection_trace_flush(void)
{
    struct chunk_rows *const rows[] = {&out.thread_rows,     &out.loop_rows,      &out.site_rows,
                                       &out.dependence_rows, &out.iteration_rows, &out.access_rows};
    int error = out.open ? put_tree(&out.output, &out.tree, &out.written) : EBADF;
    for (size_t i = 0; !error && i < sizeof rows / sizeof *rows; i++)
        error = output_rows(&out.output, rows[i]);
    return error;
}

int inspection_trace_close(void)
{
    if (!out.open)
        return 0;
    int error = inspection_trace_flush(), ended = output_end(&out.output), closed = output_close(&out.output);
    out.open = false;
    return error ? error : ended ? ended : closed;
}

/* ------------------------------------------------------------------------------------------ definitions -- */

/* The context of a bytecode index; 0 without memory. */
static uint32_t inspection_trace_find_context(const struct inspection_method *method, uint32_t at)
{
    const struct trace_method texts = {method->class_name, method->name, method->descriptor, method->file};
    const struct trace_frame frame = {
        .method = tree_method(&out.tree, &texts, 0), .line = inspection_find_line(method, at), .position = at};
    uint32_t id = frame.method ? tree_frame(&out.tree, &frame) : 0;
    return id ? tree_context(&out.tree, 0, id) : 0;
}

static int inspection_trace_define_loop(const struct inspection_method *method, uint32_t stream, uint32_t outer,
                                        uint32_t loop, uint32_t *id)
{
    const struct flow *flow = method->code.flow;
    const struct known_loop known = {
        inspection_trace_find_context(method, flow->blocks[flow->loops[loop].header].begin), stream};
    size_t before = out.loops.count;
    uint32_t index = known.context ? keyed_add(&out.loops, &known) : KEYED_FULL;
    if (index == KEYED_FULL)
        return ENOMEM;
    *id = index + 1;
    if (out.loops.count == before)
        return 0;
    const uint64_t row[TRACE_COLUMNS_MAX] = {
        [LOOP_ID] = *id, [LOOP_CONTEXT] = known.context, [LOOP_THREAD] = stream, [LOOP_OUTER] = outer};
    return chunk_rows_add(&out.loop_rows, row, NULL);
}

/* What the rows of an inspection need. */
struct frame {
    const struct inspection_method *method;
    uint32_t stream;
    const uint32_t *loops; /* ids */
};

static int inspection_trace_define_site(const struct frame *frame, uint32_t load, uint32_t bytes, uint32_t *id)
{
    uint32_t at = interpreter_load_index(load);
    const struct known_site known = {inspection_trace_find_context(frame->method, at), frame->stream, load, bytes};
    size_t before = out.sites.count;
    uint32_t index = known.context ? keyed_add(&out.sites, &known) : KEYED_FULL;
    if (index == KEYED_FULL)
        return ENOMEM;
    *id = index + 1;
    if (out.sites.count == before)
        return 0;
    const struct flow *flow = frame->method->code.flow;
    uint32_t block = 0; /* that the instruction is in */
    while (block + 1 < flow->block_count && flow->blocks[block + 1].begin <= at)
        block++;
    uint32_t loop = flow_innermost(flow, block);
    const uint64_t row[TRACE_COLUMNS_MAX] = {[SITE_ID] = *id,
                                             [SITE_CONTEXT] = known.context,
                                             [SITE_THREAD] = frame->stream,
                                             [SITE_ACCESS] = ACCESS_LOAD,
                                             [SITE_BYTES] = bytes,
                                             [SITE_LOOP] = loop == FLOW_NONE ? 0 : frame->loops[loop]};
    return chunk_rows_add(&out.site_rows, row, NULL);
}

/* ------------------------------------------------------------------------------------------ a loop -- */

static int inspection_trace_add_iteration(uint32_t loop)
{
    const uint64_t row[TRACE_COLUMNS_MAX] = {
        [ITERATION_ACCESSES] = out.access_count, [ITERATION_LOOP] = loop, [ITERATION_COUNT] = loop != 0};
    return chunk_rows_add(&out.iteration_rows, row, NULL);
}

/* The sites of the loads that depend on each other are defined by then: sites[load]. */
static int inspection_trace_add_dependences(const struct interpreter_record *record, const uint32_t *sites)
{
    int error = 0;
    for (size_t i = 0; !error && i < record->dependences.count; i++) {
        const struct interpreter_dependence *loads = keyed_at(&record->dependences, i);
        const struct interpreter_dependence between = {sites[loads->from], sites[loads->to], loads->how};
        size_t before = out.dependences.count;
        if (!between.from || !between.to)
            continue;
        if (keyed_add(&out.dependences, &between) == KEYED_FULL)
            return ENOMEM;
        const uint64_t row[TRACE_COLUMNS_MAX] = {
            [DEPENDENCE_FROM] = between.from, [DEPENDENCE_TO] = between.to, [DEPENDENCE_HOW] = between.how};
        if (out.dependences.count > before)
            error = chunk_rows_add(&out.dependence_rows, row, NULL);
    }
    return error;
}

static int inspection_trace_add_record(const struct frame *frame, const struct interpreter_record *record)
{
    uint32_t *sites = calloc(2 * (size_t)frame->method->code.bytes + 3, sizeof *sites);
    int error = !sites ? ENOMEM : record->event_count ? inspection_trace_add_iteration(0) : 0;
    for (size_t i = 0; !error && i < record->event_count; i++) {
        const struct interpreter_event *event = &record->events[i];
        if (event->loop) {
            error = inspection_trace_add_iteration(event->loop == INTERPRETER_GAP ? 0 : frame->loops[event->loop - 1]);
            continue;
        }
        /* An element's site precedes that of the length which is loaded for its check: so it is the first load of its
         * instruction, as in traces that know of no lengths. */
        uint32_t element = event->load - 1;
        assert(event->load > 0);
        if (event->element_bytes && !sites[element])
            error = inspection_trace_define_site(frame, element, event->element_bytes, &sites[element]);
        if (!error && !sites[event->load])
            error = inspection_trace_define_site(frame, event->load, event->bytes, &sites[event->load]);
        if (!error) {
            const uint64_t row[TRACE_COLUMNS_MAX] = {
                [ACCESS_SITE] = sites[event->load], [ACCESS_ADDRESS] = event->address, [ACCESS_VALUE] = event->value};
            error = chunk_rows_add(&out.access_rows, row, NULL);
            out.access_count += !error;
        }
    }
    if (!error)
        error = inspection_trace_add_dependences(record, sites);
    free(sites);
    return error;
}

int inspection_trace_add(const struct inspection *inspection)
{
    if (!out.open)
        return EBADF;
    const struct flow *flow = inspection->method->code.flow;
    const struct known_thread thread = {inspection->tid};
    size_t before = out.threads.count;
    uint32_t *ids = calloc(flow->loop_count, sizeof *ids);
    uint32_t index = ids ? keyed_add(&out.threads, &thread) : KEYED_FULL, stream = index + 1;
    int error = index == KEYED_FULL ? ENOMEM : 0;
    if (!error && out.threads.count > before) {
        const uint64_t row[TRACE_COLUMNS_MAX] = {
            [THREAD_ID] = stream, [THREAD_TID] = thread.tid, [THREAD_ROLE] = ROLE_JAVA};
        error = chunk_rows_add(&out.thread_rows, row,
                               (const char *const[TRACE_COLUMNS_MAX]){[THREAD_NAME] = inspection->thread});
    }
    /* Defines the method's loops, outer ones first. */
    for (uint32_t loop = 0; !error && loop < flow->loop_count; loop++) {
        uint32_t outer = flow->loops[loop].outer;
        assert(outer == FLOW_NONE || outer < loop);
        error = inspection_trace_define_loop(inspection->method, stream, outer == FLOW_NONE ? 0 : ids[outer], loop,
                                             &ids[loop]);
    }
    const struct frame frame = {inspection->method, stream, ids};
    for (uint32_t i = 0; !error && i < flow->loop_count; i++)
        error = inspection_trace_add_record(&frame, &inspection->records[flow->postorder[i]]);
    free(ids);
    return !error && out.access_rows.count >= CHUNK_ROWS ? inspection_trace_flush() : error;
}
