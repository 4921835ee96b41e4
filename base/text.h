/*
 * text.h - names and paths are bytes; JSON, terminals and LaTeX are not.
 */
#ifndef ASSAY_BASE_TEXT_H
#define ASSAY_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/* A JSON string: UTF-8 unchanged; otherwise every byte from 0x80 on as the Latin-1 character with that number, so that
 * nothing is lost. NULL without memory. */
json_t *text_json(const char *text, size_t length);

/* Adds a member to an object, its key converted as by text_json(); steals value. 0, or −1 without memory. */
int text_json_set(json_t *object, const char *key, json_t *value);

/* Control characters (also those beyond ASCII) become '?': the rest moves no cursor and ends no line. */
void text_tame(char *text);

/* Writes a text as LaTeX prints it, in a paragraph or a cell of a table; a line end becomes "; ". */
void text_write_latex(FILE *out, const char *text);

/* The same, with \allowbreak where a line may end: between the parts of a name, and between its words, as in "aB". */
void text_write_latex_broken(FILE *out, const char *text);

#endif
