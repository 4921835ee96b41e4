/*
 * high_fd.h - descriptors inside a program that does not know of them: out of the low numbers that programs count on.
 *
 * A new descriptor gets the lowest free number first. In that moment another thread of the program may put a file of
 * its own there, as shells do (close(0), then dup2(file, 0)): what is no longer the file that was opened is left alone.
 */
#ifndef ASSAY_TRACE_HIGH_FD_H
#define ASSAY_TRACE_HIGH_FD_H

/*
 * Moves a descriptor that was opened just now up, closed on exec. Returns the new number, or −1 with errno: EBUSY: the
 * program has taken the low one, which is its own (open again); else, if there is no room above, fd is as it was.
 * Cost: five system calls.
 */
int high_fd_move(int fd);

/* open(path, flags | O_CLOEXEC) at a high number; at a low one if there is no room above. −1 with errno. */
int high_fd_open(const char *path, int flags);

#endif
