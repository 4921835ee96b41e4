#include "collect/symbols/resolve.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/replace.h"
#include "collect/symbols/lookup.h"
#include "trace/write/put.h"

struct rewrite {
    const struct trace *trace;
    const json_t *more;   /* metadata to be added, or NULL */
    const uint8_t *bytes; /* of the complete old file */
    struct tree tree;
    struct lookup_maps maps;
    size_t context_count, method_count; /* [old id] of maps */
    struct output output;
    struct trace_batch batch;
    struct buffer columns; /* mapped contexts */
    struct buffer copy;
};

/* ---------------------------------------------------------------------------- records -- */

static bool resolve_is_mapped(const struct trace_column *column)
{
    return column->context || column->method;
}

/* Replaces the columns of a chunk in which an id changes; the others are copied as they are. */
static int resolve_map_chunk(struct rewrite *rewrite, const struct trace_schema *schema,
                             const struct trace_chunk *chunk)
{
    const struct trace_batch *batch = &rewrite->batch;
    const struct lookup_maps *maps = &rewrite->maps;
    const uint64_t *changed[TRACE_COLUMNS_MAX] = {0};
    size_t bytes = batch->count * sizeof(uint64_t);
    assert(schema->column_count <= TRACE_COLUMNS_MAX);
    rewrite->columns.size = 0;
    uint64_t *mapped = (uint64_t *)(void *)buffer_grow(&rewrite->columns, TRACE_COLUMNS_MAX * bytes + 1);
    if (!mapped)
        return ENOMEM;
    for (size_t c = 0; c < schema->column_count; c++) {
        if (!resolve_is_mapped(&schema->columns[c]))
            continue;
        const uint32_t *map = schema->columns[c].method                                ? maps->methods
                              : batch->kind == TRACE_PAIR && c == PAIR_SCOPE           ? maps->loops
                              : batch->kind == TRACE_INSTANCE && c == INSTANCE_CONTEXT ? maps->entries
                                                                                       : maps->contexts;
        const uint64_t *old = batch->integers[c];
        size_t count = schema->columns[c].method ? rewrite->method_count : rewrite->context_count;
        for (size_t i = 0; i < batch->count; i++)
            mapped[i] = old[i] < count ? map[old[i]] : 0;
        if (memcmp(mapped, old, bytes) != 0)
            changed[c] = mapped;
        mapped += batch->count;
    }
    return output_replaced(&rewrite->output, rewrite->bytes + chunk->offset, chunk, changed);
}

static int resolve_put_chunk(struct rewrite *rewrite, size_t i)
{
    const struct trace_chunk *chunk = trace_chunk_at(rewrite->trace, i);
    const struct trace_schema *schema = trace_schema_of(chunk->kind);
    /* What is renumbered has been written anew. */
    bool dropped = chunk->kind == TRACE_MODULE || chunk->kind == TRACE_METHOD || chunk->kind == TRACE_FRAME ||
                   chunk->kind == TRACE_CONTEXT;
    /* The columns of ids, as a mask. */
    uint64_t ids = 0;
    for (size_t c = 0; schema && c < schema->column_count; c++)
        ids |= resolve_is_mapped(&schema->columns[c]) ? UINT64_C(1) << c : 0;
    struct error_text message;
    if (ids == 0 && !dropped)
        return output_copy(&rewrite->output, rewrite->bytes + chunk->offset, chunk->bytes, chunk);
    int status = trace_read(rewrite->trace, i, dropped ? TRACE_ALL_COLUMNS : ids, &rewrite->batch, &message);
    if (status == TRACE_NO_MEMORY)
        return ENOMEM;
    if (status == 0)
        return dropped ? 0 : resolve_map_chunk(rewrite, schema, chunk);
    /* A chunk whose ids can't be read stays damaged, and all of it: with ids of the old file in it it would lie. */
    rewrite->copy.size = 0;
    buffer_add(&rewrite->copy, rewrite->bytes + chunk->offset, chunk->bytes);
    if (rewrite->copy.failed)
        return ENOMEM;
    uint8_t *header = rewrite->copy.data;
    header[36] ^= 0xff; /* the directory's checksum: see docs/trace-format.md */
    bytes_put(header + 40, checksum_crc32c(header, 40), 4);
    return output_copy(&rewrite->output, header, chunk->bytes, chunk);
}

