/*
 * directory.h - the output directory as a place: made, locked, its files replaced whole.
 */
#ifndef ASSAY_RECORD_DIRECTORY_H
#define ASSAY_RECORD_DIRECTORY_H

#include <jansson.h>

#include "collect/record/record.h"

/* Makes the directory with its parents. Returns 0 or an errno value. */
int directory_make(const char *path);

/* Locks it for this process. Returns 0, an errno value, or EWOULDBLOCK if another process holds the lock. */
int directory_lock(const char *path, int *lock);

/* Replaces DIRECTORY/NAME: a reader sees the old file or the new one, whole. Returns 0 or an errno value. */
int directory_put(const char *directory, const char *name, const json_t *content);

#endif
