/*
 * run_label.h - the labels of --by: what tells recordings apart, with the same words in every program that reads
 * traces.
 */
#ifndef ASSAY_ANALYZE_DRIVER_RUN_LABEL_H
#define ASSAY_ANALYZE_DRIVER_RUN_LABEL_H

#include "analyze/driver/analyzer.h"

enum run_label {
    RUN_LABEL_CLOCK,     /* metadata "clock" */
    RUN_LABEL_COMMAND,   /* the command line: metadata "command" */
    RUN_LABEL_DIRECTORY, /* of the trace's path; "." if that has none */
    RUN_LABEL_ENGINE,    /* metadata "engine" */
    RUN_LABEL_FILE,      /* the trace's path */
    RUN_LABEL_LABEL,     /* those of the recording, as "NAME=VALUE", by name, joined by commas: metadata "labels" */
    RUN_LABEL_MODE,      /* metadata "mode" */
    RUN_LABEL_PROFILER,  /* metadata "profiler", else the tool that the profile was imported from, else the clock; the
                            path of an imported profile that has none of these */
    RUN_LABEL_PROGRAM,   /* the executable or main class: command_program() */
    RUN_LABELS           /* their number; as a label: none */
};

/* Their list, for help and messages. */
#define RUN_LABEL_LIST "clock, command, directory, engine, file, label, mode, profiler or program"

/* The warning of a program that keeps files in its state only for --by file. */
#define RUN_LABEL_NO_FILES "a saved state has no files: save it with --by file"

/* The name of a label below RUN_LABELS, as --by takes it. */
const char *run_label_name(enum run_label label);

/* The label of this name; RUN_LABELS: there is none, or `name` is NULL. */
enum run_label run_label_named(const char *name);

/* What a trace has under a label below RUN_LABELS; "" if it has nothing. To be freed; NULL without memory. O(length of
 * the metadata). */
char *run_label_text(const struct analysis_trace *trace, enum run_label label);

/* The same of the label with this name or, if there is none, of another key of the metadata; NULL: the profiler. */
char *run_label_value(const struct analysis_trace *trace, const char *name);

/* For --by that also takes keys of the metadata, if all traces have "" under it: unless `name` is a label or NULL,
 * warns that no trace has such a key, and takes back the result, in which whatever it was to tell apart is together. */
void run_label_refuse_unknown(const char *name, struct report *report);

/* Whether runs that differ in this label do not belong into one table: they observe differently, or run something else.
 */
bool run_label_separates(enum run_label label);

#endif
