#include "trace/write/intern.h"

#include <string.h>

struct raw {
    struct trace_raw_frame key;
    uint32_t frame; /* 0: not described yet */
};

void intern_init(struct intern *intern, const struct trace_writer_options *options)
{
    *intern = (struct intern){
        .modules = {.kind = TRACE_MODULE},
        .raws = {.item_bytes = sizeof(struct raw), .key_bytes = sizeof(struct trace_raw_frame)},
        .describe = options->describe,
        .user = options->user,
    };
    tree_init(&intern->tree);
}

void intern_free(struct intern *intern)
{
    tree_free(&intern->tree);
    chunk_rows_free(&intern->modules);
    keyed_free(&intern->raws);
}

static uint32_t intern_frame(struct intern *intern, const struct trace_raw_frame *frame)
{
    uint32_t at = keyed_add(&intern->raws, &(struct raw){.key = *frame});
    if (at == KEYED_FULL)
        return 0;
    struct raw *raw = keyed_at(&intern->raws, at);
    if (!raw->frame) {
        struct trace_frame_text text = {"", "[unknown]", "", "", 0, 0, 0, 0};
        if (!intern->describe || !intern->describe(intern->user, frame, &text))
            text = (struct trace_frame_text){"", "[unknown]", "", "", 0, frame->position, 0, 0};
        const struct trace_method method = {text.class_name, text.method, text.signature, text.file};
        struct trace_frame described = {tree_method(&intern->tree, &method, text.method_key), (uint32_t)text.line,
                                        text.position, (uint32_t)text.module};
        raw->frame = described.method ? tree_frame(&intern->tree, &described) : 0;
    }
    return raw->frame;
}

void intern_forget_raw(struct intern *intern)
{
    intern->stale = true; /* done later: this may come while a frame is described */
}

static void intern_drop_stale(struct intern *intern)
{
    if (intern->stale)
        keyed_free(&intern->raws);
    intern->stale = false;
}

uint32_t intern_stack(struct intern *intern, const struct trace_raw_frame *frames, size_t depth)
{
    uint32_t context = 0;
    intern_drop_stale(intern);
    for (size_t i = depth; i-- > 0;) {
        uint32_t frame = intern_frame(intern, &frames[i]);
        context = frame ? tree_context(&intern->tree, context, frame) : 0;
        if (!context)
            return 0;
    }
    return context;
}

uint32_t intern_method_of(struct intern *intern, const struct trace_raw_frame *frame)
{
    intern_drop_stale(intern);
    uint32_t id = intern_frame(intern, frame);
    return id ? tree_frame_at(&intern->tree, id)->method : 0;
}

uint32_t intern_module(struct intern *intern, const uint64_t *integers, const char *const *texts)
{
    uint64_t row[TRACE_COLUMNS_MAX];
    memcpy(row, integers, sizeof row);
    row[MODULE_ID] = intern->module_count + 1;
    if (chunk_rows_add(&intern->modules, row, texts))
        return 0;
    return ++intern->module_count;
}

bool intern_is_full(const struct intern *intern, size_t records)
{
    const struct tree *tree = &intern->tree;
    const struct put_progress *written = &intern->written;
    return tree->contexts.count - written->context >= records || tree->frames.count - written->frame >= records ||
           tree->method_count - written->method >= records;
}
