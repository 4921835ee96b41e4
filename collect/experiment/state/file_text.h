/*
 * file_text.h - files of an experiment that are texts, read and replaced as a whole.
 */
#ifndef ASSAY_EXPERIMENT_FILE_TEXT_H
#define ASSAY_EXPERIMENT_FILE_TEXT_H

#include <stdbool.h>

#include "base/error_text.h"
#include "collect/experiment/description/memory.h"

/* The whole file from its beginning; NULL and errno if it can't be read. Lives in `memory`. */
char *file_text_read(struct obstack *memory, int fd);

/* The same for a path; NULL if the file can't be opened or read. */
char *file_text_read_path(struct obstack *memory, const char *path);

/* Replaces the file atomically, unless it has these bytes already; *changed says whether it did, unless it is NULL. */
int file_text_replace(struct obstack *memory, const char *path, const char *text, size_t size, bool *changed,
                      struct error_text *message);

#endif
