/* An MPI program: ranks smooth a field and exchange their edges. Argument: steps in hundreds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 20000 };

static double field[2][CELLS + 2];

__attribute__((noinline)) static double smooth(const double *from, double *to)
{
    double change = 0;
    for (int i = 1; i <= CELLS; i++) {
        to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) / 4;
        change += (to[i] - from[i]) * (to[i] - from[i]);
    }
    return change;
}

int main(int argc, char **argv)
{
    int rank, count, steps = argc > 1 ? 100 * atoi(argv[1]) : 10000;
    double change = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    for (int i = 0; i < CELLS + 2; i++)
        field[0][i] = (i * 7 + rank) % 13;
    for (int step = 0; step < steps; step++) {
        double *now = field[step % 2], *next = field[1 - step % 2];
        int right = (rank + 1) % count, left = (rank + count - 1) % count;
        MPI_Sendrecv(&now[CELLS], 1, MPI_DOUBLE, right, 0, &now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        change = smooth(now, next);
        if (step % 100 == 0)
            MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%g\n", all);
    MPI_Finalize();
    return 0;
}
