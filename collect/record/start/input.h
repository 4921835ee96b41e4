/*
 * input.h - the standard input of the runs of a series: each one gets the same, from its beginning.
 *
 * A regular file is opened anew for each run, where the recorder's descriptor stood. What comes through a pipe (also
 * one with a name) or a socket is kept in a temporary file as a run reads it; later runs read that first, then the
 * rest. Anything else, such as a terminal, is inherited, as it is by a single run.
 */
#ifndef ASSAY_RECORD_START_INPUT_H
#define ASSAY_RECORD_START_INPUT_H

#include <stdbool.h>

#include "base/error_text.h"

struct input;

/* `file`: what every run reads instead of standard input; NULL: that. `several`: whether there are several runs.
 * Returns 0, or STATUS_BAD with a message; free with input_close(). */
int input_open(const char *file, bool several, struct input **input, struct error_text *message);

/* The descriptor that becomes standard input of the next run, which the caller closes once that has it; −1: the
 * recorder's own. Returns 0 or an errno value. */
int input_begin(struct input *input, int *fd);

/* The run has ended. Returns 0, or an errno value if standard input could not be read, or not kept
 * for later runs: the run got less than there was. */
int input_end(struct input *input);

/* What standard input holds for one run more than input_open() knew of. */
enum input_repeat {
    INPUT_REPEATS,  /* the same as for the other runs */
    INPUT_TERMINAL, /* nobody knows what would be typed: an empty line */
    INPUT_GONE      /* a pipe or a socket that the only run has read */
};
enum input_repeat input_can_repeat(const struct input *input);

/* As input_begin(), for that run; not for INPUT_GONE. */
int input_begin_again(struct input *input, int *fd);

/* After a run with INPUT_TERMINAL: whether it has read the empty line. */
bool input_line_was_read(const struct input *input);

void input_close(struct input *input); /* NULL-safe */

#endif
