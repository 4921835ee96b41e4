#include "trace/write/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void tree_init(struct tree *tree)
{
    *tree = (struct tree){
        .frames = {.item_bytes = sizeof(struct trace_frame), .key_bytes = offsetof(struct trace_frame, module) + 4},
        .contexts = {.item_bytes = sizeof(struct trace_context), .key_bytes = sizeof(struct trace_context)}};
}

void tree_free(struct tree *tree)
{
    for (uint32_t id = 1; id <= tree->method_count; id++)
        free((void *)(uintptr_t)tree->methods[id].texts.class_name);
    free(tree->methods);
    hash_free(&tree->method_set);
    keyed_free(&tree->frames);
    keyed_free(&tree->contexts);
    *tree = (struct tree){0};
}

struct wanted {
    const struct tree_method *methods;
    const struct trace_method *texts;
    uint64_t key;
};

static bool tree_is_method(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    const struct trace_method *a = &wanted->methods[id].texts, *b = wanted->texts;
    if (wanted->key || wanted->methods[id].key)
        return wanted->key == wanted->methods[id].key;
    return strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0 && strcmp(a->signature, b->signature) == 0 &&
           strcmp(a->class_name, b->class_name) == 0;
}

uint32_t tree_method(struct tree *tree, const struct trace_method *method, uint64_t key)
{
    struct wanted wanted = {tree->methods, method, key};
    struct tree_method made = {.key = key};
    uint64_t hash = key ? hash_mix(key, 1)
                        : hash_text(method->file, hash_text(method->signature,
                                                            hash_text(method->name, hash_text(method->class_name, 1))));
    uint32_t id = hash_find(&tree->method_set, hash, tree_is_method, &wanted);
    if (id)
        return id;
    struct tree_method *grown =
        grow_unset(tree->methods, &tree->method_capacity, tree->method_count + 1, sizeof *grown);
    if (!grown)
        return 0;
    tree->methods = grown;
    char *at = malloc(strlen(method->class_name) + strlen(method->name) + strlen(method->signature) +
                      strlen(method->file) + 4);
    if (!at)
        return 0;
    made.texts.class_name = at;
    made.texts.name = at = stpcpy(at, method->class_name) + 1;
    made.texts.signature = at = stpcpy(at, method->name) + 1;
    made.texts.file = at = stpcpy(at, method->signature) + 1;
    stpcpy(at, method->file);
    if (hash_add(&tree->method_set, hash, tree->method_count + 1)) {
        free((void *)(uintptr_t)made.texts.class_name);
        return 0;
    }
    tree->methods[++tree->method_count] = made;
    return tree->method_count;
}

/* No memory, KEYED_FULL, becomes 0. */
uint32_t tree_frame(struct tree *tree, const struct trace_frame *frame)
{
    assert(frame->method <= tree->method_count);
    return keyed_add(&tree->frames, frame) + 1;
}

uint32_t tree_context(struct tree *tree, uint32_t parent, uint32_t frame)
{
    assert(parent <= tree->contexts.count && frame <= tree->frames.count);
    return keyed_add(&tree->contexts, &(struct trace_context){parent, frame}) + 1;
}
