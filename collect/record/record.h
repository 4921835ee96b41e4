/*
 * record.h - shared by the parts of assay-record: the checked command line, one run's position in the series, messages.
 */
#ifndef ASSAY_RECORD_RECORD_H
#define ASSAY_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error_text.h"

enum { RECORD_CLOCKS_MAX = 4, RECORD_PATH_MAX = 4096, RECORD_PREFIX_MAX = 96, RECORD_VARIANTS_MAX = 64 };

/* One configuration of the series: a sampling clock. */
struct record_clock {
    const char
        *name; /* "random", "fixed", "safepoint", "period"; "exact", "events" or "none" where nothing is sampled */
    uint64_t period; /* mean interval: ns, or events if `events` */
    uint64_t spread; /* r of t ± r, in the same unit; < period */
    bool events;
};

/* One of several commands that take turns, each with a series of its own, in DIR/NAME. */
struct record_variant {
    char *name;
    char **command; /* NULL-terminated, ≥ 1 word */
    json_t *labels; /* or NULL */
};

struct record_options {
    const char *mode;
    const char *engine; /* "auto", "pmu", "soft", "exact", "rewrite" */
    struct record_clock clocks[RECORD_CLOCKS_MAX];
    size_t clock_count; /* ≥ 1 once parsed */
    bool exact;         /* every access (or call, in mode calls) is recorded: engine exact, and no clock but "exact" */
    bool rewrite;       /* `exact`, and the accesses are those of JVMs, whose classes are rewritten: engine rewrite */
    struct error_text unwatched; /* … since accesses can't be sampled here: why; "": for another reason */
    bool plain;                  /* mode time: nothing is recorded, the command runs alone */
    bool methods;                /* mode methods: probes record method entries and exits */
    json_t
        *inspect; /* mode inspect: the limits, as in metadata `inspect`; NULL: another mode. No clock but "inspect" */
    bool memory, values, fetches; /* mode memory: every access is kept, with its value, and what is executed */
    bool calls; /* mode calls: single calls are chosen at random; with `exact`: every call of named functions */
    const char *calls_by; /* mode calls: the engine that finds them: "auto", "watch", "trampoline", "hooks", "exact" */
    bool watch;           /* sampled accesses are watched by debug registers */
    uint64_t registers, ahead, window;    /* their number; instructions skipped after a sample, and searched */
    const char *policy;                   /* "uniform", "replace-oldest" */
    double max_cost;                      /* share of a thread's CPU time that sampling may take, 0 < max_cost ≤ 1 */
    double fp_tolerance;                  /* tolerance of compared floating-point values: share of the earlier one */
    bool burst_auto;                      /* the tool chooses lengths; the next two are 0 */
    uint64_t burst_enable, burst_disable; /* instructions; 0: accesses are watched all the time */
    bool between_threads;                 /* engine rewrite: pairs may consist of accesses of two threads */
    bool array_lengths;                   /* engine rewrite: arraylength instructions are loads */
    bool adjacent;                        /* engine rewrite: adjacent loads are recorded, too */
    json_t *selection;                    /* modes methods and calls: what is counted, and which methods get probes */
    const char *caches;                   /* of simulated counters, as in exact.h; NULL: this machine's */
    uint64_t runs;                        /* ≥ 1, of each clock */
    uint64_t warmup;
    uint64_t seed; /* < 2^63, so that it is a JSON integer */
    bool seed_given;
    json_t *labels;     /* {NAME: VALUE}: what the user calls this configuration; NULL: nothing */
    const char *input;  /* what every run reads as standard input; NULL: the recorder's */
    const char *output; /* DIR, or FILE if output_is_file */
    bool output_is_file;
    bool overwrite;
    bool quiet;
    bool check;     /* compare recorded with plain runs, and keep nothing */
    bool profile;   /* mode waste: after its runs one more is sampled, for a CPU profile */
    json_t *chosen; /* {"only": [NAME...], "skip": [NAME...]}: programs that are recorded, or not; NULL: all are */
    char **command; /* NULL-terminated, ≥ 1 word; the first variant's */
    struct record_variant *variants; /* [variant_count], ≥ 2; NULL: only `command` */
    size_t variant_count;
    /* In the options of a variant itself: */
    const char *name;    /* NULL: there is only one */
    size_t variant;      /* its index */
    json_t *interleaved; /* the names of all of them, in order */
};

/* One run of the series: number 1.. of its clock. */
struct record_run {
    const struct record_clock *clock;
    size_t clock_index;
    uint64_t number;
    bool warmup;
    bool several_clocks;
    const char *configuration; /* the variant's name; NULL: there is only one */
};

/* Executes the options, from the output directory to the last check. Returns the exit status. */
int record_main(struct record_options *options);

#endif
