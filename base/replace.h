/*
 * replace.h - replacing a file atomically: a reader sees either the old or the new one.
 */
#ifndef ASSAY_BASE_REPLACE_H
#define ASSAY_BASE_REPLACE_H

#include <stdio.h>
#include <sys/types.h>

/* A file that a user named, while it is written. */
struct replacement {
    FILE *out;    /* to write to */
    char *fresh;  /* the temporary file; NULL: the named file itself */
    char *target; /* the file that it will become, symbolic links followed */
};

/* Opens a new file for what `path` shall be, with the permissions of the old one or those of other new files. The file
 * itself is opened, and emptied, where a new one can't replace it: a device, a pipe and the like; a link to what is not
 * there; a file with hard links, of another owner or group, or in a directory that takes no new ones. The file of
 * standard output or standard error is written from where that stands. Returns 0, or an errno value (EACCES, too, if
 * the old file may not be written) and *replacement has nothing to close. */
int replace_open(struct replacement *replacement, const char *path);

/* Closes the file, whose writing had this error or 0. Without one it takes the place of the old file, else it is
 * removed. Returns the first error, an errno value, or 0. */
int replace_close(struct replacement *replacement, int error);

/* The same for files that are opened otherwise. The temporary name of the new file: DIRECTORY/.NAME.tmp, which no
 * pattern for NAME matches. The caller frees it; NULL without memory. */
char *replace_name(const char *path);

/* Creates that file, for writing: whatever has its name, a link that somebody planted there or what a killed program
 * left, is removed first, never followed. The descriptor, or -1 with errno (EEXIST: somebody was faster). */
int replace_create(const char *fresh, mode_t mode);

/* The same as a stream, with the permissions of new files. NULL with errno. */
FILE *replace_create_stream(const char *fresh);

/* Opens a file to append to, which is created if it is not there: a regular one, never a link. `flags`: O_WRONLY or
 * O_RDWR. The descriptor, or -1 with errno: ELOOP for a link. Async-signal-safe. */
int replace_append(const char *path, int flags);

/* Finishes `fresh`, whose writing had this error or 0: renames it to `path`, or removes it. Returns the first error,
 * an errno value, or 0. */
int replace_end(const char *fresh, const char *path, int error);

#endif
