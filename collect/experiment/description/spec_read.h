/*
 * spec_read.h - values of the description: names, texts, numbers, command lines.
 */
#ifndef ASSAY_EXPERIMENT_SPEC_READ_H
#define ASSAY_EXPERIMENT_SPEC_READ_H

#include "collect/experiment/description/spec.h"

/* Each adds an error, and returns NULL or false, if the value is of another kind. A value that is missing (`tree` is
 * NULL) leaves *value as it is. */
const char *spec_read_text(struct spec *spec, const struct tree *tree, const char *what);
bool spec_read_count(struct spec *spec, const struct tree *tree, const char *what, uint64_t least, uint64_t *value);
bool spec_read_map(struct spec *spec, const struct tree *tree, const char *what);

/* Checks that all keys of the map are among these, and suggests what was meant. */
void spec_read_keys(struct spec *spec, const struct tree *map, const char *what, const char *const *keys, size_t count);

/* A name that is part of file names: letters, digits, '.', '_', '+' and '-', of which the first is a letter or digit.
 */
bool spec_read_name(struct spec *spec, const struct tree *key, const char *what);

/* The same for values, which may have names in braces. */
bool spec_read_value_name(struct spec *spec, const struct tree *key);

/* A path below the directory of the file: relative, without "..", in which names in braces stand for names. */
bool spec_read_path(struct spec *spec, const struct tree *tree, const char *what);

void spec_read_words(struct spec *spec, const struct tree *tree, const char *what, struct words *words);
void spec_read_environment(struct spec *spec, const struct tree *tree, struct spec_environment *environment);

/* `only`: {VARIABLE: LEVEL or [LEVEL...]}. */
void spec_read_only(struct spec *spec, const struct tree *tree, struct spec_only *only);

/* Checks that names in braces are variables; marks the factors among them in uses[], unless it is NULL. */
void spec_read_braces(struct spec *spec, const struct tree *at, const char *text, bool *uses);

/* Adds errors for options on a line which the experiment gives itself: {OPTION, WHY}. */
void spec_read_refused(struct spec *spec, const struct tree *at, const struct words *line,
                       const char *const (*refused)[2], size_t count);

/* The section `results`, after all others; NULL: there is none. */
void spec_read_results(struct spec *spec, const struct tree *section);

/* Adds an error about an unknown name, with those that exist. */
void spec_read_unknown(struct spec *spec, const struct tree *at, const char *what, const char *name,
                       const char *const *names, size_t count);

#endif
