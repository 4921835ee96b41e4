/*
 * run_report.h - messages to the user about a run: how it ended, what its traces lack.
 */
#ifndef ASSAY_RECORD_FINISH_RUN_REPORT_H
#define ASSAY_RECORD_FINISH_RUN_REPORT_H

#include <sys/types.h>

#include <jansson.h>

#include "collect/record/record.h"

/* CPU time that no sampled thread used, over the runs of a series. Start with {0}. */
struct run_report_cover {
    size_t runs, poor; /* poor: less than 90 % covered */
    double worst;      /* the smallest share covered */
    char worst_run[RECORD_PREFIX_MAX];
    uint64_t cpu_ns, missing_ns; /* of that run */
};

/* "run 3", "warm-up run 1 (random)". Returns text. */
const char *run_report_name(const struct record_run *run, char text[RECORD_PREFIX_MAX]);

/* One line if the command failed. Returns the exit status that represents its end: the code, or 128 + signal. */
int run_report_end(const struct record_run *run, const json_t *entry);

/* One line if recording can be the reason for this exit status (a fault, a trap, a signal of clocks, a program that
 * could not be started): how to find out. */
void run_report_doubt(const struct record_run *run, int status, char *const *command);

/* One line: what to do if Valgrind rejected an instruction as illegal. */
void run_report_illegal(const struct record_run *run);

/* A line for traces that are unfinished, still growing, or damaged. Returns the number of readable traces. */
size_t run_report_traces(const struct record_run *run, const json_t *entry);

/* One line: the run has no readable trace, and the likely reasons. `chosen`: only some programs were to be recorded. */
void run_report_nothing(const struct record_run *run, const json_t *entry, bool jvm_agent, bool chosen);

/* A line for each note of the agents (run_notes.h). */
void run_report_notes(const struct record_run *run, const json_t *entry);

/* One line: it left `count` processes running, one of which is `pid`, without a trace so far; they may still write
 * theirs. */
void run_report_leftover(const struct record_run *run, size_t count, pid_t pid);

/* One line if probes took more than a tenth of a thread's CPU time: which one's, how much, and what to do. */
void run_report_probes(const struct record_run *run, const json_t *entry);

void run_report_cover_add(struct run_report_cover *cover, const struct record_run *run, const json_t *entry);
void run_report_cover_end(const struct run_report_cover *cover);

#endif
