/*
 * peek.h - reads small files in a thread with its own table of descriptors: the program could mistake a briefly open
 * number for its own, or put a file of its own there.
 */
#ifndef ASSAY_SAMPLE_PEEK_H
#define ASSAY_SAMPLE_PEEK_H

#include <stddef.h>

/*
 * The first bytes of a file, at most size − 1, as text; their number, 0 if there are none. Called under the sampler's
 * lock. The program's only thread reads itself, since it can't interfere with its own calls. Otherwise the cost is two
 * switches between threads, and the first time a new thread. If the kernel has no close_range() (before Linux 5.9) the
 * file gets a high number of the program's table.
 */
size_t peek_file(const char *path, char *out, size_t size);

void peek_stop(void);
void peek_forget(void); /* in the child of a fork, which doesn't have the thread */

#endif
