#include "trace/write/chunk_rows.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"

enum { ROWS_START = 64 };

static int chunk_rows_reserve(struct chunk_rows *rows, const struct trace_schema *schema)
{
    if (rows->count < rows->capacity)
        return 0;
    uint32_t capacity = rows->capacity ? rows->capacity * 2 : ROWS_START;
    for (size_t c = 0; c < schema->column_count; c++) {
        if (schema->columns[c].type == TRACE_STRING || (c >= schema->core_count && !rows->integers[c]))
            continue;
        uint64_t *integers = realloc(rows->integers[c], capacity * sizeof *integers);
        if (!integers)
            return ENOMEM;
        rows->integers[c] = integers;
    }
    rows->capacity = capacity;
    return 0;
}

/* Columns beyond those that every chunk has come into use, with zeros so far, when a row has a value in them. */
static int chunk_rows_widen(struct chunk_rows *rows, const struct trace_schema *schema, const uint64_t *values)
{
    size_t width = schema->column_count, before = rows->width > schema->core_count ? rows->width : schema->core_count;
    assert(width <= TRACE_COLUMNS_MAX && before <= width);
    while (width > before && values[width - 1] == 0)
        width--;
    for (size_t c = before; c < width; c++) {
        if (!rows->integers[c])
            rows->integers[c] = malloc(rows->capacity * sizeof *rows->integers[c]);
        if (!rows->integers[c])
            return ENOMEM;
        memset(rows->integers[c], 0, rows->count * sizeof *rows->integers[c]);
    }
    rows->width = (uint32_t)width;
    return 0;
}

static int chunk_rows_add_text(struct buffer *buffer, const char *text)
{
    size_t length = strlen(text);
    uint8_t head[VARINT_MAX];
    size_t head_bytes = (size_t)(varint_put(head, length) - head);
    if (!buffer_grow(buffer, head_bytes + length)) {
        buffer->failed = false;
        return ENOMEM;
    }
    buffer_add(buffer, head, head_bytes);
    buffer_add(buffer, text, length);
    return 0;
}

int chunk_rows_add(struct chunk_rows *rows, const uint64_t *integers, const char *const *texts)
{
    const struct trace_schema *schema = trace_schema_of(rows->kind);
    if (chunk_rows_reserve(rows, schema) || chunk_rows_widen(rows, schema, integers))
        return ENOMEM;
    size_t before[TRACE_COLUMNS_MAX];
    for (size_t c = 0; c < rows->width; c++) {
        before[c] = rows->strings[c].size;
        if (schema->columns[c].type != TRACE_STRING)
            rows->integers[c][rows->count] = integers[c];
        else if (chunk_rows_add_text(&rows->strings[c], texts[c] ? texts[c] : "")) {
            for (size_t undo = 0; undo < c; undo++)
                rows->strings[undo].size = before[undo];
            return ENOMEM;
        }
    }
    rows->count++;
    return 0;
}

size_t chunk_rows_bytes(const struct chunk_rows *rows)
{
    size_t bytes = 0;
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
        bytes += rows->strings[c].size + (rows->integers[c] ? rows->count * sizeof(uint64_t) : 0);
    return bytes;
}

int chunk_rows_encode(const struct chunk_rows *rows, struct chunk_encoder *encoder, struct chunk_columns *columns,
                      struct buffer *out)
{
    assert(rows->width <= TRACE_COLUMNS_MAX);
    *columns = (struct chunk_columns){.kind = rows->kind,
                                      .thread = rows->thread,
                                      .count = rows->count,
                                      .column_count = rows->width,
                                      .first_ns = rows->link};
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++) {
        columns->integers[c] = rows->integers[c];
        columns->strings[c] = &rows->strings[c];
    }
    return chunk_encode(encoder, columns, out);
}

void chunk_rows_clear(struct chunk_rows *rows)
{
    rows->count = rows->width = 0;
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
        rows->strings[c].size = 0;
}

void chunk_rows_free(struct chunk_rows *rows)
{
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++) {
        free(rows->integers[c]);
        buffer_free(&rows->strings[c]);
    }
    *rows = (struct chunk_rows){0};
}
