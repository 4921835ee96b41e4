/*
 * leftover.h - processes of a run that are still there when its command has ended.
 */
#ifndef ASSAY_RECORD_LEFTOVER_H
#define ASSAY_RECORD_LEFTOVER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Counts the processes whose environment holds ASSAY_RECORD for this series and prefix, as far as this user may look;
 * *one is the number of one of them (untouched if there is none).
 */
size_t leftover_count(const char *series, const char *prefix, pid_t *one);

#endif
