/*
 * command.h - the command line in the metadata of a trace.
 */
#ifndef ASSAY_ANALYZE_CLI_COMMAND_H
#define ASSAY_ANALYZE_CLI_COMMAND_H

#include <jansson.h>

/* The words of an array of strings with blanks between them; "" if there are none. To be freed; NULL without memory. */
char *command_text(const json_t *words);

/* The program of the process whose trace has this metadata: the file name of its executable; of a JVM its main class,
 * or the file name of its archive (-jar), from "main" or, where that is missing, from a command that begins with java;
 * "[unknown]" if nothing says. To be freed; NULL without memory. O(words). */
char *command_program(const json_t *metadata);

#endif
