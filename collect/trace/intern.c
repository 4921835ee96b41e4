#include "collect/trace/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void intern_init(struct intern *intern, const struct trace_writer_options *options)
{
    *intern = (struct intern){
        .methods = {.kind = TRACE_METHOD},
        .frames = {.kind = TRACE_FRAME},
        .contexts = {.kind = TRACE_CONTEXT},
        .modules = {.kind = TRACE_MODULE},
        .describe = options->describe,
        .user = options->user,
    };
}

void intern_free(struct intern *intern)
{
    for (uint32_t id = 1; id <= intern->method_count; id++)
        free(intern->method_texts[id]);
    free(intern->method_texts);
    free(intern->method_keys);
    free(intern->raws);
    free(intern->known);
    free(intern->nodes);
    hash_free(&intern->method_set);
    hash_free(&intern->raw_set);
    hash_free(&intern->frame_set);
    hash_free(&intern->context_set);
    rows_free(&intern->methods);
    rows_free(&intern->frames);
    rows_free(&intern->contexts);
    rows_free(&intern->modules);
}

/* Makes room for entry `id` in an array of `capacity` entries of `size` bytes. */
static int ensure(void **array, size_t *capacity, uint32_t id, size_t size)
{
    if (id < *capacity)
        return 0;
    size_t wanted = *capacity ? *capacity * 2 : 256;
    void *grown = realloc(*array, wanted * size);
    if (!grown)
        return ENOMEM;
    *array = grown;
    *capacity = wanted;
    return 0;
}

/* --- methods --- */

struct method_key {
    const struct intern *intern;
    const struct trace_frame_text *text;
};

static bool method_equal(const void *user, uint32_t id)
{
    const struct method_key *key = user;
    const struct trace_frame_text *text = key->text;
    if (text->method_key != 0)
        return key->intern->method_keys[id] == text->method_key;
    const char *const parts[] = {text->class_name, text->method, text->signature, text->file};
    const char *at = key->intern->method_texts[id];
    if (key->intern->method_keys[id] != 0)
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(at, parts[i]) != 0)
            return false;
        at += strlen(at) + 1;
    }
    return true;
}

static char *join_texts(const struct trace_frame_text *text)
{
    const char *const parts[] = {text->class_name, text->method, text->signature, text->file};
    size_t total = 0;
    for (size_t i = 0; i < 4; i++)
        total += strlen(parts[i]) + 1;
    char *joined = malloc(total), *at = joined;
    for (size_t i = 0; joined && i < 4; i++)
        at = stpcpy(at, parts[i]) + 1;
    return joined;
}

static int method_reserve(struct intern *intern, uint32_t id)
{
    size_t capacity = intern->method_capacity;
    if (ensure((void **)&intern->method_texts, &capacity, id, sizeof *intern->method_texts))
        return ENOMEM;
    return ensure((void **)&intern->method_keys, &intern->method_capacity, id, sizeof *intern->method_keys);
}

static uint32_t method_define(struct intern *intern, const struct trace_frame_text *text, uint64_t hash)
{
    uint32_t id = intern->method_count + 1;
    if (method_reserve(intern, id))
        return 0;
    char *joined = join_texts(text);
    uint64_t integers[TRACE_COLUMNS_MAX] = {[METHOD_ID] = id};
    const char *const texts[TRACE_COLUMNS_MAX] = {[METHOD_CLASS] = text->class_name,
                                                  [METHOD_NAME] = text->method,
                                                  [METHOD_SIGNATURE] = text->signature,
                                                  [METHOD_FILE] = text->file};
    if (!joined || rows_add(&intern->methods, integers, texts) || hash_add(&intern->method_set, hash, id)) {
        free(joined);
        return 0;
    }
    intern->method_texts[id] = joined;
    intern->method_keys[id] = text->method_key;
    return intern->method_count = id;
}

static uint32_t intern_method(struct intern *intern, const struct trace_frame_text *text)
{
    uint64_t hash = text->method_key
                        ? hash_mix(text->method_key, 1)
                        : hash_text(text->signature, hash_text(text->method, hash_text(text->class_name, 2)));
    struct method_key key = {intern, text};
    uint32_t id = hash_find(&intern->method_set, hash, method_equal, &key);
    return id ? id : method_define(intern, text, hash);
}

/* --- frames --- */

struct frame_key {
    const struct intern *intern;
    const struct intern_frame *frame;
};

static bool frame_equal(const void *user, uint32_t id)
{
    const struct frame_key *key = user;
    const struct intern_frame *a = &key->intern->known[id], *b = key->frame;
    return a->method == b->method && a->position == b->position && a->line == b->line && a->module == b->module;
}

