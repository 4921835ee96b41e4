/* ring.h - the ring of mode memory (raw.h): the file, and the segment that is being filled. */
#ifndef ASSAY_EXACT_TOOL_MEMORY_RING_H
#define ASSAY_EXACT_TOOL_MEMORY_RING_H

#include <valgrind/pub_tool_basics.h>

extern ULong *ring_end; /* of the words that memory_next is in */

/* The ring next to raw_writer_path(). If it can't be created, nothing is recorded, and a message says so. */
void memory_ring_open(void);
void memory_ring_open_child(void); /* in the child of a fork: one of its own */
Bool memory_ring_is_open(void);

/* The segment is full, or as good as: begins the next one. It may wait for the reader; without one the ring is closed.
 */
void memory_ring_turn(void);

/* Sets memory_next, and what comes with it: to these words, or to some that nobody reads. */
void memory_ring_write_into(ULong *words, ULong *end);
void memory_ring_write_nowhere(void);

#endif
