/*
 * processes.h - ranks of a job without MPI, for rows_request.share: processes connected with rank 0 by sockets.
 */
#ifndef ASSAY_TESTS_TABLE_READ_PROCESSES_H
#define ASSAY_TESTS_TABLE_READ_PROCESSES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MOST = 8, RANKS_SECONDS = 600 };
static int wires[RANKS_MOST]; /* to each rank */
static pid_t processes[RANKS_MOST];

static void rank_send(int rank, const void *bytes, size_t size)
{
    const char *from = bytes;
    if (write(wires[rank], &size, sizeof size) != (ssize_t)sizeof size)
        _exit(9);
    for (size_t at = 0; at < size;) {
        ssize_t count = write(wires[rank], from + at, size - at);
        if (count <= 0)
            _exit(9);
        at += (size_t)count;
    }
}

static char *rank_receive(int rank, size_t *size)
{
    if (recv(wires[rank], size, sizeof *size, MSG_WAITALL) != (ssize_t)sizeof *size)
        _exit(9);
    char *bytes = malloc(*size + 1);
    if (*size > 0 && recv(wires[rank], bytes, *size, MSG_WAITALL) != (ssize_t)*size)
        _exit(9);
    return bytes;
}

/* Starts ranks 1 … size−1. Returns the rank: 0 in the process that calls this. A rank that hangs is killed. */
static int ranks_start(int size)
{
    int pair[2];
    fflush(stdout);
    alarm(RANKS_SECONDS);
    for (int rank = 1; rank < size; rank++) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || (processes[rank] = fork()) < 0) {
            printf("Bail out! no process for another rank\n");
            exit(1);
        }
        bool is_new = processes[rank] == 0;
        wires[is_new ? 0 : rank] = pair[is_new];
        close(pair[!is_new]);
        if (is_new) {
            alarm(RANKS_SECONDS);
            return rank;
        }
    }
    return 0;
}

/* The number of ranks that did not exit with 0. */
static int ranks_end(int size)
{
    int bad = 0, status;
    for (int rank = 1; rank < size; rank++) {
        bad += waitpid(processes[rank], &status, 0) != processes[rank] || status != 0;
        close(wires[rank]);
    }
    alarm(0);
    return bad;
}

#endif
