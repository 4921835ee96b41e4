/*
 * shell_word.h - words of a command line in messages, for the user to copy.
 */
#ifndef ASSAY_BASE_SHELL_WORD_H
#define ASSAY_BASE_SHELL_WORD_H

#include <stddef.h>

/* Appends a word to text[size], after a space unless the text is empty, as a shell has to read it. What doesn't fit is
 * left out: then strlen(text) is size − 1. Cost: O(size). */
void shell_word_append(char *text, size_t size, const char *word);

#endif
