/*
 * suggest.h - guessing the name that was meant: suggestions for unknown names.
 */
#ifndef ASSAY_BASE_SUGGEST_H
#define ASSAY_BASE_SUGGEST_H

#include <argp.h>
#include <stddef.h>

/* The name that is fewest edits (insert, delete or replace a character, exchange two neighbours, in any case of
 * letters) away from the one given, at most a third of its characters and at most two; NULL if none is. Names of more
 * than 63 bytes are never suggested. O(count · length²). Source: Lowrance and Wagner, An Extension of the
 * String-to-String Correction Problem, 1975, exchanging only neighbours. */
const char *suggest_name(const char *name, const char *const *names, size_t count);

/* Parses like argp_parse(), but first checks the long options: an unknown one ends the program with
 * argp_err_exit_status and one line, "PROGRAM: no option '--metod' (did you mean --method?); see --help". PROGRAM is
 * the last part of argv[0]. With ARGP_IN_ORDER in `flags` (those of argp), the options end at the first other word:
 * what follows belongs to a command. Without memory the program ends with status 1 and
 * a line. Since every program begins with it, it calls tame_stream_begin() and shrunk_file_watch(). */
error_t suggest_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

#endif
