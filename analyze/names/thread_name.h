/*
 * thread_name.h - how a thread is called in tables.
 */
#ifndef ASSAY_NAMES_THREAD_NAME_H
#define ASSAY_NAMES_THREAD_NAME_H

#include <stddef.h>

#include "collect/trace/trace.h"

/* Its name; "thread 3", by its stream, if it has none, for streams are numbered as threads come. Cut at size − 1. */
void thread_name(const struct trace_names *names, uint32_t stream, char *text, size_t size);

#endif
