/*
 * csv_text.h - texts in CSV and TSV.
 */
#ifndef ASSAY_BASE_CSV_TEXT_H
#define ASSAY_BASE_CSV_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes text[length] as a cell, quoted as RFC 4180 says where it has to be, and where it would begin a comment; in TSV
 * (separator '\t') a tab or a line end becomes a space. A text that a spreadsheet would run as a formula, one of = + -
 * @ with a call or a command after it, gets an apostrophe in front, which csv_text_is_guarded() finds.
 */
void csv_text_write(FILE *out, const char *text, size_t length, char separator);

/* Whether a cell is a text with that apostrophe. O(1) unless it begins with one. */
bool csv_text_is_guarded(const char *text, size_t length);

#endif
