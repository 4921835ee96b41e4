/*
 * run_label.h - the labels of --by: what tells recordings apart, with the same words in every program that reads
 * traces.
 */
#ifndef ASSAY_ANALYZE_DRIVER_RUN_LABEL_H
#define ASSAY_ANALYZE_DRIVER_RUN_LABEL_H

#include "analyze/driver/analyzer.h"
#include "table/model/columns.h"

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
    RUN_LABEL_OTHER,     /* of the name that run_label_select() was given: one of the labels of the recording (`assay
                            record --label NAME=VALUE`), else another key of the metadata whose value is a text */
    RUN_LABELS           /* their number; as a label: none */
};

/* Their list, for help and messages. */
#define RUN_LABEL_LIST "clock, command, directory, engine, file, label, mode, profiler or program"

/* The same for the help of --by. */
#define RUN_LABEL_HELP RUN_LABEL_LIST ", or NAME of assay record --label NAME=VALUE"

/* The warning of a program that keeps files in its state only for --by file. */
#define RUN_LABEL_NO_FILES "a saved state has no files: save it with --by file"

/* The label that --by names: one of the list, or RUN_LABEL_OTHER, whose name is then this one, which is kept and must
 * stay. A program selects one label at most. */
enum run_label run_label_select(const char *name);

/* The name of a label below RUN_LABELS, as --by takes it; of RUN_LABEL_OTHER "" unless it was selected. */
const char *run_label_name(enum run_label label);

/* The name of the column that has a label in a table: the label's, or by_NAME if another column has that. */
const char *run_label_column(enum run_label label, const struct columns *table);

/* The label of this name; RUN_LABELS: there is none, RUN_LABEL_OTHER has another name, or `name` is NULL. */
enum run_label run_label_named(const char *name);

/* What a trace has under a label below RUN_LABELS; "" if it has nothing. To be freed; NULL without memory. O(length of
 * the metadata). */
char *run_label_text(const struct analysis_trace *trace, enum run_label label);

/* If all traces have "" under the label that --by selected: unless it is of the list, warns that no trace has such a
 * label, and takes back the result, in which whatever it was to tell apart is together. */
void run_label_refuse_unknown(struct report *report);

/* Whether runs that differ in this label do not belong into one table: they observe differently, or run something else.
 */
bool run_label_separates(enum run_label label);

#endif
