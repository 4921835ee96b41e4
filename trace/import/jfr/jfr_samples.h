/*
 * jfr_samples.h - the samples of a recording, event by event.
 */
#ifndef ASSAY_TRACE_IMPORT_JFR_JFR_SAMPLES_H
#define ASSAY_TRACE_IMPORT_JFR_JFR_SAMPLES_H

#include "trace/import/jfr/jfr_chunks.h"
#include "trace/import/jfr/jfr_pools.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"

enum { JFR_EVENT_TYPES = 19 };

struct jfr_event {
    uint64_t at, size, type;
    struct jfr_cursor body;
};

/* Events of one type that were left out. */
struct jfr_left_out {
    char name[64];
    uint64_t count;
};

/* Starts as {0}, except for pointers to what describes the chunk at hand. */
struct jfr_samples {
    struct reading *reading;
    const struct jfr_chunk *chunk;
    const struct jfr_types *types;
    struct jfr_pools *pools;
    struct stack stack;
    bool aside;                 /* take all events with a known meaning, not only samples of execution */
    bool full;                  /* out of memory */
    bool execution;             /* there are samples of execution */
    uint64_t taken, threadless; /* samples, and of these those without a thread */
    uint64_t states[THREAD_STATE_COUNT];
    struct jfr_left_out left_out[JFR_EVENT_TYPES];
};

/* Whether events of a type are taken: samples, or the number of those that were lost. */
bool jfr_samples_wants(const struct jfr_samples *samples, uint64_t type);
void jfr_samples_add_event(struct jfr_samples *samples, struct jfr_event *event);

/* The number of events that would be taken with `aside`. */
uint64_t jfr_samples_count_left_out(const struct jfr_samples *samples);

/* Notes what the user should know about them. of_jvm: a JVM recorded some of them. */
void jfr_samples_write_notes(const struct jfr_samples *samples, bool of_jvm);

#endif
