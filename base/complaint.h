/*
 * complaint.h - one line about what went wrong (or, with status 0, what the user should know), and an exit status.
 *
 * Library code never prints: it fills a complaint and returns its status; the program prints it.
 */
#ifndef ASSAY_BASE_COMPLAINT_H
#define ASSAY_BASE_COMPLAINT_H

#include <stdarg.h>
#include <stddef.h>

/* Long enough for the longest sentence with two paths in it, each of which is cut to at most 400 bytes so that what to
 * do about it, at the end, is not lost. */
struct complaint {
    char text[1024]; /* "" for none; no newline at the end */
};

/* Exit statuses of all programs, and what functions with a complaint return. */
enum { STATUS_GOOD = 0, STATUS_BAD = 1, STATUS_USAGE = 2 };

/* Writes the text (cut if it is too long) and returns the status. */
int complain(struct complaint *complaint, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vcomplain(struct complaint *complaint, int status, const char *format, va_list values)
    __attribute__((format(printf, 3, 0)));

/* Appends, after "; " if there is a text already. */
void complain_too(struct complaint *complaint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "PREFIX: " before the text. */
void complaint_prefix(struct complaint *complaint, const char *prefix);

/* Appends "WORD" (", WORD" after the first) to a list in text; leaves out what is too long. */
void complaint_list(char *text, size_t size, const char *word);

#endif
