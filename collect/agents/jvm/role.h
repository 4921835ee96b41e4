/*
 * role.h - the role of a HotSpot thread, by its name.
 */
#ifndef ASSAY_AGENTS_JVM_ROLE_H
#define ASSAY_AGENTS_JVM_ROLE_H

#include "trace/trace.h"

/* sampler_hooks.role; `name` may be cut to 15 characters as the kernel does. Threads with unknown names are Java's. */
enum trace_role threads_role(const char *name);

#endif
