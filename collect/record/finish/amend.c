#include "collect/record/finish/amend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/replace.h"
#include "base/transfer.h"
#include "trace/format/chunk.h"

static int amend_write_copy(const char *path, const char *fresh, const struct buffer *header)
{
    uint8_t old_header[FILE_HEADER_BYTES];
    struct stat old;
    int to = -1, error = 0, from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0 || fstat(from, &old) != 0 || (to = replace_create(fresh, old.st_mode & 0777)) < 0)
        error = errno;
    if (!error && !transfer_write(to, header->data, header->size))
        error = errno;
    /* Copies the chunks and all that follows them. */
    if (!error &&
        (transfer_read_at(from, old_header, sizeof old_header, 0) != sizeof old_header || fstat(from, &old) != 0))
        error = EIO;
    off_t at = error ? 0 : FILE_HEADER_BYTES + (off_t)bytes_get(old_header + 12, 4);
    while (!error && at < old.st_size) {
        ssize_t sent = sendfile(to, from, &at, (size_t)(old.st_size - at));
        if (sent <= 0)
            error = sent < 0 ? errno : EIO;
    }
    if (to >= 0 && close(to) != 0 && !error)
        error = errno;
    if (from >= 0)
        close(from);
    return error;
}

int amend_metadata(const struct trace *trace, const json_t *more)
{
    const char *path = trace_path(trace);
    struct buffer header = {0};
    /* The file header with the old metadata and the new. */
    json_t *metadata = json_copy((json_t *)(uintptr_t)trace_metadata(trace));
    int error = !metadata || json_object_update(metadata, (json_t *)(uintptr_t)more) != 0
                    ? ENOMEM
                    : file_header_encode(metadata, &header);
    json_decref(metadata);
    char *fresh = error ? NULL : replace_name(path);
    if (fresh)
        error = replace_end(fresh, path, amend_write_copy(path, fresh, &header));
    else if (!error)
        error = ENOMEM;
    free(fresh);
    buffer_free(&header);
    return error;
}
