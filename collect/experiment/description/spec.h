/*
 * spec.h - the description of an experiment: what its file says, checked as a whole.
 */
#ifndef ASSAY_EXPERIMENT_SPEC_H
#define ASSAY_EXPERIMENT_SPEC_H

#include <stdint.h>

#include "collect/experiment/description/tree.h"

/* A cell is a program under one level of each factor that applies to it. Variable 0 is the program, variable v > 0 is
 * factor v − 1. */
enum { SPEC_FACTORS_MAX = 8, SPEC_VARIABLES_MAX = SPEC_FACTORS_MAX + 1, SPEC_ERRORS_MAX = 20, SPEC_CELLS_MAX = 10000 };

/* Environment variables, whose values may hold names in braces. */
struct spec_environment {
    const char **names, **values; /* [count] */
    size_t count;
};

struct spec_program {
    const char *name;
    const struct tree *at;
    struct words command;
    const char *directory, *input; /* NULL: not given */
    struct spec_environment environment;
    bool uses[SPEC_FACTORS_MAX]; /* the factor applies to this program */
};

struct spec_level {
    const char *name, *text;
    struct words words; /* of the text */
    struct spec_environment environment;
};

struct spec_factor {
    const char *name;
    struct spec_level *levels;
    size_t level_count;
    bool sets_environment; /* a level does: then the factor applies to every program */
};

/* Which levels of a variable are wanted: all, or those marked. */
struct spec_only {
    const bool *wanted[SPEC_VARIABLES_MAX]; /* [programs or levels]; NULL: all */
};

/* The program that makes a recording. Those but assay record make all of their runs in one start. */
enum spec_recorder { SPEC_RECORD, SPEC_INJECT, SPEC_AUDIT };

struct spec_recording {
    const char *name;
    const struct tree *at;
    enum spec_recorder recorder;
    struct words line;    /* "record", options...; "inject", options...; "audit", "profiler", options... */
    struct words profile; /* of inject: "record", options... with which each run is recorded; none: it is not */
    uint64_t runs;        /* of inject and audit, whose rounds are 1 */
    uint64_t rounds, warmup;
    double until;         /* rounds are added until no half-width is more than this share of its mean; 0: never */
    const char *until_of; /* a column of the table of runs */
    uint64_t until_most;  /* rounds, at most */
    struct spec_only only;
};

enum spec_kind { SPEC_TABLE, SPEC_FIGURE, SPEC_PAGE, SPEC_VALUE };

enum spec_source { SPEC_RECORDING, SPEC_RESULT, SPEC_FILE };

/* What a result reads. */
struct spec_input {
    enum spec_source source;
    const char *name;  /* of the recording, result or file as it is written; that of a file may have names in braces */
    const char *label; /* what a figure calls it; NULL: after its file */
    const struct tree *at;
    size_t number; /* of the recording or result */
};

struct spec_result {
    enum spec_kind kind;
    const char *name; /* a path, or the name of values; with names in braces */
    const struct tree *at;
    struct words line;         /* verb, options... */
    struct spec_input *inputs; /* [input_count] */
    size_t input_count;
    struct spec_only only;
};

struct spec {
    struct obstack *memory;
    const char *path;
    const char *data;                      /* the directory of recordings, relative to that of the file */
    const char *directory;                 /* the one of results, likewise; "" for the same */
    const char *title, *question, *method; /* of the report; NULL: not given */
    bool has_results;
    uint64_t rounds, warmup, seed;
    const struct tree *until; /* of all recordings without their own */
    bool seed_given;
    struct spec_program *programs;
    struct spec_factor *factors;
    struct spec_recording *recordings;
    struct spec_result *results;
    size_t program_count, factor_count, recording_count, result_count;
    char *errors[SPEC_ERRORS_MAX]; /* [error_count], "FILE:LINE:COLUMN: …" */
    size_t error_count;            /* those beyond the capacity are only counted */
};

/* Reads and checks the whole file; all that is wrong is in spec->errors. STATUS_GOOD if there is nothing. The spec
 * lives in `memory`. */
int spec_read(struct obstack *memory, const char *path, struct spec *spec);

/* Adds an error at this place of the file. */
__attribute__((format(printf, 3, 4))) void spec_error(struct spec *spec, const struct tree *at, const char *format,
                                                      ...);

/* The number of levels of a variable, the name of the variable and of one of its levels. */
size_t spec_level_count(const struct spec *spec, size_t variable);
const char *spec_variable_name(const struct spec *spec, size_t variable);
const char *spec_level_name(const struct spec *spec, size_t variable, size_t level);

/* The variable with this name of that length; SIZE_MAX if there is none. */
size_t spec_find_variable(const struct spec *spec, const char *name, size_t length);

#endif
