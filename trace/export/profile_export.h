/*
 * profile_export.h - the samples of traces as a profile of another tool: speedscope, pprof, Chrome's trace.
 *
 * Weights are added up for each thread and context, so that no count is lost. pprof has all weights of the samples,
 * unless one is selected; only Chrome's trace has times. Methods are named as in assay hot. Memory: distinct names and
 * frames of all traces, contexts of one.
 */
#ifndef ASSAY_TRACE_EXPORT_PROFILE_EXPORT_H
#define ASSAY_TRACE_EXPORT_PROFILE_EXPORT_H

#include <stdio.h>

#include "base/error_text.h"
#include "trace/trace.h"

struct profile_export;

/* A format: speedscope, pprof or chrome. NULL without memory, or if there is no such format. `lines`: frames carry
 * their source line. The owner of the file must check for write errors. */
struct profile_export *profile_export_open(const char *format, FILE *out, bool lines);
bool profile_export_known(const char *format);

/* Adds the samples of a trace that are selected; damage goes into *loss. STATUS_GOOD, or a status with a
 * message; STATUS_BAD without a message: no memory. */
int profile_export_add(struct profile_export *export, const struct trace *trace, const struct trace_names *names,
                       const struct trace_selection *selection, struct trace_loss *loss, struct error_text *message);

/* Ends the file. False without memory. Frees in either case. */
bool profile_export_close(struct profile_export *export);

#endif
