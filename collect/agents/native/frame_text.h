/*
 * frame_text.h - what frames of native code are called until symbols are looked up.
 */
#ifndef ASSAY_AGENTS_NATIVE_FRAME_TEXT_H
#define ASSAY_AGENTS_NATIVE_FRAME_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/trace.h"

/* Codes of frames that are not addresses. No code lies in the first page. */
enum { FRAME_UNWALKABLE = 1, FRAME_TRUNCATED, FRAME_CODES };

/* A frame that is not an address, or whose address is in no known file: `key` FRAME_CODES. */
static inline void frame_text_of_code(uint64_t code, struct trace_frame_text *text)
{
    bool pseudo = code == FRAME_UNWALKABLE || code == FRAME_TRUNCATED;
    *text = (struct trace_frame_text){
        .class_name = "",
        .method = code == FRAME_UNWALKABLE  ? "[unwalkable stack]"
                  : code == FRAME_TRUNCATED ? "[truncated stack]"
                                            : "[anonymous code]",
        .signature = "",
        .file = "",
        .position = pseudo ? -1 : (int64_t)code,
        .method_key = pseudo ? code : FRAME_CODES,
    };
}

/* A frame in a file, with its name and id in the trace. */
static inline void frame_text_of_module(uint64_t code, const char *method, uint64_t bias, uint64_t id,
                                        struct trace_frame_text *text)
{
    *text = (struct trace_frame_text){.class_name = "",
                                      .method = method,
                                      .signature = "",
                                      .file = "",
                                      .position = (int64_t)(code - bias),
                                      .module = id,
                                      .method_key = FRAME_CODES + id};
}

/* The same as a function, named by its location: "[prog+0x1139]". `name` is for that. */
enum { FRAME_NAME_BYTES = 512 };
static inline void frame_text_of_function(struct trace_frame_text *text, char name[FRAME_NAME_BYTES])
{
    if (text->module == 0)
        return;
    size_t length = strlen(text->method);
    snprintf(name, FRAME_NAME_BYTES, "%.*s+0x%" PRIx64 "]", (int)length - 1, text->method, (uint64_t)text->position);
    text->method = name;
    text->method_key = 0;
}

#endif
