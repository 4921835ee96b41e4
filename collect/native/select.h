/*
 * select.h - which functions of a native program are recorded, if the user has chosen some: those named in a file, or
 * those that match patterns and are large enough.
 *
 * Names are looked up in the symbol tables of the loaded files, which takes too long and too many locks for a probe. So
 * a probe records every function that it does not know; the writer decides, drops what was not chosen, and puts the
 * function's address into a cache. From then on the probe finds it there and returns at once.
 */
#ifndef ASSAY_NATIVE_SELECT_H
#define ASSAY_NATIVE_SELECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

enum { SELECT_WAYS = 4, SELECT_SETS_LOG2 = 14 };

/* Addresses that were not chosen; 0: free. NULL: everything is recorded. */
extern _Atomic uint64_t (*select_passed)[SELECT_WAYS] __attribute__((visibility("hidden")));

static inline size_t select_set(uint64_t function)
{
    return function * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SELECT_SETS_LOG2);
}

/* Whether a probe of the function may return at once. Async-signal-safe. */
static inline bool select_passes(uint64_t function)
{
    if (!select_passed)
        return false;
    _Atomic uint64_t *set = select_passed[select_set(function)];
    for (size_t i = 0; i < SELECT_WAYS; i++)
        if (atomic_load_explicit(&set[i], memory_order_relaxed) == function)
            return true;
    return false;
}

/*
 * To be called once, before there are threads. `wanted` is the object `methods` of the configuration: it has `file`
 * (one name per line, as tables print it), or `include`, `exclude` (patterns), `min_bytes` (of machine code) and
 * `loop_rule`. If the file can't be read, one line on stderr says so, and nothing is chosen.
 */
void select_prepare(const json_t *wanted);

/* Whether functions were chosen. */
bool select_wanted(void);

/* Whether the function that has this address is recorded. Reads its file's symbols the first time. */
bool select_has(uint64_t address);

/* To be called around a fork; select_forget() when files have been unloaded, so that addresses change their meaning. */
void select_before_fork(void);
void select_after_fork_in_parent(void);
void select_after_fork_in_child(void);
void select_forget(void);

/* Prints one line on stderr, at the end, about names in the file that no recorded function has, if the process has
 * probes. */
void select_tell(void);

#endif
