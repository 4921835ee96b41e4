#include "trace/import/source.h"

#include <stdlib.h>
#include <string.h>

#include "table/csv/split.h"
#include "table/read/rows_source.h"

enum { WINDOW_BYTES = 1 << 18, UTF16_BYTES = 1 << 14 };

struct source {
    char *path;
    struct rows_source *file;
    unsigned char *window;
    size_t start, end, capacity; /* window[start, end) is available */
    uint64_t behind;
    bool ended;
    enum { BYTES, UTF16_LITTLE, UTF16_BIG } units;
    struct error_text error;
};

static void source_fail(struct source *source, const char *why)
{
    if (!source->error.text[0])
        error_set(&source->error, STATUS_BAD, "%s", why);
    source->ended = true;
}

/* ------------------------------------------------------------------------------------------ UTF-16 -- */

static size_t source_encode_utf8(unsigned char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; c >>= 6)
        out[i] = (unsigned char)(0x80 | (c & 0x3f));
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[0] = (unsigned char)(heads[length] | c);
    return length;
}

/* ------------------------------------------------------------------------------------------ the window -- */

static bool source_reserve(struct source *source, size_t size)
{
    if (source->start > 0) {
        memmove(source->window, source->window + source->start, source->end - source->start);
        source->end -= source->start;
        source->start = 0;
    }
    if (size <= source->capacity)
        return true;
    size_t capacity = source->capacity;
    while (capacity < size)
        capacity *= 2;
    unsigned char *window = realloc(source->window, capacity + ROWS_SLACK);
    if (!window)
        return false;
    source->window = window;
    source->capacity = capacity;
    return true;
}

static size_t source_read_bytes(struct source *source, unsigned char *into, size_t space)
{
    size_t length = 0;
    struct error_text message = {""};
    if (rows_source_read(source->file, (char *)into, space, &length, &message) != STATUS_GOOD)
        source_fail(source, message.text);
    source->ended |= length < space;
    return length;
}

/* Reads more bytes after the available ones; false at the end. */
static bool source_fill_window(struct source *source)
{
    if (source->ended)
        return false;
    size_t before = source->end;
    if (source->units == BYTES) {
        source->end += source_read_bytes(source, source->window + before, source->capacity - before);
    } else {
        unsigned char units[UTF16_BYTES];
        size_t space = (source->capacity - before) / 3 * 2 & ~(size_t)3;
        size_t length = source_read_bytes(source, units, space < sizeof units ? space : sizeof units);
        /* Half of a surrogate pair without the other half becomes U+FFFD. */
        unsigned char *out = source->window + before;
        size_t decoded = 0;
        size_t high = source->units == UTF16_BIG ? 0 : 1;
        for (size_t i = 0; i + 1 < length; i += 2) {
            uint32_t c = (uint32_t)(units[i + high] << 8 | units[i + 1 - high]);
            if (c >= 0xd800 && c < 0xdc00 && i + 3 < length) {
                uint32_t low = (uint32_t)(units[i + 2 + high] << 8 | units[i + 3 - high]);
                c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
                i += c == 0xfffd ? 0 : 2;
            } else if (c >= 0xd800 && c < 0xe000) {
                c = 0xfffd;
            }
            decoded += source_encode_utf8(out + decoded, c);
        }
        source->end += decoded;
    }
    return source->end > before || !source->ended;
}

const unsigned char *source_peek(struct source *source, size_t size, size_t *got)
{
    *got = source->end - source->start;
    if (*got < size && !source->ended) {
        if (size > SOURCE_PEEK_MAX || !source_reserve(source, size + 16))
            source_fail(source, size > SOURCE_PEEK_MAX ? "a piece is too large" : "out of memory");
        while (source->end < size && source_fill_window(source)) {
        }
        *got = source->end - source->start;
    }
    return *got ? source->window + source->start : NULL;
}

bool source_skip(struct source *source, uint64_t size)
{
    while (size > 0) {
        size_t got;
        source_peek(source, 1, &got);
        if (got == 0)
            return false;
        size_t part = got < size ? got : (size_t)size;
        source->start += part;
        source->behind += part;
        size -= part;
    }
    return true;
}

uint64_t source_offset(const struct source *source)
{
    return source->behind;
}

const char *source_error(const struct source *source)
{
    return source->error.text[0] ? source->error.text : NULL;
}

/* ------------------------------------------------------------------------------------------ lines -- */

char *source_read_line(struct source *source, size_t *length, uint64_t *number)
{
    unsigned char *end = NULL;
    size_t looked = 0, got = source->end - source->start;
    for (;;) {
        end = got > looked ? memchr(source->window + source->start + looked, '\n', got - looked) : NULL;
        if (end || source->ended)
            break;
        looked = got;
        source_peek(source, got + 1, &got);
    }
    if (got == 0)
        return NULL;
    char *line = (char *)source->window + source->start;
    size_t whole = end ? (size_t)((char *)end - line) + 1 : got;
    if (!end && !source_reserve(source, got + 1)) {
        source_fail(source, "out of memory");
        return NULL;
    }
    line = (char *)source->window + source->start;
    *length = end ? whole - 1 : whole;
    line[*length] = '\0';
    if (*length > 0 && line[*length - 1] == '\r')
        line[--*length] = '\0';
    source->start += whole;
    source->behind += whole;
    ++*number;
    return line;
}

/* ------------------------------------------------------------------------------------------ open and close -- */

/* The encoding by a byte-order mark. */
static int source_open_file(struct source *source, struct error_text *message)
{
    int status = rows_source_open(source->path, &source->file, message);
    if (status)
        return status;
    source->start = source->end = 0;
    source->behind = 0;
    source->ended = false;
    source->units = BYTES;
    size_t got;
    const unsigned char *head = source_peek(source, 4, &got);
    if (got >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        source->start = 3;
    if (got < 2 || (memcmp(head, "\xff\xfe", 2) != 0 && memcmp(head, "\xfe\xff", 2) != 0))
        return STATUS_GOOD;
    source->units = head[0] == 0xff ? UTF16_LITTLE : UTF16_BIG;
    rows_source_close(source->file);
    source->file = NULL;
    status = rows_source_open(source->path, &source->file, message);
    source->start = source->end = 0;
    source->ended = false;
    if (status == STATUS_GOOD) {
        unsigned char mark[2];
        source_read_bytes(source, mark, sizeof mark);
    }
    return status;
}

int source_open(const char *path, struct source **out, struct error_text *message)
{
    struct source *source = calloc(1, sizeof *source);
    int status = source ? STATUS_GOOD : error_set(message, STATUS_BAD, "out of memory");
    if (source) {
        source->path = strdup(path);
        source->capacity = WINDOW_BYTES;
        source->window = malloc(source->capacity + ROWS_SLACK);
        status = source->path && source->window ? source_open_file(source, message)
                                                : error_set(message, STATUS_BAD, "out of memory");
    }
    if (status == STATUS_GOOD)
        *out = source;
    else
        source_close(source);
    return status;
}

bool source_rewind(struct source *source)
{
    struct error_text message = {""};
    rows_source_close(source->file);
    source->file = NULL;
    if (source_open_file(source, &message) == STATUS_GOOD)
        return true;
    source_fail(source, message.text);
    return false;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    rows_source_close(source->file);
    free(source->window);
    free(source->path);
    free(source);
}
