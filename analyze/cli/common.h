/*
 * common.h - the options that all programs here share: where the result goes, threads, paths.
 */
#ifndef ASSAY_ANALYZE_CLI_COMMON_H
#define ASSAY_ANALYZE_CLI_COMMON_H

#include <argp.h>

#include "analyze/cli/result.h"
#include "analyze/cli/view_options.h"
#include "table/model/columns.h"

enum { COMMON_FORMAT = 0x2000, COMMON_CONFIDENCE, COMMON_PLOT, COMMON_JOBS_MAX = 256 };

#define COMMON_OPTIONS                                                                                                 \
    {"format", COMMON_FORMAT, "FORMAT", 0, "text (default), csv, tsv, json, markdown, latex, html or macros", 100},    \
        {"output",                                                                                                     \
         'o',                                                                                                          \
         "FILE",                                                                                                       \
         0,                                                                                                            \
         "write the result to FILE instead of standard output; its suffix (.csv, .tex …) is the format",               \
         100},                                                                                                         \
        VIEW_OPTIONS, {"confidence", COMMON_CONFIDENCE, "P", 0, "of intervals, 0.95 (default) or 95%", 100},           \
        {"jobs", 'j', "N", 0, "threads (default: all processors); the result is the same for any N", 100},             \
    {                                                                                                                  \
        "quiet", 'q', NULL, 0, "no warnings on standard error, except the reason for exit status 1", 100               \
    }
#define COMMON_PLOT_OPTION                                                                                             \
    {                                                                                                                  \
        "plot", COMMON_PLOT, "FILE", 0,                                                                                \
            "also draw the figure into FILE (.pdf, .svg, .png, .tex, .gp); assay plot --help has options for how it "  \
            "looks",                                                                                                   \
            100                                                                                                        \
    }

struct common {
    int (*parse)(int key, char *arg,
                 void *own); /* the program's own options: 0, ARGP_ERR_UNKNOWN, or EINVAL; or NULL */
    void *own;
    struct result result; /* program is set before, figure before common_finalize() */
    bool looks;           /* options about the figure were given */
    bool names_format;    /* --format was given; else the suffix of the output may show it */
    struct view_options view;
    double confidence;            /* 0.95 */
    long jobs;                    /* 0: not given */
    const struct columns *tables; /* what --columns help describes */
    size_t table_count;
    char **paths; /* to be freed */
    size_t path_count;
};

/* Appends the options about how --plot's figure looks, which are not in --help, except names that are there already; so
 * many at most. common_option() parses them. */
enum { COMMON_FIGURE_OPTIONS_MAX = 20 };
void common_append_figure_options(struct argp_option *all, size_t *count);

/* Parses a command line of assay-PROGRAM; exits with 2 on bad usage, 0 after --help and --version. */
void common_parse(const char *program, const struct argp *argp, int argc, char **argv, void *input);

/* One of these options, of the program's own, or an argument, which is a path. For an argp_parser_t. */
error_t common_option(struct common *common, int key, char *arg, struct argp_state *state);

/* At the end of the command line: checks the figure, and takes the format from the output's suffix. */
void common_finalize(struct common *common, struct argp_state *state);

#endif
