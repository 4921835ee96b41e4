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

/* What a character does when it is printed. */
enum text_kind {
    TEXT_PLAIN,
    TEXT_CONTROL,   /* controls a terminal, or ends a line; also those beyond ASCII: U+0080 to U+009F, U+2028, U+2029 */
    TEXT_DIRECTION, /* turns the direction of the text after it, so that it reads as another one: U+202E and its kin */
    TEXT_BROKEN     /* a byte that is not UTF-8, which some terminals take for a control character */
};

/* The kind of the first character of text[length], length >= 1; its bytes and its code point (of a broken byte: its
 * value). Async-signal-safe, as text_tame() is. */
enum text_kind text_next(const char *text, size_t length, size_t *bytes, unsigned *code);

/* Every character that is not plain becomes one '?': the rest moves no cursor, ends no line and reads as it is. */
void text_tame(char *text);

/* Writes a text as LaTeX prints it, in a paragraph or a cell of a table; a line end becomes "; ". */
void text_write_latex(FILE *out, const char *text);

/* The same, with \allowbreak where a line may end: between the parts of a name, and between its words, as in "aB". */
void text_write_latex_broken(FILE *out, const char *text);

#endif
