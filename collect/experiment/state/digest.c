#include "collect/experiment/state/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/transfer.h"

void digest_add(struct sha256_ctx *digest, const char *text)
{
    sha256_update(digest, strlen(text) + 1, (const uint8_t *)text);
}

void digest_finish(struct sha256_ctx *digest, char text[DIGEST_TEXT])
{
    uint8_t bytes[SHA256_DIGEST_SIZE];
    sha256_digest(digest, sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

int digest_file(const char *path, char text[DIGEST_TEXT])
{
    uint8_t bytes[1 << 16];
    struct sha256_ctx digest;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    sha256_init(&digest);
    ssize_t got;
    while ((got = transfer_read_some(fd, bytes, sizeof bytes)) > 0)
        sha256_update(&digest, (size_t)got, bytes);
    int error = got < 0 ? errno : 0;
    close(fd);
    digest_finish(&digest, text);
    return error;
}
