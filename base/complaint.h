/*
 * complaint.h - one line about what went wrong (or, with status 0, what the user should know), and an exit status.
 *
 * Library code never prints: it fills a complaint and returns its status; the program prints it.
 */
#ifndef ASSAY_BASE_COMPLAINT_H
#define ASSAY_BASE_COMPLAINT_H

#include <stddef.h>

struct complaint {
    char text[512]; /* "" for none; no newline at the end */
};

/* Exit statuses of all programs. */
enum { STATUS_GOOD = 0, STATUS_BAD = 1, STATUS_USAGE = 2 };

/* Writes the text (cut if it is too long) and returns the status. */
int complain(struct complaint *complaint, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "PREFIX: " before the text. */
void complaint_prefix(struct complaint *complaint, const char *prefix);

/* Appends "WORD" (", WORD" after the first) to a list in text; leaves out what is too long. */
void complaint_list(char *text, size_t size, const char *word);

#endif
