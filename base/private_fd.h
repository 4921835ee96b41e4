/*
 * private_fd.h - descriptors that are hidden from the program: outside the low numbers that programs count on.
 *
 * A new descriptor gets the lowest free number first. At that moment another thread of the program may close that
 * number, or put a file of its own there, as shells do (close(0), then dup2(file, 0)): any other file is left alone.
 */
#ifndef ASSAY_BASE_PRIVATE_FD_H
#define ASSAY_BASE_PRIVATE_FD_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Whether the descriptor is this file. */
bool private_fd_is(int fd, dev_t device, ino_t inode);

/* Whether the descriptor is the expected file. */
typedef bool private_fd_check(int fd, const void *meant);

/*
 * Moves a newly opened descriptor up, closed on exec. Returns the new number, or −1 with errno: EBUSY: the program has
 * taken the low number, so open again; otherwise there is no capacity above, and fd is closed. Cost: three system calls
 * and two checks.
 */
int private_fd_move(int fd, private_fd_check *check, const void *meant);

/* For private_fd_move(): the file of a struct stat. */
bool private_fd_is_file(int fd, const void *stat);

/* Opens an existing file, and identifies it. −1 with errno; EMFILE: no capacity above. */
int private_fd_open(const char *path, int flags, struct stat *opened);

#endif
