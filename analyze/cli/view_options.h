/*
 * view_options.h - the options that say how a result's table looks: columns, their names, the order of rows, short
 * names, digits.
 */
#ifndef ASSAY_ANALYZE_CLI_VIEW_OPTIONS_H
#define ASSAY_ANALYZE_CLI_VIEW_OPTIONS_H

#include <argp.h>

#include "table/model/table_view.h"

enum { VIEW_COLUMNS = 0x2100, VIEW_RENAME, VIEW_SORT, VIEW_SHORT, VIEW_DIGITS, VIEW_COLUMNS_MAX = 256 };

/* `--columns help` only works in programs that describe their columns. */
#define VIEW_OPTIONS                                                                                                   \
    {"columns",                                                                                                        \
     VIEW_COLUMNS,                                                                                                     \
     "COL[,COL…]",                                                                                                     \
     0,                                                                                                                \
     "print only these columns, in this order; help: explain all columns, and exit",                                   \
     100},                                                                                                             \
        {"rename", VIEW_RENAME, "COL=TEXT", 0, "print TEXT as the name of column COL; may be repeated", 100},          \
        {"sort",                                                                                                       \
         VIEW_SORT,                                                                                                    \
         "COL[:desc][,COL…]",                                                                                          \
         0,                                                                                                            \
         "sort rows by this column, upwards or downwards, and equal ones by the next",                                 \
         100},                                                                                                         \
        {"short", VIEW_SHORT, NULL, 0, "shorten names as figures do, while they differ", 100},                         \
    {                                                                                                                  \
        "digits", VIEW_DIGITS, "N", 0,                                                                                 \
            "round to N significant digits, 1 to 17 (default: to what intervals support; csv, tsv and json: all)", 100 \
    }

/* The parsed options; texts belong to the command line. */
struct view_options {
    struct table_view view; /* of the arrays here */
    const char *columns[VIEW_COLUMNS_MAX];
    struct table_rename renames[VIEW_COLUMNS_MAX];
    struct table_order orders[VIEW_COLUMNS_MAX];
};

/* Parses one of these options; cuts its value into pieces. ARGP_ERR_UNKNOWN for other keys. A wrong value ends the
 * program by argp_error(). */
error_t view_options_parse(struct view_options *options, int key, char *arg, struct argp_state *state);

#endif
