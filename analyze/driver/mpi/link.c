/* libassay-mpi.so: see analyze/driver/cluster_link.h. */
#include <assert.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/driver/cluster_link.h"

/* The counts of MPI are ints. */
static const size_t PIECE = (size_t)1 << 30;

static void mpi_link_abort(const char *why)
{
    fprintf(stderr, "assay: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void mpi_link_init(int *rank, int *size, int *local_size)
{
    int given;
    MPI_Comm host;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
    if (given < MPI_THREAD_SERIALIZED)
        mpi_link_abort("this MPI was built without support of threads (MPI_THREAD_SERIALIZED)");
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, local_size);
    MPI_Comm_free(&host);
}

static int mpi_link_piece_size(size_t size, size_t at)
{
    assert(at < size);
    return (int)(size - at < PIECE ? size - at : PIECE);
}

static void mpi_link_broadcast(void *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Bcast((char *)bytes + at, mpi_link_piece_size(size, at), MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void mpi_link_send(int rank, const void *bytes, size_t size)
{
    uint64_t length = size;
    MPI_Send(&length, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD);
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Send((const char *)bytes + at, mpi_link_piece_size(size, at), MPI_BYTE, rank, 0, MPI_COMM_WORLD);
}

static char *mpi_link_receive(int rank, size_t *size)
{
    uint64_t length;
    MPI_Recv(&length, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char *bytes = malloc(length + 1);
    if (!bytes)
        mpi_link_abort("out of memory");
    for (size_t at = 0; at < length; at += PIECE)
        MPI_Recv(bytes + at, mpi_link_piece_size(length, at), MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *size = length;
    return bytes;
}

static void mpi_link_finalize(void)
{
    MPI_Finalize();
}

const struct cluster_link assay_cluster_link = {mpi_link_init, mpi_link_broadcast, mpi_link_send, mpi_link_receive,
                                                mpi_link_finalize};
