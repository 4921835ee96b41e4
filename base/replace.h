/*
 * replace.h - replacing a file atomically: a reader sees either the old or the new one.
 */
#ifndef ASSAY_BASE_REPLACE_H
#define ASSAY_BASE_REPLACE_H

/* The temporary name of the new file: DIRECTORY/.NAME.tmp, which no pattern for NAME matches. The caller frees it;
 * NULL without memory. */
char *replace_name(const char *path);

/* Finishes `fresh`, whose writing had this error or 0: renames it to `path`, or removes it. Returns the first error,
 * an errno value, or 0. */
int replace_end(const char *fresh, const char *path, int error);

#endif