/* Bytes between two chunks: old indexes are dropped, damage is kept. */
static int resolve_put_gap(struct rewrite *rewrite, uint64_t from, uint64_t to)
{
    struct chunk_header header;
    uint64_t index;
    while (from < to) {
        const uint8_t *at = rewrite->bytes + from;
        if (to - from >= TRAILER_BYTES && trailer_decode(at, &index)) {
            from += TRAILER_BYTES;
        } else if (chunk_header_decode(at, to - from, &header) && header.kind == TRACE_INDEX) {
            from += CHUNK_HEADER_BYTES + header.payload_bytes;
        } else {
            uint64_t end = from + 1;
            while (end < to && !(to - end >= TRAILER_BYTES && trailer_decode(rewrite->bytes + end, &index)) &&
                   !(chunk_header_decode(rewrite->bytes + end, to - end, &header) && header.kind == TRACE_INDEX))
                end++;
            int error = output_copy(&rewrite->output, at, end - from, NULL);
            if (error)
                return error;
            from = end;
        }
    }
    return 0;
}

static int resolve_put_chunks(struct rewrite *rewrite, uint64_t at)
{
    int error = 0;
    for (size_t i = 0; i < trace_chunk_count(rewrite->trace) && !error; i++) {
        const struct trace_chunk *chunk = trace_chunk_at(rewrite->trace, i);
        error = resolve_put_gap(rewrite, at, chunk->offset);
        if (!error)
            error = resolve_put_chunk(rewrite, i);
        trace_forget(rewrite->trace, i);
        at = chunk->offset + chunk->bytes;
    }
    return error ? error : resolve_put_gap(rewrite, at, trace_size_bytes(rewrite->trace));
}

/* ---------------------------------------------------------------------------- the file -- */

/* Writes the new file beside the old one, which it then replaces. */
static int resolve_replace_file(struct rewrite *rewrite, const struct trace_names *names, const char *path,
                                const struct resolve_report *report)
{
    char *temporary = replace_name(path);
    struct chunk_rows rows = {.kind = TRACE_MODULE};
    struct stat status;
    if (!temporary)
        return ENOMEM;
    json_t *metadata = json_deep_copy(trace_metadata(rewrite->trace));
    bool joined = !rewrite->more || json_object_update(metadata, (json_t *)(uintptr_t)rewrite->more) == 0;
    json_object_set_new(metadata, "resolved", json_true());
    json_object_set_new(metadata, "resolution",
                        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "frames", (json_int_t)report->frames, "named",
                                  (json_int_t)report->named, "with_line", (json_int_t)report->with_line, "inlined",
                                  (json_int_t)report->inlined, "modules", (json_int_t)report->modules,
                                  "modules_missing", (json_int_t)report->modules_missing, "modules_changed",
                                  (json_int_t)report->modules_changed));
    int error = metadata && joined ? output_open(&rewrite->output, temporary, metadata, 0) : ENOMEM;
    json_decref(metadata);
    for (size_t id = 1; id < names->module_count && !error; id++)
        error = put_module(&rewrite->output, &rows, id, &names->modules[id]);
    if (!error)
        error = output_rows(&rewrite->output, &rows);
    chunk_rows_free(&rows);
    if (!error)
        error = put_tree(&rewrite->output, &rewrite->tree, &(struct put_progress){0});
    if (!error)
        error = resolve_put_chunks(rewrite, FILE_HEADER_BYTES + bytes_get(rewrite->bytes + 12, 4));
    /* A cut trace must not look complete. */
    if (!error && trace_has_index(rewrite->trace))
        error = output_end(&rewrite->output);
    int closed = output_close(&rewrite->output);
    error = error ? error : closed;
    if (!error && stat(path, &status) == 0 && chmod(temporary, status.st_mode & 07777) != 0)
        error = errno;
    error = replace_end(temporary, path, error);
    free(temporary);
    return error;
}

