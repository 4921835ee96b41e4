/*
 * report.h - the tool's raw file (raw.h): definitions as they arise, and counts, about once a second.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_REPORT_H
#define ASSAY_EXACT_TOOL_STATE_REPORT_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/raw.h"

/* Opens PREFIX-PID[.N].exact for this process. If it can't, nothing is written, and a message says so. */
void report_open(const HChar *prefix);

/* In the child of a fork: a file of its own, which begins with all definitions. */
void report_open_child(void);

/* Something was lost; written with the next flush. */
void report_lost(enum raw_cause cause, ULong count);

/* A mapped file has code at [low, high). */
void report_module(const HChar *path, Addr low, Addr high, PtrdiffT bias);
void report_thread(UInt thread, UInt tid);
void report_object(const struct raw_object *object);
void report_block(const struct raw_block *block, const struct raw_slot *slots);

/* The path of this process's file. */
const HChar *report_path(void);

/* Writes what is new. */
void report_flush(void);

/* Calls report_flush() if that is due: a second after the last one, or later if flushes are large. Cheap. */
void report_tick(void);

/* Writes the end, after a flush. report_resume() undoes it, for an exec that failed. */
void report_end(enum raw_end_kind kind, UInt status);
void report_resume(void);

#endif
