/*
 * message.h - one line about what went wrong (or, with status 0, what the user should know), and an exit status.
 *
 * Library code never prints: it fills a message and returns its status; the program prints it.
 */
#ifndef ASSAY_BASE_ERROR_TEXT_H
#define ASSAY_BASE_ERROR_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Long enough for the longest sentence with two paths in it, each of which is cut to at most 400 bytes so that what to
 * do about it, at the end, is not lost. */
struct error_text {
    char text[1024]; /* "" for none; no newline at the end */
};

/* Exit statuses of all programs, and what functions with a message return. */
enum { STATUS_GOOD = 0, STATUS_BAD = 1, STATUS_USAGE = 2 };

/* Writes the text (cut if it is too long) and returns the status. */
int error_set(struct error_text *message, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int error_vset(struct error_text *message, int status, const char *format, va_list values)
    __attribute__((format(printf, 3, 0)));

/* Appends, after "; " if there is a text already. */
void error_append(struct error_text *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "PREFIX: " before the text. */
void error_prefix(struct error_text *message, const char *prefix);

/* Appends "WORD" (", WORD" after the first) to a list in text; leaves out what is too long. */
void error_list(char *text, size_t size, const char *word);

#endif
