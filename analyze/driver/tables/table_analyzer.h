/*
 * table_analyzer.h - the driver of the programs that ask questions of tables: ci, compare, history, warmup, anova, acf,
 * fit.
 *
 * A program says which columns it needs and what to collect from them; the driver reads the tables (rows.h) and writes
 * the result (result.h).
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_TABLE_ANALYZER_H
#define ASSAY_ANALYZE_DRIVER_TABLES_TABLE_ANALYZER_H

#include <argp.h>
#include <stdbool.h>

#include "analyze/cli/common.h"
#include "stats/inference/warmup.h"
#include "table/read/rows.h"

/* Option values that all have. */
struct table_settings {
    struct rows_request request; /* values and groups are those of --value and --by, files those of `common` */
    double confidence;
    const char *method;           /* one of the program's */
    bool names_method;            /* --method was given */
    const char *figure;           /* what --plot draws */
    uint64_t skip_first;          /* values of each group to leave out */
    bool keeps_processes;         /* as that of the program; its finalize() may set it */
    const char *lost_first;       /* for report(): the group that comes first in the tables, if nothing is left of it */
    bool only_steady;             /* --steady: leave out what processes measured before their steady state */
    struct warmup_options steady; /* what that is; the direction is not set, since it only matters for classes */
    struct common common;
};

struct table_analyzer {
    const char *name;                            /* "ci": the program is assay-ci */
    const char *doc;                             /* argp: what question, examples after \v */
    const struct argp_option *options;           /* own options, keys ≥ 0x100; ends with {0} */
    int (*parse)(int key, char *arg, void *own); /* 0, ARGP_ERR_UNKNOWN, or EINVAL */
    void *own;                                   /* option values */
    const char *const *methods;   /* the values of --method, the default first, NULL at the end; NULL: no such option */
    const char *const *figures;   /* the values of --figure, the default first, NULL at the end; NULL: no --plot */
    const struct columns *tables; /* for --columns */
    size_t table_count;
    bool no_values;  /* no --value: the program has options of its own for columns */
    bool has_levels; /* --within, and what formats imply: the state is that of groups.h, whose values are then the means
                        of processes, */
    bool keeps_processes; /* unless this is set: then the groups are processes */
    /* Called when the command line is known, to complete settings->request. 0, or STATUS_USAGE. NULL: nothing. */
    int (*finalize)(void *own, struct table_settings *settings, struct error_text *message);
    struct rows_consumer consumer; /* that of groups.h; it keeps values with skip_first > 0 or only_steady */
    /* Fills report->table and more. A status with a message. */
    int (*report)(void *state, const struct table_settings *settings, void *own, struct report *report,
                  struct error_text *message);
};

/* The main of every program on tables. Returns the exit status. */
int table_analyzer_main(const struct table_analyzer *program, int argc, char **argv);

/* Whether --by names this column. */
bool table_analyzer_groups_by(const struct table_settings *settings, const char *column);

/* Splits "a,b,c" (`list` is cut in place): the number of pieces, at most `most`; 0 if one of them is empty or there are
 * more. */
size_t table_analyzer_split(char *list, const char **pieces, size_t most);

enum { TABLE_ANALYZER_COLUMNS_MAX = 64 };

#endif
