/*
 * dependences.h - which loads of a trace use what others have loaded, where the trace records it (kind dependence).
 */
#ifndef ASSAY_STRIDES_DEPENDENCES_H
#define ASSAY_STRIDES_DEPENDENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct dependence {
    uint32_t from; /* a site */
    unsigned how;  /* enum trace_dependence */
    uint32_t next; /* of the same load: index + 1; 0: none */
};

struct dependences {
    bool recorded;   /* the trace has some: all others do not exist */
    uint32_t *first; /* [site]: index + 1; 0: none */
    struct dependence *items;
    size_t count, capacity;
};

/* Reads all of them. Damaged chunks are left out: the driver counts them. 0 or ENOMEM. */
int dependences_read(struct dependences *dependences, const struct trace *trace, const struct trace_names *names);
void dependences_free(struct dependences *dependences);

#endif
