/*
 * transfer.h - reading and writing that a signal does not cut short.
 *
 * read() and write() may transfer less than was asked for, or nothing (EINTR), when a signal comes, and on some file
 * systems at any time. These go on.
 */
#ifndef ASSAY_BASE_TRANSFER_H
#define ASSAY_BASE_TRANSFER_H

#include <stdbool.h>
#include <sys/types.h>

/* Reads `size` bytes at an offset of a file, fewer only at its end. Returns their number; -1 and errno. */
ssize_t transfer_read_at(int fd, void *bytes, size_t size, off_t at);

/* The next bytes of a file, a pipe or a terminal: at most `size`, as many as there are now. 0: the end; -1 and errno.
 */
ssize_t transfer_read_some(int fd, void *bytes, size_t size);

/* Writes all bytes where the file stands. False and errno if they can't be. */
bool transfer_write(int fd, const void *bytes, size_t size);

/* The same at an offset. */
bool transfer_write_at(int fd, const void *bytes, size_t size, off_t at);

#endif
