/*
 * source.h - a profile's bytes through a window: decompressed (gzip, zstd, lz4, xz), converted from UTF-16 to UTF-8,
 * and rewindable for formats with definitions after their uses.
 *
 * A file that can't be read, or whose compressed data are damaged, looks as if it ended there; source_error() says so.
 * Memory: the window, 256 KiB, or as much as the largest source_peek() or line needs.
 */
#ifndef ASSAY_TRACE_IMPORT_SOURCE_H
#define ASSAY_TRACE_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error_text.h"

enum { SOURCE_PEEK_MAX = 1 << 25 }; /* of source_peek(), and of a line */

struct source;

/* Opens a regular file. STATUS_GOOD or a status with a message that does not name the file. */
int source_open(const char *path, struct source **out, struct error_text *message);
void source_close(struct source *source);

/* Rewinds. False, with the error kept, if the file no longer exists. */
bool source_rewind(struct source *source);

/* The next bytes, at least `size` of them unless the file ends before: *got is their number. NULL if there are none.
 * They are valid until the next call. size ≤ SOURCE_PEEK_MAX. */
const unsigned char *source_peek(struct source *source, size_t size, size_t *got);
/* Skips bytes. False if the file ends before. */
bool source_skip(struct source *source, uint64_t size);
/* The number of uncompressed bytes consumed. */
uint64_t source_offset(const struct source *source);

/* The next line, terminated, without its LF or CR LF; it may be changed until the next call, and so may the byte
 * behind it; ROWS_SLACK more can be read. NULL at the end. *number is incremented. A line beyond SOURCE_PEEK_MAX is
 * an error. */
char *source_read_line(struct source *source, size_t *length, uint64_t *number);

/* Why the bytes ended early, or NULL. */
const char *source_error(const struct source *source);

#endif
