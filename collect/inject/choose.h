/*
 * choose.h - which hot methods can be made slower so that a slope says something, and by how much.
 */
#ifndef ASSAY_INJECT_CHOOSE_H
#define ASSAY_INJECT_CHOOSE_H

#include "collect/inject/inject.h"

/* The work of a pilot, which shows how often a method is called: little, and always rounds of Fibonacci. */
enum { CHOOSE_PILOT_AMOUNT = 10 };
#define CHOOSE_PILOT_WORK "fib"

/* So many methods may be passed over for each that is wanted. */
enum { CHOOSE_PASSED_MOST = 2 };

/* STATUS_GOOD if the run with this row was good and its guard calls it valid; else a message, "with work of 500 a
 * call: …". `row` NULL: the run could not be made. */
int choose_check_row(const struct inject_row *row, uint32_t amount, struct error_text *message);

/*
 * amounts[steps + 1]: 0 and `steps` even steps up to the amount that takes `slowdown` of the program's CPU time
 * (java_cpu_ms, where it is known, of `base`, a run without work), by the calls of `pilot`, a run with
 * CHOOSE_PILOT_AMOUNT, and what a round takes; a step is 1 at least. STATUS_BAD: the method is called
 * so rarely that a call would have to do more than 10^8 rounds. slowdown > 0, 1 ≤ steps < INJECT_AMOUNTS_MAX.
 */
int choose_amounts(const struct inject_row *base, const struct inject_row *pilot, double slowdown, uint64_t steps,
                   uint32_t *amounts, struct error_text *message);

/* How often amounts that a guard calls invalid are halved before the method is given up. */
enum { CHOOSE_HALVINGS_MOST = 3 };

/* Halves amounts[count], which are 0 and even steps; false, and nothing changes, if a step would be below 1. */
bool choose_halve(uint32_t *amounts, size_t count);

#endif
