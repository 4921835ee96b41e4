/*
 * small_dump.h - a small heap dump, made record by record.
 */
#ifndef ASSAY_TESTS_SMALL_DUMP_H
#define ASSAY_TESTS_SMALL_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collect/inspect/heapdump/heap_dump.h"

enum { SIZE_MAX_BYTES = 4096, STRING = 100, NODE = 200, ARRAY = 300, NODE_CLASS = 0x1000, OBJECT_CLASS = 0x2000 };

struct small_dump {
    uint8_t bytes[SIZE_MAX_BYTES];
    size_t size;
};

static inline void small_dump_put(struct small_dump *made, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        made->bytes[made->size++] = (uint8_t)(number >> 8 * (bytes - 1 - i));
}

static inline void small_dump_put_text(struct small_dump *made, uint64_t id, const char *text)
{
    small_dump_put(made, HPROF_TEXT, 1);
    small_dump_put(made, 0, 4);
    small_dump_put(made, 8 + strlen(text), 4);
    small_dump_put(made, id, 8);
    memcpy(made->bytes + made->size, text, strlen(text));
    made->size += strlen(text);
}

static inline void small_dump_put_name(struct small_dump *made, uint32_t serial, uint64_t class, uint64_t name)
{
    small_dump_put(made, HPROF_LOAD_CLASS, 1);
    small_dump_put(made, 0, 4);
    small_dump_put(made, 24, 4);
    small_dump_put(made, serial, 4);
    small_dump_put(made, class, 8);
    small_dump_put(made, 0, 4);
    small_dump_put(made, name, 8);
}

/* A class with a reference `next` (text 3) and an int `value` (text 4). */
static inline void small_dump_put_class(struct small_dump *made, uint64_t class, uint64_t super, bool has_fields)
{
    small_dump_put(made, HPROF_CLASS, 1);
    small_dump_put(made, class, 8);
    small_dump_put(made, 0, 4);
    small_dump_put(made, super, 8);
    for (int i = 0; i < 5; i++)
        small_dump_put(made, 0, 8);
    small_dump_put(made, has_fields ? 12 : 0, 4);
    small_dump_put(made, 0, 2);
    small_dump_put(made, 1, 2); /* a static int `value` of 7 */
    small_dump_put(made, 4, 8);
    small_dump_put(made, 10, 1);
    small_dump_put(made, 7, 4);
    small_dump_put(made, has_fields ? 2 : 0, 2);
    for (int i = 0; has_fields && i < 2; i++) {
        small_dump_put(made, i ? 4 : 3, 8);
        small_dump_put(made, i ? 10 : 2, 1);
    }
}

static inline void small_dump_put_node(struct small_dump *made, uint64_t id, uint64_t next, uint32_t value)
{
    small_dump_put(made, HPROF_INSTANCE, 1);
    small_dump_put(made, id, 8);
    small_dump_put(made, 0, 4);
    small_dump_put(made, NODE_CLASS, 8);
    small_dump_put(made, 12, 4);
    small_dump_put(made, next, 8);
    small_dump_put(made, value, 4);
}

static inline void small_dump_make(struct small_dump *made)
{
    static const char HEADER[] = "JAVA PROFILE 1.0.2";
    made->size = 0;
    memcpy(made->bytes, HEADER, sizeof HEADER);
    made->size = sizeof HEADER;
    small_dump_put(made, 8, 4);
    small_dump_put(made, 1234, 8);
    small_dump_put_text(made, 1, "java/lang/Object");
    small_dump_put_text(made, 2, "Node");
    small_dump_put_text(made, 3, "next");
    small_dump_put_text(made, 4, "value");
    small_dump_put_name(made, 1, OBJECT_CLASS, 1);
    small_dump_put_name(made, 2, NODE_CLASS, 2);
    size_t length = made->size + 5, begin = made->size + 9;
    small_dump_put(made, HPROF_HEAP_SEGMENT, 1);
    small_dump_put(made, 0, 8);
    small_dump_put_class(made, OBJECT_CLASS, 0, false);
    small_dump_put_class(made, NODE_CLASS, OBJECT_CLASS, true);
    small_dump_put_node(made, NODE, NODE + 24, 1); /* 24 bytes from each other, with headers of 12 bytes */
    small_dump_put_node(made, NODE + 24, 0, 2);
    small_dump_put(made, HPROF_PRIMITIVE_ARRAY, 1);
    small_dump_put(made, ARRAY, 8);
    small_dump_put(made, 0, 4);
    small_dump_put(made, 3, 4);
    small_dump_put(made, 9, 1); /* short[3] */
    for (uint64_t i = 0; i < 3; i++)
        small_dump_put(made, i, 2);
    struct small_dump bytes = {.size = 0};
    small_dump_put(&bytes, made->size - begin, 4);
    memcpy(made->bytes + length, bytes.bytes, 4);
    small_dump_put(made, HPROF_HEAP_END, 1);
    small_dump_put(made, 0, 8);
}

#endif
