/*
 * names.h - names of rows and series in a command line: "Parser.parse,java.util.HashMap.put(Object, Object)", or with
 * texts for them: "random=Random clock,safepoint=Safe points".
 */
#ifndef ASSAY_PLOTS_RENDER_NAMES_H
#define ASSAY_PLOTS_RENDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct name {
    const char *text; /* not terminated */
    size_t length;
    const char *value; /* what is right of the last '=', not terminated; NULL without one */
    size_t value_length;
    bool used; /* names_find() has found it */
};

struct names {
    struct name *items;
    size_t count;
};

/* Appends the names in a text, separated by commas that are not in brackets; `valued`: what has no '=' continues the
 * value before. Names point into the text. False without memory. */
bool names_add(struct names *names, const char *text, bool valued);

/* The first name that is this text, or its end after one of ".:/#", without parameters; SIZE_MAX if there is none. */
size_t names_find(struct names *names, const char *text);

/* The first name that was never found; NULL if there is none. */
const struct name *names_unused(const struct names *names);

void names_free(struct names *names);

#endif
