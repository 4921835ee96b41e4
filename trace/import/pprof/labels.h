/*
 * labels.h - the thread of a sample in pprof, by its labels, whose names are a convention of each writer.
 */
#ifndef ASSAY_TRACE_IMPORT_PPROF_LABELS_H
#define ASSAY_TRACE_IMPORT_PPROF_LABELS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts as {.name = ""}. */
struct labels {
    uint64_t tid;
    const char *name;
    unsigned tid_rank, name_rank; /* of the labels that they come from */
};

bool labels_is_thread(const char *key);

/* Takes a label, if it is one of a thread: a text, or "" and a number. The text must outlive the sample. */
void labels_add(struct labels *labels, const char *key, const char *text, int64_t number);

#endif
