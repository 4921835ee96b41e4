#include "base/tame_stream.h"

#include <stdint.h>
#include <unistd.h>

#include "base/text.h"
#include "base/transfer.h"

enum { TAME_STREAM_BYTES = 16384 };

/* 0: an error, by the rules of fopencookie(). */
static ssize_t tame_stream_write(void *cookie, const char *bytes, size_t count)
{
    const int fd = (int)(intptr_t)cookie;
    char tame[TAME_STREAM_BYTES];
    size_t filled = 0, width;
    unsigned code;
    for (size_t at = 0; at < count; at += width) {
        enum text_kind kind = text_next(bytes + at, count - at, &width, &code);
        bool kept = kind == TEXT_PLAIN || code == '\n' || code == '\t';
        if (filled + width > sizeof tame) {
            if (!transfer_write(fd, tame, filled))
                return 0;
            filled = 0;
        }
        for (size_t i = 0; i < (kept ? width : 1); i++)
            tame[filled++] = kept ? bytes[at + i] : '?';
    }
    return transfer_write(fd, tame, filled) ? (ssize_t)count : 0;
}

FILE *tame_stream_open(int fd)
{
    FILE *stream = fopencookie((void *)(intptr_t)fd, "w", (cookie_io_functions_t){.write = tame_stream_write});
    if (stream)
        setvbuf(stream, NULL, _IOLBF, TAME_STREAM_BYTES);
    return stream;
}

void tame_stream_begin(void)
{
    FILE *errors = tame_stream_open(STDERR_FILENO);
    FILE *output = isatty(STDOUT_FILENO) ? tame_stream_open(STDOUT_FILENO) : NULL;
    if (errors)
        stderr = errors;
    if (output)
        stdout = output;
}
