/*
 * say.h - messages on standard error, one line each, and the progress line that every message clears first.
 */
#ifndef ASSAY_RECORD_SAY_H
#define ASSAY_RECORD_SAY_H

#include <stdbool.h>

/* `mark` is put before the text of notes: "note: ", or "". */
void say_init(bool quiet, const char *mark);

/* An error or something that the user must know: printed even when quiet. */
__attribute__((format(printf, 1, 2))) void say_error(const char *format, ...);

/* Printed unless quiet. */
__attribute__((format(printf, 1, 2))) void say_note(const char *format, ...);

/* Replaces the progress line; does nothing when quiet or when standard error is not a terminal. */
__attribute__((format(printf, 1, 2))) void say_progress(const char *format, ...);
bool say_shows_progress(void);
void say_clear_progress(void);

#endif
