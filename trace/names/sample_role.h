/*
 * sample_role.h - the role of a sample: that of its thread, unless a JVM's own thread collects garbage.
 *
 * The serial collector has no threads: the VM thread collects, between other operations of the VM. With the other
 * collectors it leads the pause. One job has one role, so such samples count as those of a collector's thread.
 */
#ifndef ASSAY_TRACE_NAMES_SAMPLE_ROLE_H
#define ASSAY_TRACE_NAMES_SAMPLE_ROLE_H

#include "trace/trace.h"

/* A role beside those of enum trace_role: trace_role_name() calls it "unknown". */
enum { SAMPLE_ROLE_UNKNOWN = ROLE_COUNT, SAMPLE_ROLES };

struct sample_roles {
    const struct trace_names *names;
    bool imported;  /* of another tool's profile, in which "native" only means that nobody said otherwise */
    bool *collects; /* [context]: a thread of the VM collects garbage in it */
};

/* What the roles of a trace's samples follow from; `imported`: it has metadata "imported". A thread of the VM collects
 * where a frame of the stack is the recorder's "[garbage collector]", an operation of HotSpot that collects, or code of
 * its serial collector. False without memory; to be freed in either case. `names` must outlive it. O(contexts +
 * methods). Source of the names: HotSpot's vmOperation.hpp (VM_OPS_DO) and gc/serial, of JDK 11 to 24. */
bool sample_roles_init(struct sample_roles *roles, const struct trace_names *names, bool imported);
void sample_roles_free(struct sample_roles *roles);

/* The role of samples of a thread in a context: below SAMPLE_ROLES. O(1). */
unsigned sample_role(const struct sample_roles *roles, uint32_t stream, uint32_t context);

/* The role of this name, as in --roles; SAMPLE_ROLES: there is none. */
unsigned sample_role_named(const char *name);

#endif
