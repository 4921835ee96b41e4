/*
 * classfile_parts.h - inside classfile.h: the bytes of a class as they are read and written, big-endian, and what of it
 * the code that gets work has to know.
 */
#ifndef ASSAY_INJECT_JVM_CLASSFILE_PARTS_H
#define ASSAY_INJECT_JVM_CLASSFILE_PARTS_H

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collect/inject/jvm/classfile.h"

enum { LIMIT = 65535 }; /* of constants, and of bytes of code */

/* Numbers are `width` bytes long. Beyond the end there are zeros, and NULL. */
struct reader {
    const uint8_t *bytes;
    size_t size, at;
    bool bad; /* it has been read beyond the end */
};

static inline const uint8_t *reader_take(struct reader *in, size_t count)
{
    assert(in->at <= in->size);
    if (count > in->size - in->at) {
        in->bad = true;
        in->at = in->size;
        return NULL;
    }
    in->at += count;
    return in->bytes + in->at - count;
}

static inline uint32_t class_number_at(const uint8_t *bytes, size_t width)
{
    assert(width <= 4);
    uint32_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | bytes[i];
    return value;
}

static inline uint32_t reader_get(struct reader *in, size_t width)
{
    const uint8_t *bytes = reader_take(in, width);
    return bytes ? class_number_at(bytes, width) : 0;
}

static inline struct reader reader_take_part(struct reader *in, size_t size)
{
    const uint8_t *bytes = reader_take(in, size);
    return (struct reader){.bytes = bytes, .size = bytes ? size : 0, .bad = !bytes};
}

struct writer {
    uint8_t *bytes;
    size_t size, capacity;
    bool full; /* no memory */
};

/* Nothing if bytes are NULL, as from reader_take() beyond the end. */
static inline void writer_put_bytes(struct writer *out, const void *bytes, size_t count)
{
    if (!bytes)
        return;
    if (!out->full && count > out->capacity - out->size) {
        size_t capacity = 2 * (out->capacity + count);
        uint8_t *grown = realloc(out->bytes, capacity);
        out->full = !grown;
        if (grown) {
            out->bytes = grown;
            out->capacity = capacity;
        }
    }
    if (out->full || count == 0)
        return;
    memcpy(out->bytes + out->size, bytes, count);
    out->size += count;
}

static inline void writer_put(struct writer *out, uint32_t value, size_t width)
{
    uint8_t bytes[4];
    assert(width <= sizeof bytes);
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> 8 * (width - 1 - i));
    writer_put_bytes(out, bytes, width);
}

static inline void writer_set(struct writer *out, size_t at, uint32_t value, size_t width)
{
    assert(out->full || at + width <= out->size);
    for (size_t i = 0; i < width && !out->full; i++)
        out->bytes[at + i] = (uint8_t)(value >> 8 * (width - 1 - i));
}

struct class
{
    struct reader in;
    uint32_t major, pool_count, access, this_class;
    const uint8_t **texts; /* [pool_count]: a Utf8 constant, from its length on; NULL: another */
    const uint8_t *pool, *pool_end;
    /* added constants, by their numbers */
    uint32_t calls, sink, amount, calls_name, sink_name, long_type, sink_type, frames_name;
    uint32_t array, multiplier, increment; /* only for WORK_ARRAY */
};

static inline bool class_text_is(const struct class *class, uint32_t index, const char *text)
{
    const uint8_t *found = index < class->pool_count ? class->texts[index] : NULL;
    size_t length = strlen(text);
    return found && class_number_at(found, 2) == length && memcmp(found + 2, text, length) == 0;
}

/*
 * Writes the Code attribute `in` of a method, from its length on, with the work before its first instruction, and adds
 * it to *found. `arguments`: slots of local variables that the arguments take, with `this`.
 */
enum classfile_status classfile_write_code(const struct class *class, struct reader *in,
                                           const struct classfile_work *work, uint32_t arguments,
                                           struct classfile_result *found, struct writer *out);

#endif
