/*
 * command_line.h - the command line of assay inject.
 */
#ifndef ASSAY_INJECT_COMMAND_LINE_H
#define ASSAY_INJECT_COMMAND_LINE_H

#include "collect/inject/inject.h"

/* Exits on bad usage, and after --help. False without memory. */
bool command_line_read(int argc, char **argv, struct inject_options *told);
void command_line_free(struct inject_options *told);

#endif
