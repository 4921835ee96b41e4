/*
 * tree.h - a YAML file as a tree of texts, lists and maps that know where they stand in it.
 *
 * All scalars are texts: "no", "1e3" and "010" are what was written. libyaml parses.
 */
#ifndef ASSAY_EXPERIMENT_TREE_H
#define ASSAY_EXPERIMENT_TREE_H

#include <stddef.h>

#include "base/error_text.h"
#include "collect/experiment/description/words.h"

enum tree_kind { TREE_TEXT, TREE_LIST, TREE_MAP };

struct tree {
    enum tree_kind kind;
    size_t line, column;       /* from 1 */
    const char *text;          /* of a text */
    const struct tree **keys;  /* [count] of a map: texts, distinct */
    const struct tree **items; /* [count] of a list or map */
    size_t count;
};

enum { TREE_BYTES_MAX = 1 << 20 };

/* Reads the file; an alias (*NAME) is the same node as its anchor, so a tree may contain itself. The tree lives in
 * `memory`. STATUS_BAD with a message, "FILE:LINE:COLUMN: …" where there is a position. */
int tree_read(struct obstack *memory, const char *path, const struct tree **root, struct error_text *message);

/* The item with this key; NULL: there is none, or it is not a map. */
const struct tree *tree_find(const struct tree *map, const char *key);

/* "a text", "a list", "a map". */
const char *tree_kind_text(const struct tree *tree);

#endif
