/*
 * figure_options.h - the options of a command line that say how a figure looks: the same in assay plot and in every
 * program with --plot, parsed and described here alone.
 */
#ifndef ASSAY_PLOTS_RENDER_FIGURE_OPTIONS_H
#define ASSAY_PLOTS_RENDER_FIGURE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "plots/render/figure.h"

/* So many options at most are appended. */
#define FIGURE_OPTIONS_MAX 20

/* Appends the options to all[*count], except names that it has already: a program's own option goes first. Those that
 * are `hidden` are parsed, but not in --help. */
void figure_options_append(struct argp_option *all, size_t *count, bool hidden);

/* Parses one of these options: 0, or ARGP_ERR_UNKNOWN for any other key; on bad usage it ends the program with
 * STATUS_USAGE and one line. Text values point into `arg`. */
error_t figure_options_parse(struct figure_options *options, int key, char *arg, struct argp_state *state);

#endif
