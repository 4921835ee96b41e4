/*
 * event.h - a perf event of one thread of this process, whose descriptor is hidden from the program.
 */
#ifndef ASSAY_PERF_EVENT_H
#define ASSAY_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Any event of a thread of this process, at a high number that is kept (reserved_fd.h). −1 with errno. */
int perf_keep(const struct perf_event_attr *attr, pid_t tid);

void perf_enable(int fd); /* async-signal-safe, as are the next four */
void perf_disable(int fd);
/* Enables it for one expiry, after which it stands still: signals that wait in a queue then never fill it. */
void perf_enable_once(int fd);
void perf_rearm(int fd, uint64_t units); /* it expires next this many units from now */
uint64_t perf_id(int fd);                /* of the event; 0 if it is none */
uint64_t perf_count(int fd);             /* units so far; 0 if it can't be read */

/* Whether fd still is the clock of this thread: a program may close all descriptors that it finds. */
bool perf_owned(int fd, pid_t tid);

/* Closes it, if it still is. */
void perf_close(int fd, pid_t tid);

#endif
