/*
 * trace_builder.h - what tools share that write a trace from lines of text, for tests: make_pairs, make_accesses. A
 * tool calls builder_begin(), then reads its lines, puts the definitions and the records, and calls builder_end(). Any
 * failure ends the tool with a message.
 */
#ifndef ASSAY_TRACE_BUILDER_H
#define ASSAY_TRACE_BUILDER_H

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/write/output.h"
#include "trace/write/tree.h"

enum { BUILDER_CHUNK = 32768 };

static struct {
    const char *tool;
    struct output output;
    struct tree tree;
    uint32_t chunk_records; /* of the records, not of definitions */
} builder = {.chunk_records = BUILDER_CHUNK};

/* Ends the tool if there is an error; `what` failed. */
static inline void builder_check(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s: %s\n", builder.tool, what, strerror(error));
    exit(1);
}

/* ------------------------------------------------------------------------------------------ lines -- */

/* Cuts a line at blanks; words[most]. Returns the number of words. */
static inline size_t builder_split(char *line, char **words, size_t most)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word && count < most; word = strtok_r(NULL, " \n", &rest))
        words[count++] = word;
    return count;
}

static inline uint64_t builder_parse_number(const char *text, int base)
{
    char *end = NULL;
    uint64_t number = text ? strtoull(text, &end, base) : 0;
    builder_check(!text || *end || end == text ? EINVAL : 0, text ? text : "too few words");
    return number;
}

/* The frame of METHOD, METHOD:LINE, METHOD@ADDRESS, an address in module 1, METHOD!LINE, a line in module 2, or
 * METHOD~LINE, a line in a header of the C library. The last of these characters counts: memcpy@plt@1040. Changes the
 * text. */
static inline uint32_t builder_parse_frame(char *text, const char *file)
{
    struct trace_frame frame = {.position = -1};
    builder_check(text ? 0 : EINVAL, "a frame");
    char *at = NULL;
    for (char *mark = text; (mark = strpbrk(mark, ":@!~")); mark++)
        at = mark;
    if (at && *at == '~')
        file = "/usr/include/x86_64-linux-gnu/bits/unistd.h";
    if (at && *at == '@')
        frame = (struct trace_frame){.position = (int64_t)builder_parse_number(at + 1, 16), .module = 1};
    else if (at && *at == '!')
        frame = (struct trace_frame){.line = (uint32_t)builder_parse_number(at + 1, 10), .position = -1, .module = 2};
    else if (at)
        frame.line = (uint32_t)builder_parse_number(at + 1, 10);
    if (at)
        *at = '\0';
    frame.method = tree_method(&builder.tree, &(struct trace_method){"", text, "", file}, 0);
    return tree_frame(&builder.tree, &frame);
}

/* ------------------------------------------------------------------------------------------ rows -- */

/* integers[TRACE_COLUMNS_MAX]; texts likewise, or NULL. */
static inline void builder_add(struct chunk_rows *rows, const uint64_t *integers, const char *const *texts)
{
    builder_check(chunk_rows_add(rows, integers, texts), "chunk_rows_add");
}

static inline void builder_flush(struct chunk_rows *rows)
{
    builder_check(output_rows(&builder.output, rows), "output_rows");
}

static inline void builder_finish(struct chunk_rows *rows)
{
    builder_flush(rows);
    chunk_rows_free(rows);
}

static inline void builder_define(struct chunk_rows *rows, const uint64_t *integers, const char *const *texts)
{
    builder_add(rows, integers, texts);
    if (rows->count >= BUILDER_CHUNK)
        builder_flush(rows);
}

/* `file`: of methods that have none. */
static inline void builder_put_tree(const char *file)
{
    struct chunk_rows methods = {.kind = TRACE_METHOD}, frames = {.kind = TRACE_FRAME},
                      contexts = {.kind = TRACE_CONTEXT};
    const struct tree *tree = &builder.tree;
    for (uint32_t id = 1; id <= tree->method_count; id++) {
        const struct trace_method *texts = &tree->methods[id].texts;
        builder_define(&methods, (uint64_t[TRACE_COLUMNS_MAX]){id},
                       (const char *[TRACE_COLUMNS_MAX]){NULL, "", texts->name, "", *texts->file ? texts->file : file});
    }
    for (uint32_t id = 1; id <= tree->frames.count; id++) {
        const struct trace_frame *frame = tree_frame_at(tree, id);
        builder_define(
            &frames,
            (uint64_t[TRACE_COLUMNS_MAX]){id, frame->method, frame->line, (uint64_t)frame->position, frame->module},
            NULL);
    }
    for (uint32_t id = 1; id <= tree->contexts.count; id++) {
        const struct trace_context *context = tree_context_at(tree, id);
        builder_define(&contexts, (uint64_t[TRACE_COLUMNS_MAX]){id, context->parent, context->frame}, NULL);
    }
    builder_finish(&methods);
    builder_finish(&frames);
    builder_finish(&contexts);
}

/* ------------------------------------------------------------------------------------------ the file -- */

/* KEY=VALUE; the value as JSON if it is valid JSON, else as a text. */
static inline json_t *builder_parse_metadata(char **pairs)
{
    json_t *metadata = json_object();
    for (; *pairs; pairs++) {
        char *value = strchr(*pairs, '=');
        builder_check(value ? 0 : EINVAL, *pairs);
        *value++ = '\0';
        json_t *json = json_loads(value, JSON_DECODE_ANY, NULL);
        json_object_set_new(metadata, *pairs, json ? json : json_string(value));
    }
    return metadata;
}

/* arguments: FILE [KEY=VALUE]...; CHUNK=N in the environment: records a chunk. */
static inline void builder_begin(const char *tool, char **arguments)
{
    const char *chunk = getenv("CHUNK");
    builder.tool = tool;
    builder_check(arguments[0] ? 0 : EINVAL, "usage: FILE [KEY=VALUE]... < LINES");
    if (chunk)
        builder.chunk_records = (uint32_t)strtoul(chunk, NULL, 10);
    json_t *metadata = builder_parse_metadata(arguments + 1);
    tree_init(&builder.tree);
    builder_check(output_open(&builder.output, arguments[0], metadata, 0), arguments[0]);
    json_decref(metadata);
}

static inline void builder_end(const char *file)
{
    builder_check(output_end(&builder.output), file);
    builder_check(output_close(&builder.output), file);
    tree_free(&builder.tree);
}

#endif
