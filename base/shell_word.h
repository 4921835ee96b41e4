/*
 * shell_word.h - words of a command line: in messages, for the user to copy, and in what the user has typed.
 */
#ifndef ASSAY_BASE_SHELL_WORD_H
#define ASSAY_BASE_SHELL_WORD_H

#include <stddef.h>

#include "base/error_text.h"

/* Appends a word to text[size], after a space unless the text is empty, as a shell has to read it. What doesn't fit is
 * left out: then strlen(text) is size − 1. Cost: O(size). */
void shell_word_append(char *text, size_t size, const char *word);

/*
 * Splits a command line into words, as a shell does: at blanks, with '…', "…" and backslashes. What only a shell can do
 * (pipes, redirections, variables, patterns) is an error, STATUS_USAGE with a message. *words: the words and NULL, in
 * one block for free(). 0 words are an error, too. Cost: O(length).
 */
int shell_word_split(const char *text, char ***words, struct error_text *message);

#endif
