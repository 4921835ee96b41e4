#include "collect/symbols/tree.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one more entry after `count`; entry 0 is unused. NULL without memory. */
static void *room(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (array && count + 1 < *capacity)
        return array;
    uint32_t wider = *capacity ? *capacity * 2 : 256;
    void *grown = reallocarray(array, wider, size);
    if (grown)
        *capacity = wider;
    return grown;
}

static uint64_t method_hash(const struct trace_method *method)
{
    uint64_t h = hash_text(method->class_name, 1);
    h = hash_text(method->name, h);
    h = hash_text(method->signature, h);
    return hash_text(method->file, h);
}

/* A search key, and its tree. */
struct wanted {
    const struct tree *tree;
    const void *entry;
};

static bool same_method(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    const struct trace_method *a = &wanted->tree->methods[id], *b = wanted->entry;
    return strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0 && strcmp(a->signature, b->signature) == 0 &&
           strcmp(a->class_name, b->class_name) == 0;
}

static bool same_frame(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    const struct tree_frame *a = &wanted->tree->frames[id], *b = wanted->entry;
    return a->method == b->method && a->line == b->line && a->position == b->position && a->module == b->module;
}

static bool same_context(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    const struct trace_context *a = &wanted->tree->contexts[id], *b = wanted->entry;
    return a->parent == b->parent && a->frame == b->frame;
}

static bool copy_method(const struct trace_method *from, struct trace_method *to)
{
    *to = (struct trace_method){strdup(from->class_name), strdup(from->name), strdup(from->signature),
                                strdup(from->file)};
    return to->class_name && to->name && to->signature && to->file;
}

uint32_t tree_method(struct tree *tree, const struct trace_method *method)
{
    uint64_t key = method_hash(method);
    uint32_t id = hash_find(&tree->method_set, key, same_method, &(struct wanted){tree, method});
    if (id)
        return id;
    struct trace_method *grown = room(tree->methods, tree->method_count, &tree->method_capacity, sizeof *tree->methods);
    if (!grown)
        return 0;
    tree->methods = grown;
    if (!copy_method(method, &grown[tree->method_count + 1]) ||
        hash_add(&tree->method_set, key, tree->method_count + 1))
        return 0;
    return ++tree->method_count;
}

uint32_t tree_frame(struct tree *tree, const struct tree_frame *frame)
{
    uint64_t key = hash_mix(hash_mix(frame->method, frame->line), hash_mix(frame->position, frame->module));
    uint32_t id = hash_find(&tree->frame_set, key, same_frame, &(struct wanted){tree, frame});
    if (id)
        return id;
    struct tree_frame *grown = room(tree->frames, tree->frame_count, &tree->frame_capacity, sizeof *tree->frames);
    if (!grown)
        return 0;
    tree->frames = grown;
    grown[tree->frame_count + 1] = *frame;
    if (hash_add(&tree->frame_set, key, tree->frame_count + 1))
        return 0;
    return ++tree->frame_count;
}

uint32_t tree_context(struct tree *tree, uint32_t parent, uint32_t frame)
{
    struct trace_context context = {parent, frame};
    uint64_t key = hash_mix(parent, frame);
    uint32_t id = hash_find(&tree->context_set, key, same_context, &(struct wanted){tree, &context});
    if (id)
        return id;
    struct trace_context *grown =
        room(tree->contexts, tree->context_count, &tree->context_capacity, sizeof *tree->contexts);
    if (!grown)
        return 0;
    tree->contexts = grown;
    grown[tree->context_count + 1] = context;
    if (hash_add(&tree->context_set, key, tree->context_count + 1))
        return 0;
    return ++tree->context_count;
}

void tree_free(struct tree *tree)
{
    for (uint32_t id = 1; id <= tree->method_count; id++) {
        free((void *)(uintptr_t)tree->methods[id].class_name);
        free((void *)(uintptr_t)tree->methods[id].name);
        free((void *)(uintptr_t)tree->methods[id].signature);
        free((void *)(uintptr_t)tree->methods[id].file);
    }
    free(tree->methods);
    free(tree->frames);
    free(tree->contexts);
    hash_free(&tree->method_set);
    hash_free(&tree->frame_set);
    hash_free(&tree->context_set);
    *tree = (struct tree){0};
}
