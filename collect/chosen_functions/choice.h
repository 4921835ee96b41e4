/*
 * choice.h - which functions of a native program the user has chosen: those named in a file, or those that match
 * patterns and are large enough. Names are looked up in the symbol tables of the program's files.
 *
 * Whoever asks may be in another process than the functions are.
 */
#ifndef ASSAY_CHOSEN_FUNCTIONS_CHOICE_H
#define ASSAY_CHOSEN_FUNCTIONS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "collect/methods/shared.h"

struct choice;

/* A file with code. */
struct choice_file {
    uint64_t low, high, bias; /* of the code, and what addresses there are more than in the file */
    char path[4096];          /* by which it can be opened */
    char name[256];           /* base name */
};

/* How files are found: the one with the code at this address; and visit(path) for each. */
struct choice_files {
    bool (*find)(void *user, uint64_t address, struct choice_file *file);
    void (*each)(void *user, void (*visit)(const char *path, void *arg), void *arg);
    void *user;
};

/*
 * `wanted` is the object `methods` of the configuration: it has `file` (one name per line, as tables print it), or
 * `include`, `exclude` (patterns), `min_bytes` (of machine code) and `loop_rule`. NULL: everything is chosen, or there
 * is no memory. If the file can't be read, nothing is chosen, and choice_error() says why.
 */
struct choice *choice_new(const json_t *wanted, const struct choice_files *files);
void choice_free(struct choice *choice);
const char *choice_error(const struct choice *choice); /* a sentence; "": none */

/* Functions that were not chosen are put into this table from now on, which begins empty. */
void choice_set_table(struct choice *choice, struct passed_table *passed);

/* Whether the function at this address is chosen. Reads its file's symbols the first time. */
bool choice_has(struct choice *choice, uint64_t address);

/* Files have been unloaded, so that addresses change their meaning. */
void choice_forget(struct choice *choice);

/* Which lines of the user's list have functions that are recorded, one bit each, of those that fit: choice_mark() takes
 * what another choice_marks() has put there. */
void choice_marks(const struct choice *choice, _Atomic uint64_t marks[CHOICE_LINES_MAX / 64]);
void choice_mark(struct choice *choice, const _Atomic uint64_t marks[CHOICE_LINES_MAX / 64]);

/* Writes a sentence about lines that no recorded function has. False: there are none. */
bool choice_missing(struct choice *choice, char *text, size_t size);

static inline size_t passed_set(uint64_t function)
{
    return function * UINT64_C(0x9E3779B97F4A7C15) >> (64 - PASSED_SETS_LOG2);
}

/* Whether the function is in the table. Async-signal-safe. */
static inline bool passed_has(struct passed_table *passed, uint64_t function)
{
    _Atomic uint64_t *set = passed->sets[passed_set(function)];
    for (size_t i = 0; i < PASSED_WAYS; i++)
        if (atomic_load_explicit(&set[i], memory_order_relaxed) == function)
            return true;
    return false;
}

#endif
