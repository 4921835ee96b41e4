/*
 * trace_paths.h - the traces in a directory, as assay record -o DIR leaves them.
 */
#ifndef ASSAY_ANALYZE_CLI_TRACE_PATHS_H
#define ASSAY_ANALYZE_CLI_TRACE_PATHS_H

/* The paths of the regular files of a directory whose names end with .trace and do not begin with a dot, in bytewise
 * order. Returns their number; 0: there are none, or this is not a directory; −1 without memory. Both the array and
 * each path are to be freed by free(); *paths is NULL if the number is not positive. O(files of the directory). */
int trace_paths_list(const char *directory, char ***paths);

/* DIRECTORY/NAME, to be freed by free(); NULL without memory. */
char *trace_paths_join(const char *directory, const char *name);

#endif
