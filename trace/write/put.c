#include "trace/write/put.h"

/* The most definitions, and bytes of them, in a chunk. */
enum { DEFINITION_ROWS = 32768, DEFINITION_BYTES = 1 << 22 };

static bool put_is_full(const struct chunk_rows *rows)
{
    return rows->count >= DEFINITION_ROWS || chunk_rows_bytes(rows) >= DEFINITION_BYTES;
}

int put_module(struct output *output, struct chunk_rows *rows, uint64_t id, const struct trace_module *module)
{
    uint64_t integers[TRACE_COLUMNS_MAX] = {
        [MODULE_ID] = id, [MODULE_BIAS] = module->bias, [MODULE_LOW] = module->low, [MODULE_HIGH] = module->high};
    const char *texts[TRACE_COLUMNS_MAX] = {[MODULE_PATH] = module->path, [MODULE_BUILD_ID] = module->build_id};
    int error = chunk_rows_add(rows, integers, texts);
    return !error && put_is_full(rows) ? output_rows(output, rows) : error;
}

static int put_add_method(const struct tree *tree, uint32_t id, struct chunk_rows *rows)
{
    const struct trace_method *method = &tree->methods[id].texts;
    uint64_t integers[TRACE_COLUMNS_MAX] = {[METHOD_ID] = id};
    const char *texts[TRACE_COLUMNS_MAX] = {[METHOD_CLASS] = method->class_name,
                                            [METHOD_NAME] = method->name,
                                            [METHOD_SIGNATURE] = method->signature,
                                            [METHOD_FILE] = method->file};
    return chunk_rows_add(rows, integers, texts);
}

static int put_add_frame(const struct tree *tree, uint32_t id, struct chunk_rows *rows)
{
    const struct trace_frame *frame = tree_frame_at(tree, id);
    uint64_t integers[TRACE_COLUMNS_MAX] = {[FRAME_ID] = id,
                                            [FRAME_METHOD] = frame->method,
                                            [FRAME_LINE] = frame->line,
                                            [FRAME_POSITION] = (uint64_t)frame->position,
                                            [FRAME_MODULE] = frame->module};
    return chunk_rows_add(rows, integers, NULL);
}

static int put_add_context(const struct tree *tree, uint32_t id, struct chunk_rows *rows)
{
    const struct trace_context *context = tree_context_at(tree, id);
    uint64_t integers[TRACE_COLUMNS_MAX] = {
        [CONTEXT_ID] = id, [CONTEXT_PARENT] = context->parent, [CONTEXT_FRAME] = context->frame};
    return chunk_rows_add(rows, integers, NULL);
}

typedef int add_one(const struct tree *tree, uint32_t id, struct chunk_rows *rows);

static int put_kind(struct output *output, const struct tree *tree, unsigned kind, uint32_t *done, size_t count,
                    add_one *add_item)
{
    struct chunk_rows rows = {.kind = kind};
    int error = 0;
    for (uint32_t id = *done; !error && id < count;) {
        error = add_item(tree, ++id, &rows);
        if (error || (!put_is_full(&rows) && id < count))
            continue;
        error = output_rows(output, &rows);
        if (rows.count == 0)
            *done = id;
    }
    chunk_rows_free(&rows);
    return error;
}

int put_tree(struct output *output, const struct tree *tree, struct put_progress *done)
{
    int error = put_kind(output, tree, TRACE_METHOD, &done->method, tree->method_count, put_add_method);
    if (!error)
        error = put_kind(output, tree, TRACE_FRAME, &done->frame, tree->frames.count, put_add_frame);
    if (!error)
        error = put_kind(output, tree, TRACE_CONTEXT, &done->context, tree->contexts.count, put_add_context);
    return error;
}
