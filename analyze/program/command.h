/*
 * command.h - the command line in the metadata of a trace.
 */
#ifndef ASSAY_PROGRAM_COMMAND_H
#define ASSAY_PROGRAM_COMMAND_H

#include <jansson.h>

/* The words of an array of strings with blanks between them; "" if there are none. To be freed; NULL without memory. */
char *command_text(const json_t *words);

#endif
