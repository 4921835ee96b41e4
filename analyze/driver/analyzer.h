/*
 * analyzer.h - the driver of every program that reads traces.
 *
 * An analyzer is a small state with init, feed, merge, report, free, and save/load of a partial state. The driver
 * does the rest: options, opening files, decoding in parallel (-j), damage, merging in a fixed order, output. The order
 * is: traces by path (bytewise), streams of a trace by id, chunks of a stream by position in the file; so the output is
 * the same for any -j and any order of arguments.
 *
 * An analyzer that reads the weights of samples (SAMPLE_WEIGHT) has the options --weight and --state: the driver feeds
 * it the samples that count, with the weight that was chosen as SAMPLE_WEIGHT.
 */
#ifndef ASSAY_ANALYZE_DRIVER_ANALYZER_H
#define ASSAY_ANALYZE_DRIVER_ANALYZER_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "analyze/cli/report.h"
#include "analyze/cli/selection.h"
#include "analyze/driver/relations.h"
#include "table/model/table.h"
#include "trace/trace.h"

/* A trace as analyzers see it: everything here is constant and shared by all workers. */
struct analysis_trace {
    const char *path;
    const struct trace *trace;
    const struct trace_names *names;
    const char *clock; /* metadata "clock", or "" */
    const char *run;   /* what tells runs apart: series and run of the recorder; processes of one run have the same.
                         A trace without them is a run of its own (its path) */
};

/* Whether it was a profile of another tool. */
static inline bool analysis_trace_is_imported(const struct analysis_trace *trace)
{
    return json_object_get(trace_metadata(trace->trace), "imported") != NULL;
}

struct analysis_options {
    double confidence;               /* 0.95 */
    bool use_z;                      /* --method z: normal quantile instead of Student's t */
    bool human_readable;             /* the table is printed as text, markdown, latex or html */
    struct selection_wish selection; /* --weight and --state */
    bool folder_left_out;            /* the analyzer's folder (below) has traces, but is not wanted */
    const void *own;                 /* filled by the analyzer's option parser */
};

/* The paths of a second set of inputs, which the others are compared with: an option of the analyzer collects them. */
struct analyzer_baseline {
    char **paths; /* of the command line */
    size_t count;
};
/* 0 or ENOMEM. */
int analyzer_baseline_add(struct analyzer_baseline *baseline, char *path);

/* Which records an analyzer wants: kind and mask of columns. The list ends with kind 0. */
struct analyzer_input {
    unsigned kind;
    uint64_t columns;
};

struct analyzer {
    const char *name; /* "hot": the program is assay-hot */
    /* The program's first argument, if it chooses this analyzer among several: "variance" of assay audit variance;
     * else NULL. */
    const char *subject;
    const char *doc; /* argp: what question, examples after \v */
    const struct argp_option
        *options; /* own options (keys ≥ 0x100 or letters that the driver does not use), ends with {0} */
    int (*parse)(int key, char *arg, void *own); /* 0, ARGP_ERR_UNKNOWN, or argp_error() style exit via EINVAL */
    void *own;                                   /* option values, passed to parse and, const, to all below */
    /* After the last option: why they can't go together, for a usage error, or NULL. NULL: there is no such check. */
    const char *(*conflict)(const void *own);
    struct analyzer_baseline *baseline; /* filled by parse; with paths report_baseline is called. NULL: it has none */
    const struct analyzer_input *inputs;
    bool whole_streams; /* a state gets whole streams; else one may be cut into parts, for several states */
    /* One result is of several runs, which should have been recorded under the same conditions (conditions.h). */
    bool pools;
    bool by; /* has --by LABEL, which gives each label a state (by_label.h) */
    /* The label by which the analyzer itself tells runs apart, an enum run_label; NULL: it has no such option. */
    unsigned (*own_by)(const void *own);
    /* Why --by can't be used with the options, for a usage error, or NULL. NULL: it always can. */
    const char *(*conflict_by)(const void *own);
    const bool *raw_names; /* whether profiles of other tools keep the file's names of methods; NULL: they do not */
    const char *folder;    /* in a directory among the inputs: its traces are inputs, too, if wanted; NULL: none */
    bool wants_folder;     /* options may decide */
    const char *figure;    /* the figure that --plot FILE draws (plots/NAME.gp), or NULL */
    const struct columns *tables; /* for --columns; NULL: no such option */
    size_t table_count;

    /* A state that begins with a struct relations of this description needs no init, merge, save, load and free, unless
     * it holds more; free then calls relations_free(). */
    const struct relation *relations; /* NULL: the state is of another kind */
    size_t relation_count, state_bytes;

    void *(*init)(const struct analysis_options *options); /* an empty state, NULL without memory */
    /* Records of one stream of one trace in time order. Called for one (trace, stream) after another. 0 or errno. */
    int (*feed)(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
    /* Called after the last batch of a trace that this state gets: it must take what it needs of the trace's names now.
     * NULL: nothing to do. 0 or errno. */
    int (*finalize)(void *state, const struct analysis_trace *trace);
    /* Joins `other` (which directly follows in the fixed order, and may continue the same stream) into state. 0 or
     * errno. */
    int (*merge)(void *state, void *other);
    json_t *(*save)(void *state);                  /* new reference, NULL without memory */
    int (*load)(void *state, const json_t *saved); /* into an empty state; EINVAL if it is not such a thing, ENOTSUP if
                                                      it was saved with other options that choose what is gathered */
    int (*report)(void *state, struct report *report);
    /* The same with the state of the baseline's inputs. */
    int (*report_baseline)(void *old, void *state, struct report *report);
    void (*free)(void *state);
};

/* The main of every analyzer. Returns the exit status: 0 good, 1 bad data or I/O, 2 bad usage. */
int analyzer_main(const struct analyzer *analyzer, int argc, char **argv);

#endif
