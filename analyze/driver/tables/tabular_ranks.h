/*
 * tabular_ranks.h - a program on tables as one of the ranks of an MPI job (mpirun -n 8 assay anova big.csv): all parse
 * parts of the tables (struct rows_share), and rank 0 reports, in the same bytes as one process.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_TABULAR_RANKS_H
#define ASSAY_ANALYZE_DRIVER_TABLES_TABULAR_RANKS_H

#include "analyze/driver/cluster.h"
#include "table/read/rows.h"

struct tabular_ranks {
    struct cluster cluster;
    struct rows_share share;
    bool idle; /* nothing to do for this rank */
};

/* Joins the job, if this process belongs to one. Then common->paths are those of rank 0, and common->jobs is set. Ranks
 * other than 0 are idle if they can't read what rank 0 can: its standard input or another pipe. Returns 0, or 1 with a
 * line on stderr; the process must then exit with 1, which ends the job. */
int tabular_ranks_join(struct tabular_ranks *ranks, const char *program, struct common *common);
void tabular_ranks_leave(struct tabular_ranks *ranks);

/* For rows_request.share; NULL if this rank reads on its own. */
const struct rows_share *tabular_ranks_share(const struct tabular_ranks *ranks);

#endif
