/*
 * replace.h - a file that takes the place of another once it is whole: a reader sees the old one or the new one.
 */
#ifndef ASSAY_BASE_REPLACE_H
#define ASSAY_BASE_REPLACE_H

/* What the new file is called until then: DIRECTORY/.NAME.tmp, which no pattern for NAME matches. The caller frees it;
 * NULL without memory. */
char *replace_name(const char *path);

/* Ends the writing of `fresh`, which had this error or 0: renames it to `path`, or removes it. Returns the first error,
 * an errno value, or 0. */
int replace_end(const char *fresh, const char *path, int error);

#endif
