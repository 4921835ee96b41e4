/*
 * rows_source.h - the bytes of a file, unpacked: gz and zst are seen by their first bytes, never by the name.
 */
#ifndef ASSAY_ROWS_ROWS_SOURCE_H
#define ASSAY_ROWS_ROWS_SOURCE_H

#include <stddef.h>

#include "base/complaint.h"

struct rows_source;

/* Opens a file; "-" is standard input. Returns 0, or a status with a complaint that does not name the file. */
int rows_source_open(const char *path, struct rows_source **source, struct complaint *complaint);

/* Fills buffer[size] with what comes next: *length < size only at the end. A status with a complaint if the file can't
 * be read, or its packed data are damaged or cut; buffer[*length] holds what came before. */
int rows_source_read(struct rows_source *source, char *buffer, size_t size, size_t *length,
                     struct complaint *complaint);

void rows_source_close(struct rows_source *source);

#endif
