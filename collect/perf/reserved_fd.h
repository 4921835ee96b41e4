/*
 * reserved_fd.h - descriptors that the sampler keeps open, hidden from the program: outside the low numbers that
 * programs count on, never more than half of what the process may have, and never confused with the program's own after
 * it has closed descriptors that it did not open.
 */
#ifndef ASSAY_PERF_RESERVED_FD_H
#define ASSAY_PERF_RESERVED_FD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/private_fd.h"

/* private_fd_move() within that half: EMFILE beyond it. */
int reserved_fd_move(int fd, private_fd_check *check, const void *meant);
void reserved_fd_release(void); /* one from reserved_fd_move() has been closed */

/* Makes the process's table of descriptors large enough while it has one thread: with several, the kernel waits for a
 * grace period, some 10 ms, when the first high number makes the table grow. */
void reserved_fd_grow_table(void);

struct reserved_fd {
    int fd; /* −1: none */
    dev_t device;
    ino_t inode;
};

struct reserved_fd reserved_fd_open(const char *path, int flags);
bool reserved_fd_valid(const struct reserved_fd *reserved);
void reserved_fd_close(struct reserved_fd *reserved); /* NULL-safe for fd −1 */

#endif
