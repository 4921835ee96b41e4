/*
 * rows_processes.h - reads a table in several processes that share it, as rows_harness.h reads it in one.
 */
#ifndef ASSAY_TESTS_TABLE_READ_ROWS_PROCESSES_H
#define ASSAY_TESTS_TABLE_READ_ROWS_PROCESSES_H

#include "tests/table/read/rows_harness.h"

#include "tests/table/read/processes.h"

static void (*in_rank)(int rank); /* called in ranks other than 0 before they read; NULL: nothing */

/* What a rank other than 0 does; the exit status tells whether it did more. */
static void be_rank(const struct rows_request *request, const char *const *paths, size_t count)
{
    struct rows_account account = {0};
    struct error_text message = {""};
    void *state = &account;
    int alive = records_alive;
    struct rows_request all = *request;
    all.paths = paths;
    all.path_count = count;
    if (in_rank)
        in_rank(request->share->rank);
    int status = rows_read(&all, &recorder, &state, &account, &message);
    _exit(status != 0 || state || *message.text || account.format || records_alive != alive);
}

static struct outcome read_in_ranks(const struct rows_request *request, const char *const *paths, size_t count,
                                    size_t part_bytes, int size)
{
    const struct rows_share share = {ranks_start(size), size, rank_send, rank_receive};
    struct rows_request shared = *request;
    shared.part_bytes = part_bytes;
    shared.share = &share;
    if (share.rank > 0)
        be_rank(&shared, paths, count);
    struct outcome outcome = read_files(&shared, paths, count, part_bytes);
    outcome.bad_ranks = ranks_end(size);
    return outcome;
}

#endif
