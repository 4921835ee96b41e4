/*
 * steady_part.h - leaves out what processes measured before their steady state, as `assay warmup` finds it: --steady.
 *
 * Each value column of a process is a series of its own. One without a steady state, or with fewer than WARMUP_N_MIN
 * values, is left out whole.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_STEADY_PART_H
#define ASSAY_ANALYZE_DRIVER_TABLES_STEADY_PART_H

#include "analyze/cli/report.h"
#include "analyze/driver/tables/groups.h"
#include "base/error_text.h"
#include "stats/inference/warmup.h"

/* What became of the series of a process in a value column. */
struct steady_cut {
    size_t iterations; /* 0: it has none */
    size_t before;     /* left out, of these; all of them if it is left out whole */
    bool unsteady;     /* no steady state */
    bool short_one;    /* too few iterations to say */
};

/* Drops these values. The groups are processes, before groups_take_means(), and keep values. *cuts: [groups->count ·
 * value_count], to be freed by free(). STATUS_USAGE if nothing says which values are of one process, STATUS_BAD if no
 * value is left, with a message. O(values), and what warmup_of_series() takes. */
int steady_part_keep(struct groups *groups, const struct warmup_options *options, struct steady_cut **cuts,
                     struct error_text *message);

/* A note for each value column that counts what was left out of `process_count` processes, and a warning about each
 * group that has lost processes. `groups` as they are reported; into[process_count]: the group of each
 * process; NULL: each is a group. A status with a message. */
int steady_part_report(const struct steady_cut *cuts, size_t process_count, const uint32_t *into,
                       const struct groups *groups, struct report *report, struct error_text *message);

/* Whether a group has no value left in any value column. */
bool steady_part_is_empty(const struct groups *groups, size_t group);

#endif
