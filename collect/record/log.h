/*
 * log.h - messages on standard error, one line each, and the progress line that every message clears first.
 */
#ifndef ASSAY_RECORD_LOG_H
#define ASSAY_RECORD_LOG_H

#include <stdbool.h>

/* `mark` is put before the text of notes: "note: ", or "". */
void log_init(bool quiet, const char *mark);

/* An error or something that the user must know: printed even when quiet. */
__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);

/* Printed unless quiet. */
__attribute__((format(printf, 1, 2))) void log_note(const char *format, ...);

/* Replaces the progress line; does nothing when quiet or when standard error is not a terminal. */
__attribute__((format(printf, 1, 2))) void log_progress(const char *format, ...);
bool log_shows_progress(void);
void log_clear_progress(void);

#endif
