/*
 * nearest.h - what a file without a known format is, and how to make a profile of it.
 */
#ifndef ASSAY_TRACE_IMPORT_NEAREST_H
#define ASSAY_TRACE_IMPORT_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error_text.h"

/* Each writes "looks like …: what to do" and returns true; or returns false, with the message untouched. */

/* By bytes at its start, of which `length` are known, that no profile of a known format has. */
bool nearest_by_magic(const unsigned char *head, size_t length, struct error_text *message);

/* By its text or its name, once no format has recognized it. */
bool nearest_by_text(const char *path, const unsigned char *head, size_t length, struct error_text *message);

/* A directory, by the files in it. */
bool nearest_directory(const char *path, struct error_text *message);

#endif
