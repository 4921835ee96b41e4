/*
 * thread_name.h - the name of a thread in tables.
 */
#ifndef ASSAY_TRACE_NAMES_THREAD_NAME_H
#define ASSAY_TRACE_NAMES_THREAD_NAME_H

#include <stddef.h>

#include "trace/trace.h"

/* Its name; "thread 3", by its stream, if it has none, since streams are numbered in the order of threads. Cut at size
 * − 1. */
void thread_name(const struct trace_names *names, uint32_t stream, char *text, size_t size);

#endif
