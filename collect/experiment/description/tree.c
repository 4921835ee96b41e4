#include "collect/experiment/description/tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/text_set.h"

struct tree_reader {
    struct obstack *memory;
    const char *path;
    yaml_document_t document;
    struct tree *nodes; /* of the document's, by number from 1 */
    struct error_text *message;
};

const char *tree_kind_text(const struct tree *tree)
{
    return tree->kind == TREE_TEXT ? "a text" : tree->kind == TREE_LIST ? "a list" : "a map";
}

const struct tree *tree_find(const struct tree *map, const char *key)
{
    for (size_t i = 0; map->kind == TREE_MAP && i < map->count; i++)
        if (strcmp(map->keys[i]->text, key) == 0)
            return map->items[i];
    return NULL;
}

static int tree_fail(const struct tree_reader *reader, const struct tree *at, const char *text, const char *name)
{
    return error_set(reader->message, STATUS_BAD, "%.300s:%zu:%zu: %s%.80s", reader->path, at->line, at->column, text,
                     name);
}

static int tree_fill_text(struct tree_reader *reader, const yaml_node_t *node, struct tree *tree)
{
    size_t length = node->data.scalar.length;
    tree->kind = TREE_TEXT;
    tree->text = memory_copy(reader->memory, node->data.scalar.value, length);
    return strlen(tree->text) == length ? STATUS_GOOD : tree_fail(reader, tree, "a NUL character in a text", "");
}

static void tree_fill_list(struct tree_reader *reader, const yaml_node_t *node, struct tree *tree)
{
    const yaml_node_item_t *begin = node->data.sequence.items.start;
    tree->kind = TREE_LIST;
    tree->count = (size_t)(node->data.sequence.items.top - begin);
    tree->items = memory_allocate(reader->memory, tree->count + 1, sizeof *tree->items);
    for (size_t i = 0; i < tree->count; i++)
        tree->items[i] = &reader->nodes[begin[i]];
}

/* Keys must be filled before. */
static int tree_fill_map(struct tree_reader *reader, const yaml_node_t *node, struct tree *tree)
{
    const yaml_node_pair_t *begin = node->data.mapping.pairs.start;
    tree->kind = TREE_MAP;
    tree->count = (size_t)(node->data.mapping.pairs.top - begin);
    tree->keys = memory_allocate(reader->memory, tree->count + 1, sizeof *tree->keys);
    tree->items = memory_allocate(reader->memory, tree->count + 1, sizeof *tree->items);
    struct text_set names = {0};
    int status = STATUS_GOOD;
    for (size_t i = 0; i < tree->count && !status; i++) {
        const struct tree *key = &reader->nodes[begin[i].key];
        if (yaml_document_get_node(&reader->document, begin[i].key)->type != YAML_SCALAR_NODE)
            status = tree_fail(reader, key, "a key must be a text", "");
        else if (text_set_has(&names, key->text))
            status = tree_fail(reader, key, "this name is given twice: ", key->text);
        else if (text_set_add(&names, key->text) == TEXT_SET_FULL)
            obstack_alloc_failed_handler();
        tree->keys[i] = key;
        tree->items[i] = &reader->nodes[begin[i].value];
    }
    text_set_free(&names);
    return status;
}

/* Texts first, which are the keys of maps. */
static int tree_fill(struct tree_reader *reader)
{
    size_t count = (size_t)(reader->document.nodes.top - reader->document.nodes.start);
    int status = STATUS_GOOD;
    reader->nodes = memory_allocate(reader->memory, count + 1, sizeof *reader->nodes);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 1; i <= count && !status; i++) {
            const yaml_node_t *node = yaml_document_get_node(&reader->document, (int)i);
            struct tree *tree = &reader->nodes[i];
            tree->line = node->start_mark.line + 1;
            tree->column = node->start_mark.column + 1;
            if (pass == 0 && node->type == YAML_SCALAR_NODE)
                status = tree_fill_text(reader, node, tree);
            else if (pass == 1 && node->type == YAML_SEQUENCE_NODE)
                tree_fill_list(reader, node, tree);
            else if (pass == 1 && node->type == YAML_MAPPING_NODE)
                status = tree_fill_map(reader, node, tree);
        }
    return status;
}

