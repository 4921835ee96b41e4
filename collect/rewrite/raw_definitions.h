/*
 * raw_definitions.h - what the file of raw_output.h knows: the numbers that threads, methods, nodes, accesses and
 * objects have in it. For raw_output.c, which writes what is counted.
 */
#ifndef ASSAY_REWRITE_RAW_DEFINITIONS_H
#define ASSAY_REWRITE_RAW_DEFINITIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "collect/exact/tool/state/raw.h"

struct raw_output {
    pthread_mutex_t lock; /* for all that follows, and for the functions below */
    FILE *file;           /* NULL: it is not open */
    unsigned kinds;       /* enum raw_output_kind */
    uint32_t threads;
    bool bursts, between_threads;
};
extern struct raw_output raw_output;

/* Writes a record to the file, which is open: the payload, then more of it. */
void raw_output_write(enum raw_type type, const void *payload, size_t bytes, const void *more, size_t more_bytes);

/* What the file knows of an access by its handle. */
struct raw_access {
    uint32_t number; /* in the file; 0: not there */
    uint32_t kind;
};
struct raw_access raw_output_find_access(uint32_t handle);

/* The thread that a handle belongs to; 0: none. */
uint32_t raw_output_handle_thread(uint32_t handle);

/* An object's number in the file; 0: not known. */
uint32_t raw_output_object_number(int32_t handle);

/* Objects belong to a burst, which is over. */
void raw_output_forget_objects(void);

/* Where the header of a loop is, whose method the file then knows; 0: there is none. */
uint64_t raw_output_scope_address(uint32_t scope);

#endif
