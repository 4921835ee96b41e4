/*
 * state.h - what an experiment keeps in its data directory beside the recordings:
 *
 *   state.json    {"assay", "seed", "machines": [MACHINE...], "cells", "rounds", "until"}, see cell_keys.h and until.h
 *   starts.jsonl  one line for each start: {"cell", "round", "machine", "ended", "load", "status", "wall_s", "bytes"};
 *                 of warm-up runs, with round 0 and their number, "warmup"
 *   running.json  the start that is at work: {"cell", "round", "machine", "load", "bytes" before it, "running"}, whose
 *                 process is as in series_file.h; of warm-up runs, "cell" is ""
 *   results.json  {NAME: {"key", "sha256"}}, see report.h
 *
 * Which runs exist is not among it: each cell's series.json says so.
 */
#ifndef ASSAY_EXPERIMENT_STATE_H
#define ASSAY_EXPERIMENT_STATE_H

#include <jansson.h>

#include "collect/experiment/description/plan.h"
#include "collect/record/start/launch.h"

struct state_start {
    const char *cell;
    uint64_t round;
    uint64_t warmup; /* of round 0: the runs that it made, whose recordings are discarded */
    size_t machine;
    double load; /* before it; −1: unknown */
    int status;
    double wall_s;  /* the whole start, with assay record's own work */
    uint64_t bytes; /* that it added to the cell's directory */
};

struct state {
    const char *data;
    const char *running; /* the absolute path of running.json */
    int lock;            /* −1: none */
    json_t *root;        /* of state.json */
    json_t *made;        /* of results.json */
    uint64_t seed;
    size_t machine; /* this one, in state.json */
    struct state_start *starts;
    size_t start_count, start_capacity;
};

/* Loads what is there. With `lock`, creates the directory and locks it. If another process holds it, fails, or with
 * `waits` waits until that one has ended or a signal interrupts the launcher. The seed is that of the spec, or of
 * state.json, or a new one. STATUS_BAD with a message, also if the spec has another seed than the recordings. Close in
 * any case. */
int state_open(struct state *state, const struct spec *spec, bool lock, struct launcher *waits,
               struct error_text *message);
void state_close(struct state *state);

/* Takes this machine for the starts to come. Fails if there are starts on another one, unless `mix`. */
int state_set_machine(struct state *state, json_t *machine, bool mix, struct error_text *message);

/* Appends a start to starts.jsonl. */
int state_add_start(struct obstack *memory, struct state *state, const struct state_start *start,
                    struct error_text *message);

/* Writes running.json for a start that is now process `pid`, reads it, and removes it. Reading returns false if there
 * is none; *start lives in `memory`, and has no status and no time. */
int state_note_running(const struct state *state, const struct state_start *start, pid_t pid,
                       struct error_text *message);
bool state_load_running(struct obstack *memory, const struct state *state, struct state_start *start);
void state_forget_running(const struct state *state);

/* Whether the process in running.json exists. */
bool state_is_running(const struct state *state);

/* Whether the last start that is noted is the same one. */
bool state_is_last_start(const struct state *state, const struct state_start *start);

/* How many of the last starts of the cell failed in a row. O(starts). */
size_t state_count_failures(const struct state *state, const char *cell);

/* The last start of this round of the cell; NULL if none is noted. O(starts). */
const struct state_start *state_find_start(const struct state *state, const char *cell, uint64_t round);

/* Writes state.json, results.json. */
int state_save_own(struct state *state, struct error_text *message);
int state_save_made(struct state *state, struct error_text *message);

#endif