/* Marks the contexts in a column. False without memory. */
static bool resolve_mark_uses(const struct trace *trace, unsigned kind, size_t column, enum lookup_use use,
                              uint8_t *uses, size_t context_count)
{
    struct trace_batch batch = {0};
    struct error_text message;
    int status = 0;
    for (size_t i = 0; i < trace_chunk_count(trace) && status != TRACE_NO_MEMORY; i++) {
        if (trace_chunk_at(trace, i)->kind != kind)
            continue;
        status = trace_read(trace, i, TRACE_COLUMN(column), &batch, &message);
        if (status)
            continue;
        for (size_t row = 0; row < batch.count; row++)
            if (batch.integers[column][row] < context_count)
                uses[batch.integers[column][row]] |= (uint8_t)use;
        trace_forget(trace, i);
    }
    trace_batch_free(&batch);
    return status != TRACE_NO_MEMORY;
}

enum resolve_status resolve_opened(const struct trace *trace, const struct trace_names *names, struct cache *cache,
                                   const json_t *more, struct resolve_report *report, struct error_text *message)
{
    *report = (struct resolve_report){0};
    if (json_is_true(json_object_get(trace_metadata(trace), "resolved")))
        return RESOLVE_NOTHING;
    for (size_t i = 0; i < trace_chunk_count(trace); i++)
        if (!trace_schema_of(trace_chunk_at(trace, i)->kind)) {
            error_set(message, STATUS_BAD, "holds records of a newer version, which can't be renumbered");
            return RESOLVE_FAILED;
        }
    if (!lookup_is_native(names))
        return RESOLVE_NOTHING;
    struct rewrite rewrite = {.trace = trace,
                              .more = more,
                              .bytes = trace_bytes(trace),
                              .output = {.fd = -1},
                              .context_count = names->context_count,
                              .method_count = names->method_count};
    int error = ENOMEM;
    tree_init(&rewrite.tree);
    uint8_t *uses = calloc(names->context_count, sizeof *uses);
    bool marked = uses && resolve_mark_uses(trace, TRACE_PAIR, PAIR_SCOPE, LOOKUP_HEADER, uses, names->context_count) &&
                  resolve_mark_uses(trace, TRACE_INSTANCE, INSTANCE_CONTEXT, LOOKUP_ENTRY, uses, names->context_count);
    if (marked && lookup_all(names, uses, cache, &rewrite.tree, &rewrite.maps, report) == 0)
        error = resolve_replace_file(&rewrite, names, trace_path(trace), report);
    tree_free(&rewrite.tree);
    lookup_maps_free(&rewrite.maps);
    free(uses);
    trace_batch_free(&rewrite.batch);
    buffer_free(&rewrite.columns);
    buffer_free(&rewrite.copy);
    if (error)
        error_set(message, STATUS_BAD, "%s", strerror(error));
    return error ? RESOLVE_FAILED : RESOLVE_DONE;
}

enum resolve_status resolve_trace(const char *path, struct cache *cache, struct resolve_report *report,
                                  struct error_text *message)
{
    struct trace *trace;
    struct trace_names names;
    struct trace_loss loss = {0};
    enum resolve_status status = RESOLVE_FAILED;
    if (trace_open(path, &trace, message) != 0)
        return RESOLVE_FAILED;
    if (trace_names_load(trace, &names, &loss) != 0) {
        error_set(message, STATUS_BAD, "out of memory");
    } else {
        status = resolve_opened(trace, &names, cache, NULL, report, message);
        trace_names_free(&names);
    }
    trace_close(trace);
    return status;
}
