#include "collect/experiment/state/file_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/transfer.h"

char *file_text_read(struct obstack *memory, int fd)
{
    char buffer[4096];
    ssize_t got;
    for (off_t at = 0; (got = transfer_read_at(fd, buffer, sizeof buffer, at)) > 0; at += got)
        memory_grow(memory, buffer, (size_t)got);
    char *text = memory_finish(memory);
    return got < 0 ? NULL : text;
}

char *file_text_read_path(struct obstack *memory, const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file ? file_text_read(memory, fileno(file)) : NULL;
    if (file)
        fclose(file);
    return text;
}

int file_text_replace(struct obstack *memory, const char *path, const char *text, size_t size, bool *changed,
                      struct error_text *message)
{
    const char *old = file_text_read_path(memory, path);
    bool same = old && strlen(old) == size && memcmp(old, text, size) == 0;
    if (changed)
        *changed = !same;
    if (same)
        return STATUS_GOOD;
    char *fresh = replace_name(path);
    FILE *file = fresh ? replace_create_stream(fresh) : NULL;
    int error = file ? 0 : fresh ? errno : ENOMEM;
    if (file && fwrite(text, 1, size, file) != size)
        error = errno;
    if (file && fclose(file) != 0 && !error)
        error = errno;
    if (fresh)
        error = replace_end(fresh, path, error);
    free(fresh);
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error)) : STATUS_GOOD;
}
