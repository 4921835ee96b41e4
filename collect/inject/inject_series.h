/*
 * inject_series.h - the runs of assay inject: with each amount, of one method after the other; and which hot methods
 * they are.
 */
#ifndef ASSAY_INJECT_INJECT_SERIES_H
#define ASSAY_INJECT_INJECT_SERIES_H

#include "collect/inject/attempt.h"
#include "collect/inject/inject_table.h"

struct inject_series {
    struct inject_options *options;
    struct attempt attempt;
    struct inject_table table;
    struct hottest hottest;
    const char *const *methods; /* [count]: candidates, of which the first `wanted` suitable ones are used */
    size_t count, wanted;
    size_t number;     /* of the current method, from 1 */
    size_t done, left; /* runs of this session; still to be made */
    double spent_ms;
    size_t failed;
    bool choosing; /* a run that is not good does not count as failed: the method is passed over */
    char *plan;    /* what is chosen, as --plan has it; NULL: nothing */
    double pilot_round_ns;
};

/* Runs that a method takes: one without work and its trials, if methods are only to be chosen; else the whole series.
 */
size_t inject_series_runs_of_one(const struct inject_options *options);
/* The number of runs of a method that the table lacks; all, where its amounts are not known yet. */
size_t inject_series_missing(struct inject_series *series, size_t method);

/*
 * Each method until as many as are wanted were made slower; the table is saved after each run. One that can't be is an
 * error, unless assay hot named it: then it is passed over, with a line that says why, and the next one takes its
 * place, until CHOOSE_PASSED_MOST were passed over for each that is wanted. Says how it goes. Returns the exit status:
 * 0; 1, with a message unless all failures were reported; 128 + N after signal N.
 */
int inject_series_run(struct inject_series *series, struct error_text *message);

#endif
