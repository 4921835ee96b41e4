/*
 * trace_tool.h - shared by the programs that handle traces one by one (info, dump, export, merge): messages, output,
 * opening.
 */
#ifndef ASSAY_ANALYZE_CLI_TRACE_TOOL_H
#define ASSAY_ANALYZE_CLI_TRACE_TOOL_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "analyze/cli/opened.h"
#include "base/replace.h"
#include "trace/trace.h"

struct tool {
    const char *name; /* "info": messages begin with "assay-info: " */
    const char *output;
    const char *profile; /* of an input that is a profile of another tool and holds several; NULL: CPU time */
    const struct selection_wish *selection; /* --weight and --state, where the program has them; else NULL */
    char **paths;                           /* of the command line */
    int path_count;
    FILE *out;
    struct replacement file; /* `out`, unless that is standard output */
    bool keep_going;         /* damage is reported, but is not a failure */
    int opened;              /* files of the command line, so far */
    bool no_memory;          /* the output lacks something: it replaces no file */
    int status;              /* the exit status so far: 0, or 1 after tool_print_error() */
};

/* Parses with the options in argp (arguments: paths); exits with 2 on bad usage. */
void tool_parse(struct tool *tool, const struct argp *argp, int argc, char **argv, void *input);

/* The options that most have, and one of them, or the paths, for an argp_parser_t. */
enum { TOOL_KEEP_GOING = 0x1000, TOOL_PROFILE };
#define TOOL_OPTIONS                                                                                                   \
    {"keep-going", TOOL_KEEP_GOING, NULL, 0, "exit 0 even if a trace is damaged or cut", 0},                           \
        {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},                                     \
    {                                                                                                                  \
        "profile", TOOL_PROFILE, "NAME", 0,                                                                            \
            "of a profile of another tool that holds several: this event or type of value (default: CPU time)", 0      \
    }
error_t tool_option(struct tool *tool, int key, char *arg, struct argp_state *state);

/* One line on stderr. */
void tool_report(struct tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Likewise, and the status becomes 1. */
void tool_print_error(struct tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Likewise for want of memory: "PATH: out of memory". An output file is not written. */
void tool_print_no_memory(struct tool *tool, const char *path);

/* tool->output (NULL: stdout) for writing; false after a message. */
bool tool_open_output(struct tool *tool);
/* Flushes and closes, and prints an error if not all could be written. If no file could be opened, or memory lacked,
 * an output file is not written. Returns the exit status of the program. */
int tool_close_output(struct tool *tool);

/* Calls show() for each input of the command line that can be opened; of a directory for each of its traces, and, if
 * `folder` is not NULL, for those of this folder in it. */
void tool_for_each_trace(struct tool *tool, const char *folder,
                         void (*show)(struct tool *tool, struct trace *trace, void *own), void *own);

/* A trace, or a profile of another tool, for reading ("-": standard input); false after a message. Prints what of a
 * profile could not be read. */
bool tool_open_traces(struct tool *tool, const char *path, struct opened *opened);

/* Prints errors about damage and cuts in a trace; `loss` is the one after everything was read. */
void tool_report_loss(struct tool *tool, const struct trace *trace, const struct trace_loss *loss);

#endif