static int tree_parser_error(const yaml_parser_t *parser, const char *path, struct error_text *message)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return error_set(message, STATUS_BAD, "%.300s: %s", path, strerror(ENOMEM));
    if (parser->error == YAML_READER_ERROR)
        return error_set(message, STATUS_BAD, "%.300s: byte %zu: %s", path, parser->problem_offset + 1,
                         parser->problem ? parser->problem : "unreadable");
    return error_set(message, STATUS_BAD, "%.300s:%zu:%zu: %s%s%s", path, parser->problem_mark.line + 1,
                     parser->problem_mark.column + 1, parser->problem ? parser->problem : "not YAML",
                     parser->context ? " " : "", parser->context ? parser->context : "");
}

static int tree_parse(struct obstack *memory, const char *path, const char *bytes, size_t size,
                      const struct tree **root, struct error_text *message)
{
    struct tree_reader reader = {.memory = memory, .path = path, .message = message};
    yaml_document_t second;
    yaml_parser_t parser;
    int status = STATUS_GOOD;
    if (!yaml_parser_initialize(&parser))
        return error_set(message, STATUS_BAD, "%.300s: %s", path, strerror(ENOMEM));
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, size);
    if (!yaml_parser_load(&parser, &reader.document)) {
        status = tree_parser_error(&parser, path, message);
        goto out;
    }
    if (!yaml_document_get_root_node(&reader.document))
        status = error_set(message, STATUS_BAD, "%.300s: the file is empty", path);
    else
        status = tree_fill(&reader);
    if (!status && !yaml_parser_load(&parser, &second)) {
        status = tree_parser_error(&parser, path, message);
    } else if (!status) {
        if (yaml_document_get_root_node(&second))
            status = error_set(message, STATUS_BAD, "%.300s:%zu: a second document begins here; one is wanted", path,
                               second.start_mark.line + 1);
        yaml_document_delete(&second);
    }
    yaml_document_delete(&reader.document);
    if (!status)
        *root = &reader.nodes[1];
out:
    yaml_parser_delete(&parser);
    return status;
}

/* libyaml takes hours to load a file of brackets; its events end at the first that is too deep. */
static int tree_check_depth(const char *path, const char *bytes, size_t size, struct error_text *message)
{
    enum { DEPTH_MAX = 32 };
    yaml_parser_t parser;
    yaml_event_t event;
    int status = STATUS_GOOD, depth = 0;
    bool ended = false;
    if (!yaml_parser_initialize(&parser))
        return error_set(message, STATUS_BAD, "%.300s: %s", path, strerror(ENOMEM));
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, size);
    while (!ended && !status && yaml_parser_parse(&parser, &event)) {
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        ended = event.type == YAML_STREAM_END_EVENT;
        if (depth > DEPTH_MAX)
            status = error_set(message, STATUS_BAD, "%.300s:%zu:%zu: more than %d lists and maps within each other",
                               path, event.start_mark.line + 1, event.start_mark.column + 1, (int)DEPTH_MAX);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

int tree_read(struct obstack *memory, const char *path, const struct tree **root, struct error_text *message)
{
    FILE *file = fopen(path, "re");
    char *bytes = file ? malloc(TREE_BYTES_MAX + 1) : NULL;
    size_t size = bytes ? fread(bytes, 1, TREE_BYTES_MAX + 1, file) : 0;
    int status, error = !file || !bytes || ferror(file) ? errno : 0;
    if (error)
        status = error_set(message, STATUS_BAD, "%.300s: %s", path, strerror(error));
    else if (size > TREE_BYTES_MAX)
        status = error_set(message, STATUS_BAD, "%.300s: more than 1 MB is not a description of an experiment", path);
    else
        status = tree_check_depth(path, bytes, size, message);
    if (!error && !status)
        status = tree_parse(memory, path, bytes, size, root, message);
    free(bytes);
    if (file)
        fclose(file);
    return status;
}
