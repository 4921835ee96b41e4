/*
 * state.h - what an experiment keeps in its data directory beside the recordings:
 *
 *   state.json    {"assay", "seed", "machines": [MACHINE...], "cells", "rounds"}, see cell_keys.h and until.h
 *   starts.jsonl  one line for each start: {"cell", "round", "machine", "ended", "load", "status", "wall_s", "bytes"}
 *   results.json  {NAME: {"key", "sha256"}}, see report.h
 *
 * Which runs exist is not among it: each cell's series.json says so.
 */
#ifndef ASSAY_EXPERIMENT_STATE_H
#define ASSAY_EXPERIMENT_STATE_H

#include <jansson.h>

#include "collect/experiment/description/plan.h"

struct state_start {
    const char *cell;
    uint64_t round;
    size_t machine;
    double load; /* before it; −1: unknown */
    int status;
    double wall_s;  /* the whole start, with assay record's own work */
    uint64_t bytes; /* that it added to the cell's directory */
};

struct state {
    const char *data;
    int lock;     /* −1: none */
    json_t *root; /* of state.json */
    json_t *made; /* of results.json */
    uint64_t seed;
    size_t machine; /* this one, in state.json */
    struct state_start *starts;
    size_t start_count, start_capacity;
};

/* Loads what is there. With `lock`, creates the directory, and fails if another process holds it. The seed is that of
 * the spec, or of state.json, or a new one. STATUS_BAD with a message, also if the spec has another seed than the
 * recordings. Close in any case. */
int state_open(struct state *state, const struct spec *spec, bool lock, struct error_text *message);
void state_close(struct state *state);

/* Takes this machine for the starts to come. Fails if there are starts on another one, unless `mix`. */
int state_set_machine(struct state *state, json_t *machine, bool mix, struct error_text *message);

/* Appends a start to starts.jsonl. */
int state_add_start(struct obstack *memory, struct state *state, const struct state_start *start,
                    struct error_text *message);

/* The last start of this round of the cell; NULL if none is noted. O(starts). */
const struct state_start *state_find_start(const struct state *state, const char *cell, uint64_t round);

/* Writes state.json, results.json. */
int state_save_own(struct state *state, struct error_text *message);
int state_save_made(struct state *state, struct error_text *message);

#endif
