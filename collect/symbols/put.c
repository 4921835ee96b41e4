#include "collect/symbols/put.h"

enum { DEFINITION_ROWS = 32768 };

int put_row(struct output *output, struct rows *rows, const uint64_t *integers, const char *const *texts)
{
    int error = rows_add(rows, integers, texts);
    return !error && rows->count >= DEFINITION_ROWS ? output_rows(output, rows) : error;
}

int put_module(struct output *output, struct rows *rows, uint64_t id, const struct trace_module *module)
{
    uint64_t integers[TRACE_COLUMNS_MAX] = {
        [MODULE_ID] = id, [MODULE_BIAS] = module->bias, [MODULE_LOW] = module->low, [MODULE_HIGH] = module->high};
    const char *texts[TRACE_COLUMNS_MAX] = {[MODULE_PATH] = module->path, [MODULE_BUILD_ID] = module->build_id};
    return put_row(output, rows, integers, texts);
}

static int put_method(struct output *output, struct rows *rows, const struct tree *tree, uint32_t id)
{
    const struct trace_method *method = &tree->methods[id];
    uint64_t integers[TRACE_COLUMNS_MAX] = {[METHOD_ID] = id};
    const char *texts[TRACE_COLUMNS_MAX] = {[METHOD_CLASS] = method->class_name,
                                            [METHOD_NAME] = method->name,
                                            [METHOD_SIGNATURE] = method->signature,
                                            [METHOD_FILE] = method->file};
    return put_row(output, rows, integers, texts);
}

static int put_frame(struct output *output, struct rows *rows, const struct tree *tree, uint32_t id)
{
    const struct tree_frame *frame = &tree->frames[id];
    uint64_t integers[TRACE_COLUMNS_MAX] = {[FRAME_ID] = id,
                                            [FRAME_METHOD] = frame->method,
                                            [FRAME_LINE] = frame->line,
                                            [FRAME_POSITION] = frame->position,
                                            [FRAME_MODULE] = frame->module};
    return put_row(output, rows, integers, NULL);
}

static int put_context(struct output *output, struct rows *rows, const struct tree *tree, uint32_t id)
{
    uint64_t integers[TRACE_COLUMNS_MAX] = {
        [CONTEXT_ID] = id, [CONTEXT_PARENT] = tree->contexts[id].parent, [CONTEXT_FRAME] = tree->contexts[id].frame};
    return put_row(output, rows, integers, NULL);
}

typedef int put_one(struct output *output, struct rows *rows, const struct tree *tree, uint32_t id);

static int put_kind(struct output *output, const struct tree *tree, unsigned kind, uint32_t *done, uint32_t count,
                    put_one *one)
{
    struct rows rows = {.kind = kind};
    int error = 0;
    while (!error && *done < count)
        error = one(output, &rows, tree, ++*done);
    if (!error)
        error = output_rows(output, &rows);
    rows_free(&rows);
    return error;
}

int put_tree(struct output *output, const struct tree *tree, struct put_progress *done)
{
    int error = put_kind(output, tree, TRACE_METHOD, &done->method, tree->method_count, put_method);
    if (!error)
        error = put_kind(output, tree, TRACE_FRAME, &done->frame, tree->frame_count, put_frame);
    if (!error)
        error = put_kind(output, tree, TRACE_CONTEXT, &done->context, tree->context_count, put_context);
    return error;
}
