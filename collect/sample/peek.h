/*
 * peek.h - reads small files in a thread with a table of descriptors of its own: a number that is open for a moment
 * only is one that the program can take for its own, or put a file of its own in.
 */
#ifndef ASSAY_SAMPLE_PEEK_H
#define ASSAY_SAMPLE_PEEK_H

#include <stddef.h>

/*
 * The first bytes of a file, size − 1 at most, as text; their number, 0 if there are none. Called under the sampler's
 * lock. The program's only thread reads for itself: it can't come between its own calls. Cost else: two switches
 * between threads, and the first time a new thread. Where the kernel has no close_range() (before Linux 5.9) the file
 * gets a high number of the program's table.
 */
size_t peek_file(const char *path, char *out, size_t size);

void peek_stop(void);
void peek_forget(void); /* in the child of a fork, which doesn't have the thread */

#endif
