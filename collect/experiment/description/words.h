/*
 * words.h - the words of a command line, split as a shell splits them, and names in braces.
 *
 * Nothing is executed or expanded but {NAME}: blanks separate words, quotes and backslashes keep text together.
 */
#ifndef ASSAY_EXPERIMENT_WORDS_H
#define ASSAY_EXPERIMENT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error_text.h"
#include "collect/experiment/description/memory.h"

/* Once it has a word, `list` ends with NULL. */
struct words {
    const char **list;
    size_t count, capacity;
};

/* Appends a word, which must live as long as `memory`. */
void words_add(struct obstack *memory, struct words *words, const char *word);

/* Appends the words of `text` to *words: 'as it is', "with \" and \\", and \ before any character. Characters that a
 * shell would act on (| & ; < > ` and $ before a name) are errors unless they are quoted. STATUS_GOOD, or STATUS_BAD
 * with a message. O(length). */
int words_split(struct obstack *memory, const char *text, struct words *words, struct error_text *message);

/* A part of a text: {NAME}, or characters as they are, where {{ stands for { before a name. */
struct words_part {
    const char *text; /* of the name or characters; not terminated */
    size_t length;
    bool is_name;
};

/* The part that begins at text + *at, and the position after it; false at the end. A name begins with a letter and has
 * letters, digits, _ and -; other braces are characters. */
bool words_next_part(const char *text, size_t *at, struct words_part *part);

/* Values of names, for words_expand(). */
struct words_value {
    const char *name;
    const char *text;          /* what it stands for within a word */
    const struct words *words; /* what it stands for as a whole word; NULL: `text` */
};

/* The text with its names replaced by their values. Names without a value remain in braces. */
const char *words_expand_text(struct obstack *memory, const char *text, const struct words_value *values, size_t count);

/* The same for words; a word that is one name is replaced by the words of its value. */
void words_expand(struct obstack *memory, const struct words *from, const struct words_value *values, size_t count,
                  struct words *to);

#endif
