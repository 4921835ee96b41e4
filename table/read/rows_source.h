/*
 * rows_source.h - the bytes of a file, decompressed: gz, zst, lz4 and xz are recognized by their first bytes, not by
 * the name.
 */
#ifndef ASSAY_TABLE_READ_ROWS_SOURCE_H
#define ASSAY_TABLE_READ_ROWS_SOURCE_H

#include <stddef.h>

#include "base/error_text.h"

struct rows_source;

/* Opens a file; "-" is standard input. Returns 0, or a status with a message that does not name the file. */
int rows_source_open(const char *path, struct rows_source **source, struct error_text *message);

/* The same of an open file, which is then the source's. */
int rows_source_take(int fd, struct rows_source **source, struct error_text *message);

/* Fills buffer[size] with the next bytes: *length < size only at the end. A status with a message if the file can't
 * be read, or its compressed data are damaged or cut; buffer[*length] holds what came before. */
int rows_source_read(struct rows_source *source, char *buffer, size_t size, size_t *length, struct error_text *message);

void rows_source_close(struct rows_source *source);

#endif
