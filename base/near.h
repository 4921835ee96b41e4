/*
 * near.h - which name was meant: suggestions for names that are not there.
 */
#ifndef ASSAY_BASE_NEAR_H
#define ASSAY_BASE_NEAR_H

#include <argp.h>
#include <stddef.h>

/* The name that is fewest edits (insert, delete or replace a character, exchange two neighbours, in any case of
 * letters) away from the one given, at most a third of its characters and at most two; NULL if none is. Names of more
 * than 63 bytes are never near. O(count · length²). Source: Lowrance and Wagner, An Extension of the String-to-String
 * Correction Problem, 1975, with neighbours alone exchanged. */
const char *near_name(const char *name, const char *const *names, size_t count);

/* Parses as argp_parse() does, after a look at the long options: one that does not exist ends the program with
 * argp_err_exit_status and one line, "PROGRAM: no option '--metod' (did you mean --method?); see --help". PROGRAM is
 * the last part of argv[0]. With ARGP_IN_ORDER in `flags`, as argp takes them, the options end at the first word that
 * is none: what follows belongs to a command. */
error_t near_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

#endif
