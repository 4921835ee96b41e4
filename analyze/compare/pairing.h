/*
 * pairing.h - which value of a group belongs to which of its baseline: those with the same text in a column.
 */
#ifndef ASSAY_COMPARE_PAIRING_H
#define ASSAY_COMPARE_PAIRING_H

#include "analyze/driver/tables/groups.h"

/* Start with {0}; pairing_free() at the end, even after a failure. */
struct pairing {
    uint32_t *groups; /* [count] of each group and key: the group, */
    uint32_t *keys;   /* and the key */
    bool *present;    /* [count · values] whether it has a value */
    size_t count, key_count, value_count;
};

/* Takes the keys from the groups, whose last columns.within_count columns they are, and the means of values with the
 * same key (groups_take_means()). A status with a message. */
int pairing_init(struct pairing *pairing, struct groups *groups, struct error_text *message);
void pairing_free(struct pairing *pairing);

/* The values of a group and of its baseline that have a partner, in the group's order. Starts from {0}; series_free()
 * releases both, even after a failure. STATS_NO_MEMORY. O(count). */
enum stats_status pairing_match(const struct pairing *pairing, const struct groups *groups, const size_t group[2],
                                size_t value, struct series matched[2]);

#endif
