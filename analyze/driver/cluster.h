/*
 * cluster.h - an analyzer as one of the ranks of an MPI job (mpirun -n 8 assay hot …): each takes some of the traces,
 * rank 0 joins the states in the order of the paths and reports. The result has the same bytes as that of one process.
 * Programs on tables share out parts of these (analyze/driver/tables/table_ranks.h).
 */
#ifndef ASSAY_ANALYZE_DRIVER_CLUSTER_H
#define ASSAY_ANALYZE_DRIVER_CLUSTER_H

#include "analyze/driver/cluster_link.h"
#include "analyze/driver/driver.h"

struct cluster {
    int rank, size; /* 0 and 1 outside a job */
    int local_size; /* ranks on this host */
    const struct cluster_link *link;
};

/* Between these two a follower writes nothing to standard output and error, so that only one rank reports errors in the
 * command line. One that exits with an error between them first waits for up to 10 s, since its end may end rank 0
 * before that has reported the error. No effect in any other process. */
void cluster_hush(void);
void cluster_unhush(void);

/* Joins the job that this process is in, if it is one of several ranks (started by the mpirun of the MPI that assay was
 * built with, or by Slurm with its PMIx). Returns 0, or 1 with a line on stderr: this build has no MPI, or another. */
int cluster_join(struct cluster *cluster, const char *program);
void cluster_leave(struct cluster *cluster);

/* Threads for this rank: its share of the processors that it may use. ≥ 1. */
long cluster_processors(const struct cluster *cluster);

/* Sets common->paths to those of rank 0. The texts live until the process ends. Returns 0 or ENOMEM. */
int cluster_broadcast_paths(const struct cluster *cluster, struct common *common);

/* Sets settings->paths to this rank's part of those of rank 0, which are sorted: a contiguous range, so that all ranks
 * get about the same number of bytes. The texts live until the process ends. Returns 0 or ENOMEM. */
int cluster_share_paths(const struct cluster *cluster, struct settings *settings);

/* A rank other than 0 sends its state, or why it has none (`error`, an errno value), with what the report needs to know
 * of the inputs. */
void cluster_send(const struct cluster *cluster, const struct settings *settings, const struct inputs *inputs,
                  void *state, int error);
/* Rank 0 adds what the others send to inputs and state (NULL: only to inputs), with a line on stderr for those that
 * failed. Returns 0, or EINVAL if one did. */
int cluster_gather(const struct cluster *cluster, const struct settings *settings, struct inputs *inputs, void *state);

#endif
