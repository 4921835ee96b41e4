#include "base/json_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_memory.h"
#include "base/transfer.h"

int json_file_write(int fd, const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags);
    int error = text && !json_memory_has_failed() ? 0 : ENOMEM;
    if (!error && !(transfer_write(fd, text, strlen(text)) && transfer_write(fd, "\n", 1)))
        error = errno;
    free(text);
    return error;
}
