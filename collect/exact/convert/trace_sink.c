#include "collect/exact/convert/trace_sink.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "collect/exact/convert/module_file.h"

enum { STREAM_ROWS = 32768, ALL_ROWS = 8 * STREAM_ROWS };

int trace_sink_open(struct trace_sink *sink, const char *path, const json_t *metadata, size_t spare,
                    const struct definitions *definitions)
{
    *sink = (struct trace_sink){.definitions = definitions,
                                .objects = {.kind = TRACE_OBJECT},
                                .threads = {.kind = TRACE_THREAD},
                                .lost = {.kind = TRACE_LOST},
                                .bursts = {.kind = TRACE_BURST},
                                .sites = {.kind = TRACE_SITE},
                                .loops = {.kind = TRACE_LOOP},
                                .codes = {.kind = TRACE_CODE},
                                .stream_count = 1,
                                .realtime_offset_ns =
                                    (int64_t)clock_ns(CLOCK_REALTIME) - (int64_t)clock_ns(CLOCK_MONOTONIC)};
    tree_init(&sink->tree);
    return output_open(&sink->output, path, metadata, spare);
}

int trace_sink_close(struct trace_sink *sink)
{
    int error = output_close(&sink->output);
    for (size_t i = 1; sink->streams && i < sink->stream_count; i++) {
        chunk_rows_free(&sink->streams[i].pairs);
        chunk_rows_free(&sink->streams[i].totals);
        chunk_rows_free(&sink->streams[i].instances);
    }
    free(sink->streams);
    chunk_rows_free(&sink->objects);
    chunk_rows_free(&sink->threads);
    chunk_rows_free(&sink->lost);
    chunk_rows_free(&sink->bursts);
    chunk_rows_free(&sink->sites);
    chunk_rows_free(&sink->loops);
    chunk_rows_free(&sink->codes);
    tree_free(&sink->tree);
    return error;
}

/* ---------------------------------------------------------------------------- definitions -- */

int trace_sink_threads(struct trace_sink *sink)
{
    size_t known = sink->stream_count, count = (size_t)sink->definitions->streams + 1;
    int error = 0;
    if (count != known || !sink->streams) {
        struct trace_sink_stream *streams = reallocarray(sink->streams, count, sizeof *streams);
        if (!streams)
            return ENOMEM;
        for (size_t i = sink->streams ? known : 0; i < count; i++)
            streams[i] = (struct trace_sink_stream){0};
        sink->streams = streams;
        sink->stream_count = count;
    }
    for (uint32_t id = 1; id <= sink->definitions->threads.count && count > known && !error; id++) {
        const struct definition_thread *thread = definitions_thread(sink->definitions, id);
        if (!thread || thread->stream < known)
            continue;
        uint64_t integers[TRACE_COLUMNS_MAX] = {[THREAD_ID] = thread->stream,
                                                [THREAD_TID] = thread->tid,
                                                [THREAD_ROLE] = thread->name ? ROLE_JAVA : ROLE_NATIVE};
        error =
            chunk_rows_add(&sink->threads, integers,
                           (const char *const[TRACE_COLUMNS_MAX]){[THREAD_NAME] = thread->name ? thread->name : ""});
    }
    return error;
}

int trace_sink_object(struct trace_sink *sink, struct definition_object *object, uint32_t context)
{
    uint64_t integers[TRACE_COLUMNS_MAX] = {[OBJECT_ID] = sink->object_count + 1,
                                            [OBJECT_KIND] = object->kind,
                                            [OBJECT_BYTES] = object->bytes,
                                            [OBJECT_CONTEXT] = context};
    int error = chunk_rows_add(&sink->objects, integers, NULL);
    if (!error)
        object->id = ++sink->object_count;
    return error;
}

int trace_sink_site(struct trace_sink *sink, const struct trace_site *site, uint32_t *id)
{
    uint64_t integers[TRACE_COLUMNS_MAX] = {
        [SITE_ID] = sink->site_count + 1, [SITE_CONTEXT] = site->context, [SITE_THREAD] = site->thread,
        [SITE_ACCESS] = site->access,     [SITE_BYTES] = site->bytes,     [SITE_LOOP] = site->loop};
    int error = chunk_rows_add(&sink->sites, integers, NULL);
    if (!error)
        *id = ++sink->site_count;
    return error;
}

