/*
 * leftover.h - processes of a run that still run when its command has ended.
 */
#ifndef ASSAY_RECORD_FINISH_LEFTOVER_H
#define ASSAY_RECORD_FINISH_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <jansson.h>

/* Whether the process has the file open: by now its number may belong to another process. */
bool leftover_has_open(pid_t pid, const char *path);

/*
 * Counts the processes whose environment holds ASSAY_RECORD for this series and prefix and that have none of these
 * traces (as check_run() gives them), as far as this user may see them; *one is the number of one of them (untouched if
 * there is none).
 */
size_t leftover_count(const char *series, const char *prefix, const json_t *traces, pid_t *one);

#endif
