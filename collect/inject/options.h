/*
 * options.h - the command line of assay inject.
 */
#ifndef ASSAY_INJECT_OPTIONS_H
#define ASSAY_INJECT_OPTIONS_H

#include "collect/inject/inject.h"

/* Ends the program on bad usage, and after --help. False without memory. */
bool options_parse(int argc, char **argv, struct inject_options *told);
void options_free(struct inject_options *told);

#endif
