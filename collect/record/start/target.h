/*
 * target.h - the program that a command would execute: searched in PATH, through the interpreters of scripts, down to
 * the program itself.
 */
#ifndef ASSAY_RECORD_START_TARGET_H
#define ASSAY_RECORD_START_TARGET_H

#include "collect/record/record.h"

struct target {
    int error;                     /* errno value with which the execution would fail; 0: the rest is valid */
    char program[RECORD_PATH_MAX]; /* the program or, for a script, its interpreter; with symbolic links resolved */
    bool is_java;                  /* a program of a JDK */
    bool is_recorder;              /* assay record, or Valgrind */
    bool is_set_id;                /* set-user-ID or set-group-ID, or with capabilities that this user lacks */
    bool is_sanitized;             /* compiled with a sanitizer */
    bool is_static;                /* statically linked */
    bool is_stripped;              /* has only the symbol table for dynamic linking */
    bool is_32_bit;
    bool is_foreign; /* for a processor other than x86-64 */
};

void target_find(const char *command, struct target *target);

/* The file that execvp() would execute for this name. 0, or an errno value. */
int target_in_path(const char *name, char path[RECORD_PATH_MAX]);

#endif
