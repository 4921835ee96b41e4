/*
 * cluster_link.h - what programs need of MPI. A separate shared library provides it, so that they start without MPI if
 * it is not needed: libassay-mpi.so exports one `struct cluster_link` named assay_cluster_link.
 */
#ifndef ASSAY_ANALYZE_DRIVER_CLUSTER_LINK_H
#define ASSAY_ANALYZE_DRIVER_CLUSTER_LINK_H

#include <stddef.h>

#define CLUSTER_LINK_LIBRARY "libassay-mpi.so"
#define CLUSTER_LINK_SYMBOL "assay_cluster_link"

/* init() and finalize() are called by the main thread, all others by one thread at a time (MPI_THREAD_SERIALIZED). A
 * failure, lack of memory included, ends the whole job, as MPI does by default. */
struct cluster_link {
    /* Initializes MPI. rank: 0 … size−1; local_size: how many of the ranks are on this host, 1 … size. */
    void (*init)(int *rank, int *size, int *local_size);
    /* `size` bytes from rank 0 to all others. Called by all. */
    void (*share)(void *bytes, size_t size);
    /* Sends a message of any length to this rank; sender or receiver is rank 0. Returns when `bytes` may be reused, at
     * the latest when the message has been received. */
    void (*send)(int rank, const void *bytes, size_t size);
    /* Waits for the next message from this rank; sender or receiver is rank 0. Returns its *size bytes, to be freed. */
    char *(*receive)(int rank, size_t *size);
    void (*finalize)(void);
};

#endif
