/*
 * text_stream.h - a stream whose bytes become a text in memory.
 *
 * open_memstream() of some C libraries loses what there is no memory for, and reports nothing: this one does.
 */
#ifndef ASSAY_BASE_TEXT_STREAM_H
#define ASSAY_BASE_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a stream that only writes, and whose ftell() counts the bytes so far. After text_stream_close() *text, which
 * free() frees, has its bytes and a '\0', and *size their number; until then both are unspecified. NULL without memory.
 */
FILE *text_stream_open(char **text, size_t *size);

/* Closes such a stream, which may be NULL. False, and *text is NULL, if memory lacked at any time. */
bool text_stream_close(FILE *stream, char **text);

#endif
