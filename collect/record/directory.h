/*
 * directory.h - the output directory: created, locked, its files replaced atomically.
 */
#ifndef ASSAY_RECORD_DIRECTORY_H
#define ASSAY_RECORD_DIRECTORY_H

#include <jansson.h>

#include "collect/record/record.h"

/* Creates the directory and its parents. Returns 0 or an errno value. */
int directory_make(const char *path);

/* Locks it for this process. Returns 0, an errno value, or EWOULDBLOCK if another process holds the lock. */
int directory_lock(const char *path, int *lock);

/* Replaces DIRECTORY/NAME atomically. Returns 0 or an errno value. */
int directory_put(const char *directory, const char *name, const json_t *content);

#endif
