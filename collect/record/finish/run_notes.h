/*
 * run_notes.h - what agents have to report about their processes. They write it into a file of the run, not to the
 * program's standard error, which must stay as it is.
 */
#ifndef ASSAY_RECORD_FINISH_RUN_NOTES_H
#define ASSAY_RECORD_FINISH_RUN_NOTES_H

#include <jansson.h>

/*
 * Reads the notes of the run with this prefix in a directory, and removes their file. Returns a new array of
 * {"text", "process" (one of those that wrote it), "name", "count"}, in the order of their first appearance; empty if
 * there are none, NULL without memory.
 */
json_t *run_notes_take(const char *directory, const char *prefix);

#endif
