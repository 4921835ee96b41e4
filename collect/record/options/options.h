/*
 * options.h - the command line of assay-record.
 */
#ifndef ASSAY_RECORD_OPTIONS_OPTIONS_H
#define ASSAY_RECORD_OPTIONS_OPTIONS_H

#include "collect/record/record.h"

/* Fills *options from the command line, or prints what is wrong and exits with STATUS_USAGE. Borrows argv. */
void options_parse(int argc, char **argv, struct record_options *options);

#endif
