/*
 * replace.h - replacing a file atomically: a reader sees either the old or the new one.
 */
#ifndef ASSAY_BASE_REPLACE_H
#define ASSAY_BASE_REPLACE_H

#include <stdio.h>

/* A file that a user named, while it is written. */
struct replacement {
    FILE *out;    /* to write to */
    char *fresh;  /* the temporary file; NULL: the named file itself */
    char *target; /* the file that it will become, symbolic links followed */
};

/* Opens a new file for what `path` shall be, with the permissions of the old one or those of other new files. A device,
 * a pipe and the like are opened themselves, and so are a link to what is not there, and a file in a directory that
 * takes no new ones. Returns 0, or an
 * errno value and *replacement has nothing to close. */
int replace_open(struct replacement *replacement, const char *path);

/* Closes the file, whose writing had this error or 0. Without one it takes the place of the old file, else it is
 * removed. Returns the first error, an errno value, or 0. */
int replace_close(struct replacement *replacement, int error);

/* The same for files that are opened otherwise. The temporary name of the new file: DIRECTORY/.NAME.tmp, which no
 * pattern for NAME matches. The caller frees it; NULL without memory. */
char *replace_name(const char *path);

/* Finishes `fresh`, whose writing had this error or 0: renames it to `path`, or removes it. Returns the first error,
 * an errno value, or 0. */
int replace_end(const char *fresh, const char *path, int error);

#endif
