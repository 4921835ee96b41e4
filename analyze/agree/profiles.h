/*
 * profiles.h - profiles that several profilers took of the same program: the weight of each method, in each run of each
 * profiler.
 *
 * From traces a weight is a number of samples in which the method ran (self), by their role, so that
 * profilers that see different populations can be compared on their common part. From tables it is a share of the run's
 * time. Memory: runs × roles × methods that occur together, and calls between methods.
 */
#ifndef ASSAY_AGREE_PROFILES_H
#define ASSAY_AGREE_PROFILES_H

#include "analyze/driver/relations.h"
#include "trace/names/sample_role.h"

struct profiles_run {
    uint32_t profiler, name; /* texts; the key */
    uint64_t cpu_ns;         /* CPU time between consecutive samples of its threads, if known */
    uint64_t sampled_ns;     /* the time that these samples represent: their number times the clock's period */
    uint64_t wall_ns;        /* elapsed and CPU time of the whole command; 0: unknown */
    uint64_t command_cpu_ns;
};

struct profiles_entry {
    uint32_t run, role, method; /* index, role below SAMPLE_ROLES, text; the key */
    double weight;
};

struct profiles_call {
    uint32_t caller, callee; /* texts; the key */
};

enum { PROFILES_RUNS, PROFILES_ENTRIES, PROFILES_CALLS, PROFILES_RELATIONS };
extern const struct relation profiles_relations[PROFILES_RELATIONS];

struct profiles {
    struct relations relations;
    bool shares; /* weights are shares of a run's time; else counts */
};

static inline size_t profiles_run_count(const struct profiles *profiles)
{
    return relations_count(&profiles->relations, PROFILES_RUNS);
}
static inline struct profiles_run *profiles_run_at(const struct profiles *profiles, size_t i)
{
    return relations_at(&profiles->relations, PROFILES_RUNS, i);
}
static inline size_t profiles_entry_count(const struct profiles *profiles)
{
    return relations_count(&profiles->relations, PROFILES_ENTRIES);
}
static inline const struct profiles_entry *profiles_entry_at(const struct profiles *profiles, size_t i)
{
    return relations_at(&profiles->relations, PROFILES_ENTRIES, i);
}
static inline size_t profiles_call_count(const struct profiles *profiles)
{
    return relations_count(&profiles->relations, PROFILES_CALLS);
}
static inline const struct profiles_call *profiles_call_at(const struct profiles *profiles, size_t i)
{
    return relations_at(&profiles->relations, PROFILES_CALLS, i);
}
static inline const char *profiles_text(const struct profiles *profiles, uint32_t text)
{
    return relations_text_at(&profiles->relations, text);
}

/* Whether any profiler has a name. O(runs). */
bool profiles_know_profilers(const struct profiles *profiles);

void profiles_init(struct profiles *profiles);
void profiles_free(struct profiles *profiles);

/* The number of a run, made if new, and weights added to an entry or times to a run; FIELD_NONE and ENOMEM without
 * memory. */
uint32_t profiles_run(struct profiles *profiles, const char *profiler, const char *name);
int profiles_add(struct profiles *profiles, uint32_t run, uint32_t role, uint32_t method, double weight);
int profiles_add_call(struct profiles *profiles, uint32_t caller, uint32_t callee);

/* Where one profiler has a method with its parameters, "f(int)", and another one only "f", both become "f" in `into`,
 * which is empty and to be freed in either case. *count: the number of such methods; 0: `into` is not filled. 0 or
 * ENOMEM. O(entries + calls). */
int profiles_level_names(const struct profiles *profiles, struct profiles *into, size_t *count);

/* Whether a calls b, directly or indirectly, along the calls that any profile has seen. O(calls of the walk · methods).
 */
bool profiles_calls(const struct profiles *profiles, uint32_t caller, uint32_t callee);

#endif