int trace_sink_loop(struct trace_sink *sink, const struct trace_loop *loop, uint32_t *id)
{
    uint64_t integers[TRACE_COLUMNS_MAX] = {[LOOP_ID] = sink->loop_count + 1,
                                            [LOOP_CONTEXT] = loop->context,
                                            [LOOP_THREAD] = loop->thread,
                                            [LOOP_OUTER] = loop->outer};
    int error = chunk_rows_add(&sink->loops, integers, NULL);
    if (!error)
        *id = ++sink->loop_count;
    return error;
}

int trace_sink_code(struct trace_sink *sink, const struct raw_instruction *instructions, uint32_t count, uint32_t *id)
{
    int error = sink->codes.count + count > ALL_ROWS ? output_rows(&sink->output, &sink->codes) : 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        uint64_t integers[TRACE_COLUMNS_MAX] = {[CODE_ID] = sink->code_count + 1,
                                                [CODE_ADDRESS] = instructions[i].address,
                                                [CODE_LENGTH] = instructions[i].bytes,
                                                [CODE_INSTRUCTIONS] = instructions[i].instructions};
        error = chunk_rows_add(&sink->codes, integers, NULL);
    }
    if (!error)
        *id = ++sink->code_count;
    return error;
}

/* ---------------------------------------------------------------------------- rows -- */

int trace_sink_row(struct trace_sink *sink, unsigned kind, uint32_t stream, const uint64_t *integers)
{
    assert(stream > 0 && stream < sink->stream_count);
    assert(kind == TRACE_PAIR || kind == TRACE_TOTAL || kind == TRACE_INSTANCE);
    struct trace_sink_stream *own = &sink->streams[stream];
    struct chunk_rows *rows = kind == TRACE_PAIR ? &own->pairs : kind == TRACE_TOTAL ? &own->totals : &own->instances;
    rows->kind = kind;
    rows->thread = stream;
    int error = chunk_rows_add(rows, integers, NULL);
    sink->waiting += !error;
    sink->full |= rows->count >= STREAM_ROWS || sink->waiting >= ALL_ROWS;
    return error;
}

int trace_sink_lost(struct trace_sink *sink, const uint64_t *integers)
{
    return chunk_rows_add(&sink->lost, integers, NULL);
}

int trace_sink_burst(struct trace_sink *sink, const uint64_t *integers)
{
    int error = chunk_rows_add(&sink->bursts, integers, NULL);
    sink->full |= sink->bursts.count >= STREAM_ROWS;
    return error;
}

/* A stream that was written may never get another row, so its memory is freed. */
static int trace_sink_put_rows(struct trace_sink *sink, struct chunk_rows *rows)
{
    int error = rows->count ? output_rows(&sink->output, rows) : 0;
    chunk_rows_free(rows);
    return error;
}

int trace_sink_flush(struct trace_sink *sink, uint64_t now_ns)
{
    struct chunk_rows rows = {.kind = TRACE_MODULE};
    int error = 0;
    while (!error && sink->modules_written < sink->definitions->modules.count) {
        char build_id[BUILD_ID_TEXT_MAX];
        const struct definition_module *raw = definitions_module(sink->definitions, ++sink->modules_written);
        module_file_build_id(raw->path, now_ns + (uint64_t)sink->realtime_offset_ns, build_id);
        struct trace_module module = {raw->path, build_id, raw->bias, raw->low, raw->high};
        error = put_module(&sink->output, &rows, sink->modules_written, &module);
    }
    if (!error)
        error = output_rows(&sink->output, &rows);
    chunk_rows_free(&rows);
    if (!error)
        error = put_tree(&sink->output, &sink->tree, &sink->written);
    if (!error)
        error = output_rows(&sink->output, &sink->objects);
    if (!error)
        error = output_rows(&sink->output, &sink->threads);
    if (!error)
        error = output_rows(&sink->output, &sink->loops);
    if (!error)
        error = output_rows(&sink->output, &sink->codes);
    if (!error)
        error = output_rows(&sink->output, &sink->sites);
    for (size_t i = 1; i < sink->stream_count && !error; i++) {
        error = trace_sink_put_rows(sink, &sink->streams[i].totals);
        if (!error)
            error = trace_sink_put_rows(sink, &sink->streams[i].pairs);
        if (!error)
            error = trace_sink_put_rows(sink, &sink->streams[i].instances);
    }
    sink->waiting = 0;
    sink->full = false;
    if (!error)
        error = output_rows(&sink->output, &sink->bursts);
    return error ? error : output_rows(&sink->output, &sink->lost);
}

int trace_sink_columns(struct trace_sink *sink, struct chunk_columns *columns, uint64_t now_ns)
{
    int error = trace_sink_flush(sink, now_ns);
    return error ? error : output_columns(&sink->output, columns);
}
