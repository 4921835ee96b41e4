/*
 * exact.h - engine exact: the command runs under Valgrind with assay's tool, which sees every load and store. No agent
 * is needed; the tool's output for each process becomes a trace when the process has ended (raws.h).
 */
#ifndef ASSAY_RECORD_START_EXACT_H
#define ASSAY_RECORD_START_EXACT_H

#include "collect/record/record.h"
#include "collect/record/start/target.h"

struct record_exact {
    char launcher[RECORD_PATH_MAX];  /* Valgrind's */
    char directory[RECORD_PATH_MAX]; /* VALGRIND_LIB: the tool, and the files of Valgrind's core */
    char version[32];                /* of Valgrind: "3.19.0" */
    struct target target;            /* the command */
};

/*
 * Checks whether commands can be measured here: Valgrind, capacity for it, and the tool built for it; and that this one
 * is not a Java virtual machine. One that can't run under Valgrind is not refused (exact_obstacle()), except in mode
 * methods. One that can't be executed at all is not handled here: target.error says so. Returns 0, or STATUS_BAD with a
 * message that says what to do instead.
 */
int exact_prepare(const struct record_options *options, struct record_exact *exact, struct error_text *message);

/* Why the command runs without Valgrind, unmeasured, so that it does the same; NULL: it runs under Valgrind. Static
 * storage. */
const char *exact_obstacle(const struct target *target);

/* What is measured less well than possible, and why; NULL: nothing. Static storage, to follow the program's name. */
const char *exact_warning(const struct record_exact *exact);

/* The command under Valgrind, NULL-terminated, for exact_command_free(); its words are the command's own. NULL without
 * memory. */
char **exact_command(const struct record_exact *exact, const struct record_options *options, const char *directory,
                     const char *prefix);
void exact_command_free(char **words);

/*
 * Reads Valgrind's messages about the ended processes of a run, and removes them if they are unimportant. If it failed,
 * *first is the first such line, and its file is kept. Returns the number of processes in which it failed.
 */
size_t exact_failures(const char *directory, const char *prefix, struct error_text *first);

#endif
