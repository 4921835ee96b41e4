/*
 * engine.h - the engine that drives the sampling clocks here, and why not a better one.
 */
#ifndef ASSAY_RECORD_START_ENGINE_H
#define ASSAY_RECORD_START_ENGINE_H

#include "collect/record/record.h"
#include "collect/record/start/pmu.h"
#include "collect/sample/sampler.h"

/* The cost of a sampling clock here, and whether it samples, as probe_clock() has tried it. */
struct probe_clock {
    uint64_t open_ns; /* CPU time to open and start the clock of a thread: the median of three */
    /* Medians of the CPU time of a sample: interrupt, signal, reading the clock and setting it again, without what a
     * sampler does as well (walking the stack, writing the sample); and the part of it outside the handler. */
    uint64_t sample_ns, delivery_ns;
    unsigned samples; /* that came; 0: only open_ns is known */
    double asked;     /* samples that came per requested one, by CPU time; 0: samples cost too much to know */
};

struct record_engine {
    const char *name; /* "pmu", "soft", "exact", "rewrite", "probes", "inspect" */
    enum sampler_source source;
    struct pmu_event event;      /* if source is SOURCE_PMU */
    double events_per_ns;        /* likewise */
    struct probe_clock cost;     /* of a clock; zeros if it was not tried (timer thread, exact) */
    bool simulated;              /* "probes" read what the exact tool counts */
    struct error_text reason;    /* why not a better one; "" if it is the best or was requested */
    const char *calls_by;        /* mode calls: finds those of native programs: "pmu", "watch", "trampoline", "hooks" or
                                    "exact"; … */
    const char *returns_by;      /* … and their returns: "watch" or "trampoline" */
    struct pmu_event call_event; /* if "pmu" finds them */
    struct error_text calls_reason; /* why not a better one; "" if it is the best or was requested */
    struct error_text warning;      /* the problem of a requested one, or (probes) of a counter; or "" */
};

/*
 * Chooses the engine, whose clock counts instructions in the modes that watch accesses (else time): for "auto" the best
 * that works and whose samples cost at most a hundredth of the shortest requested interval; else the requested one.
 * Each candidate is calibrated and tried. Returns 0, or STATUS_BAD with a message if that engine doesn't work here.
 */
int engine_choose(const struct record_options *options, struct record_engine *engine, struct error_text *message);

/*
 * The interval for a clock: the requested one; or, if a sample as measured would take more of it than max_cost (or a
 * quarter, which no machine should have to bear: if a sample takes the whole interval, the kernel never returns to the
 * program), that times the smallest power of two with which it takes at most half of this, so that a resumed series
 * finds the same one although the cost of a sample varies. The spread is in proportion.
 */
struct record_clock engine_bearable(const struct record_engine *engine, const struct record_clock *clock,
                                    double max_cost);

/* Why perf_event_open() failed: "this machine has no … (perf_event_open: ENOENT)", or how to permit it. `hardware` is
 * the rest after "this". Returns STATUS_BAD. */
int engine_explain(int error, const char *hardware, struct error_text *message);

/* Whether this process may set watchpoints: 0, or STATUS_BAD with a message. */
int engine_can_watch(struct error_text *message);

/* Chooses what finds calls of native programs in mode calls, and says why: for "auto" the best that works here, else
 * the requested one. A JVM has its own, hooks. Returns 0, or STATUS_BAD with a message if it doesn't work here. */
int engine_choose_calls(const struct record_options *options, struct record_engine *engine, struct error_text *message);

/* An engine without a sampling clock: "exact" and "rewrite", which see every access or call, "probes", which see every
 * call, or "inspect", which interprets loops. */
void engine_be_external(struct record_engine *engine, const char *name);

const char *engine_source_text(enum sampler_source source); /* "cpu-clock perf events": for messages */

/* --- try_clock.c: a clock tried in a separate process before anything is measured --- */

/*
 * Makes the clock of *config (its source and event) expire about 15 times, 1 ms apart, in a child process that is
 * killed after three seconds. Returns 0 and *probe; an errno value of perf_event_open(), or of fork(); ETIME if it was
 * killed.
 */
int probe_clock(const struct sampler_config *config, struct probe_clock *probe);

#endif
