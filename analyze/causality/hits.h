/*
 * hits.h - which samples a profiler took in a method that was made slower.
 */
#ifndef ASSAY_CAUSALITY_HITS_H
#define ASSAY_CAUSALITY_HITS_H

#include "trace/trace.h"

/* Names without parameters, which profilers write in several ways, and without the FILE: of assay inject. */
bool hits_same_method(const char *a, const char *b);

/*
 * For each context and one more, whether it is the method's own; NULL without memory; free it. A native function's work
 * is done in the hook that its compiler has put into it, and in what that calls: all of this is the function's own,
 * where the profiler knows callers.
 */
bool *hits_find(const struct trace_names *names, const char *method);

#endif
