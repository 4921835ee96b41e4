/*
 * profiles.h - profiles that several profilers took of the same program: the weight of each method, in each run of each
 * profiler.
 *
 * From traces a weight is a number of samples in which the method ran (self), by the role of the thread, so that
 * profilers that see different populations can be compared on their common part. From tables it is a share of the run's
 * time. Memory: runs × roles × methods that occur together, and calls between methods.
 */
#ifndef ASSAY_AGREE_PROFILES_H
#define ASSAY_AGREE_PROFILES_H

#include <jansson.h>

#include "base/keyed.h"
#include "base/text_set.h"
#include "trace/trace.h"

enum { PROFILES_ROLE_UNKNOWN = ROLE_COUNT, PROFILES_ROLES }; /* unknown: other tools' profiles, and tables */

struct profiles_run {
    uint32_t profiler, name; /* texts; the key */
    uint64_t cpu_ns;         /* CPU time between consecutive samples of its threads, if known */
    uint64_t sampled_ns;     /* the time that these samples represent: their number times the clock's period */
    uint64_t wall_ns;        /* elapsed and CPU time of the whole command; 0: unknown */
    uint64_t command_cpu_ns;
};

struct profiles_entry {
    uint32_t run, role, method; /* index, enum trace_role, text; the key */
    double weight;
};

struct profiles_call {
    uint32_t caller, callee; /* texts; the key */
};

struct profiles {
    struct text_set texts;
    struct keyed runs, entries, calls;
    bool shares; /* weights are shares of a run's time; else counts */
};

void profiles_init(struct profiles *profiles);
void profiles_free(struct profiles *profiles);

/* The number of a run, made if new, and weights added to an entry or times to a run; KEYED_FULL and ENOMEM without
 * memory. */
uint32_t profiles_run(struct profiles *profiles, const char *profiler, const char *name);
int profiles_add(struct profiles *profiles, uint32_t run, uint32_t role, uint32_t method, double weight);
int profiles_add_call(struct profiles *profiles, uint32_t caller, uint32_t callee);

/* Adds all of other's to profiles. 0 or ENOMEM. */
int profiles_join(struct profiles *profiles, const struct profiles *other);

/* Where one profiler has a method with its parameters, "f(int)", and another one only "f", both become "f" in `into`,
 * which is empty and to be freed in either case. *count: the number of such methods; 0: `into` is not filled. 0 or
 * ENOMEM. O(entries + calls). */
int profiles_level_names(const struct profiles *profiles, struct profiles *into, size_t *count);

/* Converts to JSON (NULL without memory), and back into empty profiles: 0, ENOMEM or EINVAL. */
json_t *profiles_save(const struct profiles *profiles);
int profiles_load(struct profiles *profiles, const json_t *saved);

/* Whether a calls b, directly or indirectly, along the calls that any profile has seen. O(calls of the walk · methods).
 */
bool profiles_calls(const struct profiles *profiles, uint32_t caller, uint32_t callee);

#endif
