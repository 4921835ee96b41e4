/*
 * ring_output.h - mode memory: the ring next to the file of this process (collect/exact/tool/state/raw.h). Each access
 * of a method is a block of its own, which has one slot. Any thread.
 */
#ifndef ASSAY_REWRITE_RING_OUTPUT_H
#define ASSAY_REWRITE_RING_OUTPUT_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/rewrite/raw_output.h"

/* Creates PREFIX-PID[.N].memory, after raw_output_begin(). `reader`: the process that reads it. 0 or an errno value. */
int ring_output_begin(pid_t reader, bool values);

/* Sets the binary logarithm of a reference's size, before any access. */
void ring_output_set_reference_size(uint32_t size);

/*
 * Defines a node. Returns the mark of the method's first access in it: access i has that plus i <<
 * RAW_MARK_BLOCK_SHIFT. The low half is the node's number. 0: nothing is recorded any more, or there is no memory.
 */
uint64_t ring_output_define_node(const struct raw_output_node *node);

/* Appends `count` words from index `from` on: whole executions. It waits while the reader lags. */
void ring_output_append(JNIEnv *env, jlongArray words, jint from, jint count);

/* Words that come later are dropped. Before raw_output_end(). */
void ring_output_end(void);

#endif
