/*
 * select.h - which functions of this process are recorded, if the user has chosen some (choice.h).
 *
 * Looking names up takes too long and too many locks for a probe. So a probe records every function that it does not
 * know; the reader of the records decides, drops what was not chosen, and puts the function's address into a table.
 * From then on the probe finds it there and returns at once.
 */
#ifndef ASSAY_AGENTS_NATIVE_SELECT_H
#define ASSAY_AGENTS_NATIVE_SELECT_H

#include "collect/chosen_functions/choice.h"

/* Functions that were not chosen. NULL: everything is recorded. */
extern struct passed_table *select_passed __attribute__((visibility("hidden")));

/* Whether a probe of the function may return at once. Async-signal-safe. */
static inline bool select_passes(uint64_t function)
{
    return select_passed && passed_has(select_passed, function);
}

/* To be called once, before there are threads, with what choice_new() takes. A note (sampler_report()) says if the
 * file can't be read. */
void select_prepare(const json_t *wanted);

/* Whether functions were chosen. */
bool select_wanted(void);

/* Whether the function that has this address is recorded. Reads its file's symbols the first time. */
bool select_has(uint64_t address);

/* To be called when the recording of this process has begun, and when it may have got more probes: informs the reader.
 */
void select_begin(void);
void select_report_probes(void);

/* To be called around a fork; select_forget() when files have been unloaded, so that addresses change their meaning. */
void select_before_fork(void);
void select_after_fork_in_parent(void);
void select_after_fork_in_child(void);
void select_forget(void);

/* Reports, at the end, names in the file that no recorded function has, if the process has probes and no other process
 * reports them. */
void select_report(void);

#endif
