/*
 * traced_points.h - points from traces that were recorded under assay inject: the state of assay causality, with the
 * functions of struct analyzer.
 *
 * A point is one run of the command with one amount of work in one method, by one profiler. Real is the program's time
 * (metadata exit): CPU time where the profiler's intervals are of CPU time, wall time elsewhere. CPU time is without
 * that of the JIT compilers and the collector: a program that runs longer has more compiled, and no method is to blame
 * for that. Where the VM thread collects, as with the serial collector, the collector has of that thread's CPU time the
 * share of its samples that sample_role() calls the collector's. A trace of a JVM's Java threads alone, as of the clock
 * safepoint, does not show what these took: then it is the CPU time of the threads of the trace. Reported is the share
 * of the samples that the profiler took in the method itself, times the time that it had in view: the CPU time of the
 * threads of the trace, or the trace's span. The program's whole time would be too much: what passes before the JVM is
 * up has no samples. Where a trace lacks these times, it is the program's.
 */
#ifndef ASSAY_CAUSALITY_TRACED_POINTS_H
#define ASSAY_CAUSALITY_TRACED_POINTS_H

#include "analyze/causality/points.h"
#include "analyze/driver/run_label.h"
#include "trace/names/sample_role.h"

enum traced_points_time { TRACED_POINTS_BY_CLOCK, TRACED_POINTS_WALL, TRACED_POINTS_CPU };

struct traced_points_options {
    enum run_label by;    /* what tells profilers apart */
    const char *only;     /* one method; NULL: all that were made slower */
    const char *injected; /* the table of assay inject, for its guard; NULL: none */
    enum traced_points_time time;
};

struct traced_points_point {
    uint32_t by, work, method, run, amount, name, path; /* texts but for run and amount; the key: one trace */
    uint32_t failed;                                    /* the command did */
    uint64_t hits, samples;                             /* in the method itself; in all */
    uint64_t real_ns, seen_ns;                          /* of the program; in view. 0: not known */
    uint64_t aside_ns;                                  /* CPU time of compilers and collectors, in real_ns */
    uint64_t vm_ns;                                     /* CPU time of the VM's own threads, in real_ns */
    uint64_t vm_collecting, vm_samples;                 /* samples of these threads: while they collect; all */
};

struct traced_points_stranger {
    uint32_t path; /* text; the key: a trace that knows of no injection */
};

/* There is a point for each trace; those of one run of the recorder are one point. */
enum { TRACED_POINTS, TRACED_POINTS_STRANGERS, TRACED_POINTS_RELATIONS };
extern const struct relation traced_points_relations[TRACED_POINTS_RELATIONS];

struct traced_points {
    struct relations relations;
    const struct traced_points_options *options;
    /* of the current trace */
    bool begun;
    uint32_t at;  /* its point; FIELD_NONE: none */
    bool *is_hit; /* [context] */
    struct sample_roles roles;
};

void *traced_points_init(const struct analysis_options *options);
int traced_points_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int traced_points_finalize(void *state, const struct analysis_trace *trace);
void traced_points_free(void *state);

/* What could not become a point, for messages. */
struct traced_points_left_out {
    size_t strangers, failed, timeless, empty;
};

/* Texts of the columns before the method: profiler, work. */
enum { TRACED_POINTS_BY_COUNT = 2 };
extern const char *const traced_points_by[TRACED_POINTS_BY_COUNT];

/* The points, in the order of their texts; *texts keeps what they point to. invalid: texts that traced_points_key()
 * makes of points that a guard calls invalid; NULL: none. 0 or ENOMEM; free both in either case. */
struct traced_points_texts {
    char *(*items)[TRACED_POINTS_BY_COUNT + 1];
    struct text_set names;
};
int traced_points_points(const struct traced_points *state, const struct text_set *invalid, struct points *points,
                         struct traced_points_texts *texts, struct traced_points_left_out *left_out);
void traced_points_texts_free(struct traced_points_texts *texts);

/* Whether any point has a text under --by. O(points). */
bool traced_points_know_profilers(const struct traced_points *state);

/* A new string; NULL without memory. */
char *traced_points_key(const char *method, const char *work, const char *run, double amount);

#endif
