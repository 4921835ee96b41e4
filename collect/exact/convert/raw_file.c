#include "collect/exact/convert/raw_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LET_GO_BYTES = 1 << 24 };

int raw_file_open(const char *path, struct raw_file *file)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
    void *bytes = NULL;
    if (fd < 0)
        return errno;
    if (fstat(fd, &status) != 0)
        error = errno;
    else if (!S_ISREG(status.st_mode))
        error = EINVAL;
    else if (status.st_size > 0 &&
             (bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
        error = errno;
    close(fd);
    if (!error)
        *file = (struct raw_file){.bytes = bytes, .size = (uint64_t)status.st_size};
    return error;
}

void raw_file_close(struct raw_file *file)
{
    if (file->bytes)
        munmap((void *)(uintptr_t)file->bytes, file->size);
    *file = (struct raw_file){0};
}

enum raw_step raw_file_next(const struct raw_file *file, uint64_t *at, struct raw_record *record)
{
    struct raw_head head;
    assert(*at <= file->size);
    uint64_t left = file->size - *at;
    if (left == 0)
        return STEP_END;
    if (left < sizeof head)
        return STEP_CUT;
    memcpy(&head, file->bytes + *at, sizeof head);
    if (head.type == 0 || head.bytes > RAW_PAYLOAD_MAX || head.bytes % 8 != 0)
        return STEP_DAMAGED;
    if (head.bytes > left - sizeof head)
        return STEP_CUT;
    *record = (struct raw_record){head.type, head.bytes, file->bytes + *at + sizeof head};
    *at += sizeof head + head.bytes;
    return STEP_RECORD;
}

void raw_file_release(struct raw_file *file, uint64_t at)
{
    assert(at >= file->let_go && at <= file->size);
    if (at - file->let_go < LET_GO_BYTES)
        return;
    uint64_t end = at - at % LET_GO_BYTES;
    madvise((void *)(uintptr_t)(file->bytes + file->let_go), end - file->let_go, MADV_DONTNEED);
    file->let_go = end;
}

const char *raw_file_text(const struct raw_record *record, size_t offset, size_t bytes)
{
    if (offset > record->bytes || bytes >= record->bytes - offset)
        return NULL;
    const char *text = (const char *)record->payload + offset;
    return text[bytes] == '\0' ? text : NULL;
}