static uint32_t frame_define(struct intern *intern, const struct intern_frame *frame)
{
    uint64_t hash = hash_mix(hash_mix(frame->method, (uint64_t)frame->position), hash_mix(frame->line, frame->module));
    struct frame_key key = {intern, frame};
    uint32_t id = hash_find(&intern->frame_set, hash, frame_equal, &key);
    if (id)
        return id;
    id = intern->frame_count + 1;
    uint64_t integers[TRACE_COLUMNS_MAX] = {id, frame->method, frame->line, (uint64_t)frame->position, frame->module};
    if (ensure((void **)&intern->known, &intern->frame_capacity, id, sizeof *intern->known) ||
        rows_add(&intern->frames, integers, NULL) || hash_add(&intern->frame_set, hash, id))
        return 0;
    intern->known[id] = *frame;
    return intern->frame_count = id;
}

struct raw_key {
    const struct intern *intern;
    const struct trace_raw_frame *raw;
};

static bool raw_equal(const void *user, uint32_t i)
{
    const struct raw_key *key = user;
    const struct trace_raw_frame *raw = &key->intern->raws[i].raw;
    return raw->code == key->raw->code && raw->position == key->raw->position;
}

static uint32_t describe(struct intern *intern, const struct trace_raw_frame *raw)
{
    struct trace_frame_text text = {"", "[unknown]", "", "", 0, 0, 0, 0};
    if (!intern->describe || !intern->describe(intern->user, raw, &text))
        text = (struct trace_frame_text){"", "[unknown]", "", "", 0, raw->position, 0, 0};
    struct intern_frame frame = {text.line, text.module, text.position, intern_method(intern, &text)};
    return frame.method ? frame_define(intern, &frame) : 0;
}

static uint32_t intern_frame(struct intern *intern, const struct trace_raw_frame *raw)
{
    uint64_t hash = hash_mix(raw->code, (uint64_t)raw->position);
    struct raw_key key = {intern, raw};
    uint32_t i = hash_find(&intern->raw_set, hash, raw_equal, &key);
    if (i)
        return intern->raws[i].frame;
    uint32_t frame = describe(intern, raw);
    i = intern->raw_count + 1;
    if (!frame || ensure((void **)&intern->raws, &intern->raw_capacity, i, sizeof *intern->raws) ||
        hash_add(&intern->raw_set, hash, i))
        return 0;
    intern->raws[i] = (struct intern_raw){*raw, frame};
    intern->raw_count = i;
    return frame;
}

void intern_forget_raw(struct intern *intern)
{
    intern->stale = true; /* done later: this may come while a frame is described */
}

static void forget_raw(struct intern *intern)
{
    intern->stale = false;
    hash_free(&intern->raw_set);
    intern->raw_count = 0;
}

/* --- contexts --- */

struct context_key {
    const struct intern *intern;
    struct intern_node node;
};

static bool context_equal(const void *user, uint32_t id)
{
    const struct context_key *key = user;
    const struct intern_node *node = &key->intern->nodes[id];
    return node->parent == key->node.parent && node->frame == key->node.frame;
}

static uint32_t intern_context(struct intern *intern, uint32_t parent, uint32_t frame)
{
    uint64_t hash = hash_mix(parent, frame);
    struct context_key key = {intern, {parent, frame}};
    uint32_t id = hash_find(&intern->context_set, hash, context_equal, &key);
    if (id)
        return id;
    id = intern->context_count + 1;
    uint64_t integers[TRACE_COLUMNS_MAX] = {id, parent, frame};
    if (ensure((void **)&intern->nodes, &intern->context_capacity, id, sizeof *intern->nodes) ||
        rows_add(&intern->contexts, integers, NULL) || hash_add(&intern->context_set, hash, id))
        return 0;
    intern->nodes[id] = key.node;
    return intern->context_count = id;
}

uint32_t intern_stack(struct intern *intern, const struct trace_raw_frame *frames, size_t depth)
{
    uint32_t context = 0;
    if (intern->stale)
        forget_raw(intern);
    for (size_t i = depth; i-- > 0;) {
        uint32_t frame = intern_frame(intern, &frames[i]);
        context = frame ? intern_context(intern, context, frame) : 0;
        if (!context)
            return 0;
    }
    return context;
}

uint32_t intern_method_of(struct intern *intern, const struct trace_raw_frame *frame)
{
    if (intern->stale)
        forget_raw(intern);
    uint32_t id = intern_frame(intern, frame);
    return id ? intern->known[id].method : 0;
}

uint32_t intern_module(struct intern *intern, const uint64_t *integers, const char *const *texts)
{
    uint64_t row[TRACE_COLUMNS_MAX];
    memcpy(row, integers, sizeof row);
    row[MODULE_ID] = intern->module_count + 1;
    if (rows_add(&intern->modules, row, texts))
        return 0;
    return ++intern->module_count;
}

bool intern_is_full(const struct intern *intern, size_t records)
{
    enum { NAMES_BYTES = 1 << 22 };
    return intern->contexts.count >= records || intern->frames.count >= records || intern->methods.count >= records ||
           rows_bytes(&intern->methods) >= NAMES_BYTES;
}
