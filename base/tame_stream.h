/*
 * tame_stream.h - standard streams that no name can abuse: escape sequences in a name could retitle a terminal,
 * overwrite what it shows, or have it type commands.
 */
#ifndef ASSAY_BASE_TAME_STREAM_H
#define ASSAY_BASE_TAME_STREAM_H

#include <stdio.h>

/* A stream to a descriptor, flushed at the end of each line, in which every character that text_next() does not call
 * plain is '?', but for ends of lines and tabs. NULL with errno. Closing it leaves the descriptor open. */
FILE *tame_stream_open(int fd);

/* From now on `stderr` is such a stream, and so is `stdout` where it is a terminal; pipes and files get every byte as
 * it is. Progress, which moves the cursor itself, goes to the descriptor. Without memory nothing changes. */
void tame_stream_begin(void);

#endif
