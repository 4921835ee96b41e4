/*
 * profilers.h - can profilers be believed? The verdicts of `assay audit profiler`, from the tables in its directory.
 *
 * Two profiles differ if the interval of their distance is above the tolerance, and agree if it is below; if the
 * tolerance is in it, no difference is shown, which is not agreement. If slowdowns were injected, the verdict is
 * theirs, since most profilers may be wrong together. A profiler is believed if it sees the slowdowns of more methods
 * than are undecided, and misses none: causality's verdicts on all of them together are wrong in at most 5 of 100
 * audits. Without injected slowdowns a profiler is in doubt if it differs from each of two or more others that do not
 * differ among themselves and of which one samples at random. Profiles without a method in common say nothing: they may
 * spell the names of methods in different ways.
 */
#ifndef ASSAY_ANALYZE_AUDIT_PROFILER_PROFILERS_H
#define ASSAY_ANALYZE_AUDIT_PROFILER_PROFILERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error_text.h"
#include "table/csv/csv.h"

/* What the tables do not say. */
struct profilers_request {
    const char *format;    /* text, json, latex or html */
    size_t runs;           /* requested, with each profiler */
    const char *tolerance; /* a distance, 0-1 */
    const char *slowed;    /* the slowed methods, "" if there are none */
    const char *command;
};

enum profilers_table {
    PROFILERS_RUNS,      /* round, profiler, status, wall_s, why */
    PROFILERS_COSTS,     /* of assay compare */
    PROFILERS_INTERVALS, /* of assay intervals, after a column profiler; each profiler's part has a header */
    PROFILERS_PAIRS,     /* of assay agree */
    PROFILERS_SLOPES,    /* of assay causality, after profiler, work, look and more_runs_text */
    PROFILERS_TABLES
};

/* Texts are cells of the tables, "" where these have no value. */
struct profiler {
    const char *name;
    const char *failure; /* why it failed; NULL if it did not */
    const char *hottest; /* its hottest method; NULL without a pair */
    const char *cost, *cost_lo, *cost_hi;
    size_t runs;
    double wall_s;             /* the sum over its runs */
    size_t random, not_random; /* threads, in all runs */
    const char *reason;        /* the last verdict on a thread that is not sampled at random */
    bool doubted;              /* a note says that its recordings must not be believed */
    size_t slopes, actionable, not_actionable, undecided, invalid;
    size_t with_slope, last_slope;
    double slope_sum;
    size_t invalid_points;
};

struct profilers_pair {
    size_t a, b;
    const char *distance, *lo, *hi, *class;
};

struct profilers_slope {
    size_t profiler;
    const char *method, *slope, *lo, *hi, *r2, *points, *runs, *look, *invalid_points, *verdict;
};

struct profilers_lines {
    char **line;
    size_t count, capacity;
};

struct profilers {
    const struct profilers_request *request;
    struct csv *tables[PROFILERS_TABLES];
    struct profilers_lines names, notes;
    struct profiler *each; /* those of `names` in their order, then others that a table names, as "none" */
    size_t count, capacity;
    struct profilers_pair *pairs;
    size_t pair_count, pair_capacity;
    struct profilers_slope *slopes;
    size_t slope_count, slope_capacity;
    size_t (*strange)[2]; /* pairs without a method in common */
    size_t strange_count, strange_capacity;
};

/* Reads the tables, and the lines of `names` and `notes`, in the current directory; those that are missing or empty
 * have no rows. Adds a note on costs. Returns a status with a message; profilers_free() in any case. */
int profilers_read(struct profilers *all, const struct profilers_request *request, struct error_text *message);
void profilers_free(struct profilers *all);

/* The number of a profiler in all->each, all->count if there is none. */
size_t profilers_find(const struct profilers *all, const char *name);

/* A cell as a number, or as a count: 0 if it is blank. */
double profilers_number(const char *cell);
size_t profilers_count(const char *cell);

/* Whether the distance of two profiles has an interval that counts. */
bool profilers_know_distance(const struct profilers *all, size_t p, size_t q);

/* Whether it samples at random: 1, 0, or −1 if that is unknown. */
int profilers_sample_at_random(const struct profiler *one);

/* "believe", "do not believe", "in doubt", "undecided" or "failed". */
const char *profilers_verdict(const struct profilers *all, size_t p);

/* The mean of its slopes, of which there is at least one. */
double profilers_mean_slope(const struct profiler *one);

/* What the verdict rests on, in words; to be freed, NULL without memory. */
char *profilers_evidence(const struct profilers *all, size_t p);

/* The mean wall time of the command without a profiler; NaN if it never ran without one. */
double profilers_alone_s(const struct profilers *all);

/* " [0.97, 1.02]", or nothing without an interval. */
void profilers_write_interval(FILE *out, const char *lo, const char *hi);

/* " %", and the cost's interval, or why it has none. */
void profilers_write_cost_interval(FILE *out, const struct profiler *one);

/* The class of two hottest methods in words: if these are the same, the profiles need not be. */
const char *profilers_class_text(const char *class);

/* Write the audit in the requested format, and verdicts.tsv, a line for each profiler. */
void profilers_write_report(const struct profilers *all, FILE *out);
void profilers_write_verdicts(const struct profilers *all, FILE *out);

/* Writes one page of HTML that needs no other file: the figures in the current directory become part of it. */
void profilers_write_page(const struct profilers *all, FILE *out);

#endif
