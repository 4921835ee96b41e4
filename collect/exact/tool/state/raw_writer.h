/*
 * raw_writer.h - the tool's raw file (raw.h): definitions as they come up, and what was counted, about once a second.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_RAW_WRITER_H
#define ASSAY_EXACT_TOOL_STATE_RAW_WRITER_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/raw.h"

/* Opens PREFIX-PID[.N].exact for this process. If it can't, nothing is written, and a message says so. */
void raw_writer_open(const HChar *prefix);

/* In the child of a fork: a file of its own, which begins with all definitions. */
void raw_writer_open_child(void);

/* Something was lost; written with the next flush. */
void raw_writer_lost(enum raw_cause cause, ULong count);
void raw_writer_burst(const struct raw_burst *burst); /* at once */

/* A mapped file has code at [low, high). */
void raw_writer_module(const HChar *path, Addr low, Addr high, PtrdiffT bias);
void raw_writer_thread(UInt thread, UInt tid);
void raw_writer_object(const struct raw_object *object);
void raw_writer_loop(const struct raw_loop *loop);
void raw_writer_block(const struct raw_block *block, const struct raw_slot *slots);
void raw_writer_code(const struct raw_code *code, const struct raw_instruction *instructions);

/* A call or its end, after the definitions that it needs. */
void raw_writer_instance(enum raw_type type, const void *record, SizeT bytes, const ULong *values, UInt count);

/* A name that so many functions have. */
void raw_writer_name(const HChar *name, UInt functions);

/* The path of this process's file. */
const HChar *raw_writer_path(void);

/* Writes what is new. */
void raw_writer_flush(void);

/* Calls raw_writer_flush() if that is due: a second after the last one, or later if flushes are large. Cheap. */
void raw_writer_flush_due(void);

/* The end, after a flush. raw_writer_resume() takes it back, for an exec that failed. */
void raw_writer_end(enum raw_end_kind kind, UInt status);
void raw_writer_resume(void);

#endif
