#include "trace/format/chunk.h"

#include <stdlib.h>
#include <string.h>

uint8_t *buffer_grow(struct buffer *buffer, size_t bytes)
{
    if (buffer->failed)
        return NULL;
    if (buffer->capacity - buffer->size < bytes) {
        size_t capacity = buffer->capacity ? buffer->capacity : 256;
        while (capacity - buffer->size < bytes)
            capacity *= 2;
        uint8_t *data = realloc(buffer->data, capacity);
        if (!data) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->size;
}

void buffer_add(struct buffer *buffer, const void *data, size_t bytes)
{
    uint8_t *at = buffer_grow(buffer, bytes);
    if (!at)
        return;
    memcpy(at, data, bytes);
    buffer->size += bytes;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
