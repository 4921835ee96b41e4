/*
 * burn.h - a thread uses CPU time, reads its clock every few microseconds, and reports what it saw.
 */
#ifndef ASSAY_BURN_H
#define ASSAY_BURN_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BURN_JUMPS_MAX = 1024 };

struct burn {
    double began, now; /* ms of the thread's CPU time */
    double jumped;     /* the part of that in jumps */
    double jumps[BURN_JUMPS_MAX];
    int jump_count;
};

/* A jump is CPU time that passes between two readings without progress of the thread: the machine stood still. */
static inline void burn_look(struct burn *burn)
{
    static const double jump_ms = 0.5;
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    double ms = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    if (ms - burn->now > jump_ms && burn->jump_count < BURN_JUMPS_MAX) {
        burn->jumps[burn->jump_count++] = ms - burn->now;
        burn->jumped += ms - burn->now;
    }
    burn->now = ms;
}

static inline void burn_begin(struct burn *burn)
{
    burn->now = 1e300;
    burn->jumped = burn->jump_count = 0;
    burn_look(burn);
    burn->began = burn->now;
}

/* Whether it has worked for less than that: time in jumps does not count. */
static inline bool burn_lasts(const struct burn *burn, double ms)
{
    return burn->now - burn->began - burn->jumped < ms;
}

/* Adds lines to the file that the environment variable BURNS names: "burnt MS" and, for each jump, "jump MS". */
static inline void burn_end(const struct burn *burn)
{
    int fd = getenv("BURNS") ? open(getenv("BURNS"), O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (fd < 0)
        return;
    dprintf(fd, "burnt %.6f\n", burn->now - burn->began);
    for (int i = 0; i < burn->jump_count; i++)
        dprintf(fd, "jump %.6f\n", burn->jumps[i]);
    close(fd);
}

/* All of the above, for a program without work of its own. */
static inline void burn_for(double ms)
{
    static volatile unsigned sink;
    struct burn burn;
    for (burn_begin(&burn); burn_lasts(&burn, ms); burn_look(&burn))
        for (unsigned i = 0; i < 10000; i++)
            sink += i;
    burn_end(&burn);
}

#endif
