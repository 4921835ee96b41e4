/*
 * own_code.h - functions of traces that are assay's own: an agent's hooks also get samples, and can't be made slower.
 */
#ifndef ASSAY_INJECT_OWN_CODE_H
#define ASSAY_INJECT_OWN_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text_set.h"

struct own_code {
    struct text_set own, others; /* names of functions in assay's agents, and in all other files */
};

/* Reads the names of the traces' functions; a trace that can't be read has none. False without memory. Free in either
 * case. */
bool own_code_read(const char *const *traces, size_t count, struct own_code *code);
void own_code_free(struct own_code *code);

/* Whether only assay's agents have a function of this name, with its parameters if it has some. */
bool own_code_has(const struct own_code *code, const char *name);

#endif
