/*
 * table_ranks.h - a program on tables as one of the ranks of an MPI job (mpirun -n 8 assay anova big.csv): all parse
 * parts of the tables (struct rows_share), and rank 0 reports, in the same bytes as one process.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_TABLE_RANKS_H
#define ASSAY_ANALYZE_DRIVER_TABLES_TABLE_RANKS_H

#include "analyze/driver/cluster.h"
#include "table/read/rows.h"

struct table_ranks {
    struct cluster cluster;
    struct rows_share share;
    bool idle; /* nothing to do for this rank */
};

/* Joins the job, if this process belongs to one. Then common->paths are those of rank 0, and common->jobs is set. Ranks
 * other than 0 are idle if they can't read what rank 0 can: its standard input or another pipe. Returns 0, or 1 with a
 * line on stderr; the process must then exit with 1, which ends the job. */
int table_ranks_join(struct table_ranks *ranks, const char *program, struct common *common);
void table_ranks_leave(struct table_ranks *ranks);

/* For rows_request.share; NULL if this rank reads on its own. */
const struct rows_share *table_ranks_share(const struct table_ranks *ranks);

#endif
