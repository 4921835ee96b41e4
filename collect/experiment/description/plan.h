/*
 * plan.h - the cells of an experiment: each recording of each program under each combination of levels.
 */
#ifndef ASSAY_EXPERIMENT_PLAN_H
#define ASSAY_EXPERIMENT_PLAN_H

#include "collect/experiment/description/spec.h"

enum { PLAN_NO_LEVEL = SIZE_MAX };

struct plan_cell {
    const char *id; /* "cpu/fop/g1": RECORDING/PROGRAM/LEVEL..., its directory below that of all recordings */
    size_t recording;
    uint64_t runs; /* that a start makes together, see struct spec_recording; 0: assay record makes one */
    size_t levels[SPEC_VARIABLES_MAX]; /* by variable; PLAN_NO_LEVEL: the factor does not apply to the program */
    struct words command;
    const char *directory, *input; /* NULL: the file's directory, /dev/null */
    struct spec_environment environment;
};

struct plan {
    const struct spec *spec;
    struct plan_cell *cells; /* recording by recording, in the file's order */
    size_t cell_count;
};

/* Makes the cells. Adds an error to the spec if a recording has none, or if there are more than SPEC_CELLS_MAX. */
int plan_make_cells(struct spec *spec, struct plan *plan);

/* Whether the cell's levels are among those wanted; a factor that does not apply to its program excludes nothing. */
bool plan_is_wanted(const struct plan_cell *cell, const struct spec_only *only);

/* Whether the run with this number is one of the recording's rounds: a file may ask for fewer than exist. */
bool plan_has_run(const struct plan *plan, size_t cell, uint64_t number);

/* The order in which a round starts these cells: permutes numbers[count] at random, the same for the same seed and
 * round. */
void plan_shuffle(uint64_t seed, uint64_t round, size_t *numbers, size_t count);

/* Values of the names in braces for the cell; returns their number. */
size_t plan_values(const struct spec *spec, const struct plan_cell *cell, struct words_value values[SPEC_VARIABLES_MAX],
                   bool names);

#endif
