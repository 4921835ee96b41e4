/*
 * driver.h - internal to the driver of the analyzers: settings (options.c), inputs (input.c), parallel feeding (run.c),
 * partial states (partial.c), what a result comes from and lacks (loss.c, cluster_account.c). analyzer.c puts them
 * together.
 */
#ifndef ASSAY_ANALYZE_DRIVER_DRIVER_H
#define ASSAY_ANALYZE_DRIVER_DRIVER_H

#include <pthread.h>
#include <sys/stat.h>

#include "analyze/driver/analyzer.h"
#include "analyze/driver/run_label.h"
#include "analyze/driver/ticks.h"
#include "analyze/cli/common.h"

struct settings {
    const struct analyzer *analyzer;
    struct common common;   /* jobs: 0 until analyzer.c knows the number of its processors */
    const char *save_state; /* instead of a report */
    const char *profile; /* of inputs that are profiles of other tools and hold several; NULL: the one for CPU time */
    enum run_label by;   /* of --by; RUN_LABELS: all inputs have one state */
    struct analysis_options options;
    uint64_t part_records; /* a part ends with the chunk that makes it this long */
    bool keep_going;
    struct columns *tables; /* what --columns describes; owned */
    char **owned_paths;     /* of the traces of directories */
    size_t owned_count;
};

/* Parses; exits with 2 on bad usage, 0 after --help and --version. */
void settings_parse(struct settings *settings, const struct analyzer *analyzer, int argc, char **argv);

/* One line on stderr: "assay-hot: …". */
void driver_print_error(const struct settings *settings, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A piece of a trace's records: what one worker feeds to one state. */
struct part {
    struct input *input;
    size_t first, count; /* of input->wanted */
};

/* One input file: a trace, a saved partial state, or one of the traces that a profile of another tool becomes. */
struct input {
    char *path;
    char *own_path;      /* the same, if the input frees it: another rank has read it, or it names one of several
                            traces of a profile; else NULL */
    char *run;           /* what view.run points to */
    struct trace *trace; /* NULL: a partial state, or read by another rank */
    json_t *partial;
    struct analysis_trace view;
    struct trace_names names;
    size_t *wanted; /* chunks that the analyzer asks for, by thread, then by place in the file */
    size_t wanted_count;
    size_t parts_left;
    struct trace_loss loss;
    struct error_text damage; /* trace_loss_text(), once all is read; of a profile, what was not imported */
    struct error_text note;   /* of a profile: what else the user should know about it, or "" */
    struct ticks ticks;
    uint64_t recorded; /* records in the trace, whatever the analyzer reads */
    uint64_t records;  /* fed */
    pthread_mutex_t lock;
    bool names_loaded;
    json_t *conditions;               /* array (conditions.h), or NULL */
    struct trace_selection selection; /* of its samples: --weight and --state */
    bool is_member;                   /* of several traces of one profile, whose path is `run` */
};

/* Whether the analyzer reads weights of samples, so that --weight and --state apply. */
bool frame_reads_weights(const struct analyzer *analyzer);

struct inputs {
    struct input *items; /* by path */
    size_t count;
    struct part *parts;
    size_t part_count;
    size_t unreadable;
};

/* Puts the traces of a directory, its files *.trace, in its place, with those of the analyzer's folder in it; a
 * directory without any stays. 0 or -1 without memory. */
int inputs_expand_directories(struct settings *settings);
/* Sorts settings->paths and leaves out duplicates of the same file, with a line on stderr. */
void inputs_sort(struct settings *settings);
/* Opens these paths, prints why some can't be read, cuts into parts. 0 or -1 without memory. */
int inputs_open(struct inputs *inputs, const struct settings *settings);
void inputs_close(struct inputs *inputs);

/* The names of the input, loaded by the first caller; 0 or -1. They are freed with the last part. */
int input_acquire(struct input *input);
void input_release(struct input *input);

/* Feeds every part to a state of its own and merges them in order into *state. 0 or an errno value, with a message.
 */
int run_parts(const struct settings *settings, struct inputs *inputs, void **state, struct error_text *message);

/* The partial state file: read (*partial is a new object; messages do not name the file), write (0 or errno). */
bool partial_looks_like(const char *path);
int partial_read(const struct settings *settings, const char *path, json_t **partial, struct error_text *message);
int partial_write(const struct settings *settings, const struct inputs *inputs, void *state);

/* The traces that a result comes from, directly or through states. A new array. */
json_t *inputs_paths(const struct inputs *inputs);

/* The conditions of all inputs, a new array; NULL without memory, or if no input has any. */
json_t *inputs_conditions(const struct inputs *inputs);

/* Loss of all inputs together as JSON (see docs/trace-format.md), with a warning for each input that lacks something.
 * Returns a new object. */
json_t *loss_sum(const struct inputs *inputs, struct report *report);

/* True if some input is damaged or cut. */
bool loss_damaged(const struct inputs *inputs);

/* True if the ticks of some recording did not come at the requested rate, so that no table of it must be believed. */
bool loss_doubtful(const struct inputs *inputs);

/* --- baseline.c: the inputs of a baseline, which have a state of their own --- */

struct baseline {
    bool given; /* else the rest is empty */
    struct settings settings;
    struct inputs inputs;
    void *state; /* NULL: nothing could be read */
};

/* Reads the baseline of the analyzer, if its options gave one. 0, or 1 after an error message; to be freed in either
 * case. */
int baseline_read(const struct settings *settings, struct baseline *baseline);
void baseline_free(struct baseline *baseline);

/* Adds the baseline's inputs and losses to those of a report, and its paths as "baseline" to the summary. */
void baseline_account(const struct baseline *baseline, struct report *report, json_t *paths, json_t *loss);

/* Whether the baseline lacks something, so that the exit status must not be 0. */
bool baseline_is_incomplete(const struct baseline *baseline);

/* --- cluster_account.c: what a report states about inputs in addition to their state, from one rank to another --- */

/* Which they are, their losses, why they must not be believed. A new array with one object per input, in their order;
 * NULL without memory. */
json_t *account_save(const struct inputs *inputs);

/* Adds inputs that have no trace, but all that the report needs of them. 0, ENOMEM, or EINVAL: it is not such an array.
 */
int account_load(struct inputs *inputs, const json_t *saved);

#endif
