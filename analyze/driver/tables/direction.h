/*
 * direction.h - is more of a measured value better or worse, and what is it called?
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_DIRECTION_H
#define ASSAY_ANALYZE_DRIVER_TABLES_DIRECTION_H

#include "analyze/driver/tables/groups.h"

enum direction_kind {
    DIRECTION_TIMES,
    DIRECTION_RATES,
    DIRECTION_SIZES,
    DIRECTION_AMOUNTS,
    DIRECTION_SCORES, /* more is better */
    DIRECTION_COSTS   /* less is better */
};
bool direction_more_is_better(enum direction_kind kind);

/* What a user says: value columns, units or texts of groups of which more is better. */
struct direction {
    const char *const *higher; /* [higher_count] */
    size_t higher_count;
};

/* The kind of a group's values in a value column: by what the user or the file says, else by their unit, else by the
 * column's name. A value of which nothing is known counts as a time. O(1). */
enum direction_kind direction_of(const struct direction *direction, const struct groups *groups, size_t group,
                                 size_t value);

/* The first name that is neither a value column, a unit nor a text of a group; NULL if all are. */
const char *direction_unknown(const struct direction *direction, const struct groups *groups);

#endif
