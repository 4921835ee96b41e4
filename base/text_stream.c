#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct text_stream {
    char **text;
    size_t *size, capacity;
    bool no_memory;
};

/* Always has a byte more than the text, for its end. 0: an error, by the rules of fopencookie(). */
static ssize_t text_stream_write(void *cookie, const char *bytes, size_t count)
{
    struct text_stream *stream = cookie;
    char *grown = stream->no_memory ? NULL : grow_unset(*stream->text, &stream->capacity, *stream->size + count, 1);
    if (!grown) {
        stream->no_memory = true;
        return 0;
    }
    *stream->text = grown;
    memcpy(grown + *stream->size, bytes, count);
    *stream->size += count;
    return (ssize_t)count;
}

/* For ftell(): it asks where the end is, and adds what is buffered. */
static int text_stream_locate(void *cookie, off64_t *offset, int whence)
{
    const struct text_stream *stream = cookie;
    if (*offset != 0 || whence == SEEK_SET)
        return -1;
    *offset = (off64_t)*stream->size;
    return 0;
}

static int text_stream_end(void *cookie)
{
    struct text_stream *stream = cookie;
    bool lost = stream->no_memory;
    if (lost) {
        free(*stream->text);
        *stream->text = NULL;
    } else {
        (*stream->text)[*stream->size] = '\0';
    }
    free(stream);
    return lost ? -1 : 0;
}

FILE *text_stream_open(char **text, size_t *size)
{
    static const cookie_io_functions_t FUNCTIONS = {
        .write = text_stream_write, .seek = text_stream_locate, .close = text_stream_end};
    struct text_stream *stream = malloc(sizeof *stream);
    *text = NULL;
    if (!stream)
        return NULL;
    *stream = (struct text_stream){.text = text, .size = size};
    *size = 0;
    *text = grow_unset(NULL, &stream->capacity, 0, 1);
    FILE *file = *text ? fopencookie(stream, "w", FUNCTIONS) : NULL;
    if (!file) {
        free(*text);
        *text = NULL;
        free(stream);
    }
    return file;
}

bool text_stream_close(FILE *stream, char **text)
{
    if (stream)
        fclose(stream);
    else
        *text = NULL;
    return *text != NULL;
}
