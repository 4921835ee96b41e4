/*
 * kept.h - descriptors that the sampler keeps open, hidden from the program: outside the low numbers that programs
 * count on, never more than half of what the process may have, and never confused with the program's own after it has
 * closed descriptors that it did not open.
 */
#ifndef ASSAY_PERF_KEPT_H
#define ASSAY_PERF_KEPT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/high_fd.h"

/* high_fd_move() within that half: EMFILE beyond it. */
int kept_move(int fd, high_fd_check *check, const void *meant);
void kept_forget(void); /* one from kept_move() has been closed */

/* Makes the process's table of descriptors large enough while it has one thread: with several, the kernel waits for a
 * grace period, some 10 ms, when the first high number makes the table grow. */
void kept_reserve(void);

struct kept {
    int fd; /* −1: none */
    dev_t device;
    ino_t inode;
};

struct kept kept_open(const char *path, int flags);
bool kept_valid(const struct kept *kept);
void kept_close(struct kept *kept); /* NULL-safe for fd −1 */

#endif
