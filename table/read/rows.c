/* The merge reports what is wrong, so that is the first bad place in the order of the files, with its line. */
#include "table/read/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "table/read/rows_ranks.h"
#include "base/checksum.h"
#include "base/ordered.h"

enum { AHEAD = 4, THREADS_MAX = 1024 };

struct rows_workers {
    const struct rows_consumer *consumer;
    struct rows_reader reader;
    struct rows_ranks ranks;
    struct ordered order;
    void *total;
    struct rows_account account;
    uint64_t file_lines, file_rows; /* of the file whose parts are being merged; rows include those left out */
    int status;
    struct error_text message;
    int cut_status; /* of a part of another rank, in one other than 0 */
    struct error_text cut_message;
};

/* ------------------------------------------------------------------------------------------ merging -- */

/* "FILE: line 7, column 'time': '1,5' is not a number" */
static void rows_describe_fault(const struct rows_workers *workers, const struct rows_result *result,
                                struct error_text *error)
{
    const struct rows_fault *fault = &result->fault;
    uint64_t position = workers->file_lines + fault->position + 1;
    enum rows_kind kind = result->table->kind;
    const char *path = result->table->path;
    const char *word = kind == ROWS_JSON_ARRAY ? "result" : kind == ROWS_HARNESS ? "row" : "line";
    if (fault->in_column)
        error_set(error, 0, "%.150s: %s %" PRIu64 ", column '%.60s': %s", path, word, position, fault->column,
                  fault->what);
    else
        error_set(error, 0, "%.150s: %s %" PRIu64 " %s", path, word, position, fault->what);
}

static void rows_fail(struct rows_workers *workers, int status, const struct error_text *error)
{
    if (workers->status)
        return;
    workers->status = status;
    workers->message = *error;
}

/* A group that has lost rows, unless it is known; `first`: it comes before all good rows so far. */
static void rows_add_bad_group(struct rows_account *account, const char *name, bool first)
{
    for (size_t i = 0; i < account->bad_group_count; i++)
        if (strcmp(account->bad_groups[i], name) == 0)
            return;
    char **groups = realloc(account->bad_groups, (account->bad_group_count + 1) * sizeof *groups);
    if (!groups)
        return;
    account->bad_groups = groups;
    if (!(groups[account->bad_group_count] = strdup(name)))
        return;
    if (account->bad_group_count++ == 0)
        account->first_is_bad = first && account->rows == 0;
}

static void rows_note_skipped(struct rows_workers *workers, const struct rows_result *result)
{
    struct rows_account *account = &workers->account;
    struct error_text text;
    size_t i;
    json_t *lost;
    uint64_t left_out = result->first ? result->table->bench.left_out : 0;
    if (left_out)
        error_set(&text, 0, "%.150s: %s", result->table->path, result->table->bench.reason.text);
    else
        rows_describe_fault(workers, result, &text);
    if (!account->skipped)
        snprintf(account->first_skipped, sizeof account->first_skipped, "%.299s", text.text);
    for (i = 0; i < result->bad.count; i++)
        rows_add_bad_group(account, result->bad.names[i], i == 0 && result->bad.first);
    if (result->first)
        json_array_foreach(result->table->bench.lost, i, lost) rows_add_bad_group(
            account, json_string_value(json_object_get(lost, "name")), json_is_true(json_object_get(lost, "first")));
    account->skipped += result->skipped + left_out;
    workers->file_rows += result->skipped + left_out;
}

static void rows_account_result(struct rows_workers *workers, const struct rows_result *result)
{
    struct rows_account *account = &workers->account;
    const struct rows_table *table = result->table;
    if (!account->format)
        account->format = table->format;
    if (result->first) {
        workers->file_lines = table->lines;
        if (*table->doubt.text && !account->doubts++)
            snprintf(account->doubt, sizeof account->doubt, "%.100s: %.190s", table->path, table->doubt.text);
    }
    if (result->fault.any && (result->fault.fatal || !workers->reader.request->skip_bad)) {
        struct error_text text, whole;
        rows_describe_fault(workers, result, &text);
        if (result->fault.fatal)
            rows_fail(workers, STATUS_BAD, &text);
        else
            rows_fail(workers,
                      error_set(&whole, STATUS_BAD, "%s; %s%sleave such rows out with --skip-bad", text.text,
                                result->fault.hint, *result->fault.hint ? ", or " : ""),
                      &whole);
        return;
    }
    if (result->skipped || (result->first && table->bench.left_out))
        rows_note_skipped(workers, result);
    account->rows += result->rows;
    account->rounded += result->rounded;
    account->blank += result->blank;
    workers->file_rows += result->rows + result->blank;
    workers->file_lines += result->lines;
    if (result->last) {
        struct error_text error;
        const char *what =
            result->table->kind == ROWS_DELIMITED && result->table->lines ? "has a header but no rows" : "has no rows";
        if (workers->file_rows == 0)
            rows_fail(workers, error_set(&error, STATUS_BAD, "%.400s: %s", result->table->path, what), &error);
        workers->file_lines = workers->file_rows = 0;
    }
}

static bool rows_merge_result(void *user, void *given)
{
    struct rows_workers *workers = user;
    struct rows_result *result = given;
    struct error_text error;
    int status;
    if (result->status)
        rows_fail(workers, result->status, &result->message);
    if (!workers->status && result->table)
        rows_account_result(workers, result);
    if (result->state && workers->status)
        workers->consumer->free(result->state);
    else if (result->state && !workers->total)
        workers->total = result->state;
    else if (result->state && (status = workers->consumer->merge(workers->total, result->state, &error)) != 0)
        rows_fail(workers, status, &error);
    return !workers->status;
}

/* ------------------------------------------------------------------------------------------ reading -- */

/* What a thread does next. */
struct turn {
    struct rows_part part;
    int owner; /* 0: to be parsed; else `message` has what it has given */
    struct rows_message message;
};

static bool rows_next_part(void *user, void *given)
{
    struct rows_workers *workers = user;
    struct turn *turn = given;
    if (!rows_reader_next(&workers->reader, &turn->part))
        return false;
    turn->owner = rows_ranks_owner(&workers->ranks);
    if (turn->part.status || turn->part.fault.any)
        turn->owner = 0;
    if (turn->owner > 0)
        rows_ranks_receive(&workers->ranks, turn->owner, &turn->message);
    return true;
}

static void rows_read_part(struct rows_workers *workers, struct rows_part *part, struct rows_sink *sink,
                           struct rows_result *result)
{
    *result = (struct rows_result){.table = part->table, .first = part->first, .last = part->last};
    result->fault = part->fault;
    result->status = part->status;
    result->message = part->message;
    if (part->status || part->fault.any)
        return;
    if (!sink->consumer &&
        rows_sink_init(sink, workers->consumer, &workers->reader.columns, workers->reader.request) != 0) {
        rows_sink_free(sink);
        result->status = error_set(&result->message, STATUS_BAD, "out of memory");
        return;
    }
    result->lines = rows_part_read(part, sink);
    result->state = sink->state;
    result->rows = sink->rows;
    result->skipped = sink->skipped;
    result->blank = sink->blank;
    result->rounded = sink->rounded;
    result->fault = sink->fault;
    result->bad = sink->bad;
    result->status = sink->status;
    result->message = sink->message;
}

static void *rows_run_worker(void *argument)
{
    struct rows_workers *workers = argument;
    struct turn turn = {0};
    struct rows_sink sink = {0};
    struct rows_result *result;
    while ((result = ordered_take(&workers->order, &turn))) {
        if (turn.owner > 0)
            rows_ranks_unpack(&turn.part, turn.owner, &turn.message, workers->consumer, &workers->reader.columns,
                              result);
        else
            rows_read_part(workers, &turn.part, &sink, result);
        ordered_done(&workers->order, result);
    }
    rows_sink_free(&sink);
    free(turn.part.text);
    return NULL;
}

/* ------------------------------------------------------------------------------------------ for rank 0 -- */

/* The next part of this rank. */
static bool rows_next_own_part(void *user, void *given)
{
    struct rows_workers *workers = user;
    struct rows_part *part = given;
    while (rows_reader_next(&workers->reader, part)) {
        if (rows_ranks_owner(&workers->ranks) == workers->ranks.share->rank)
            return true;
        workers->cut_status = part->status;
        workers->cut_message = part->message;
    }
    return false;
}

static bool rows_send_result(void *user, void *given)
{
    struct rows_workers *workers = user;
    const struct rows_message *message = given;
    struct error_text error;
    if (!message->bytes)
        rows_fail(workers, error_set(&error, STATUS_BAD, "out of memory"), &error);
    bool more = !workers->status && rows_ranks_send(&workers->ranks, message);
    free(message->bytes);
    return more;
}

static void *rows_run_rank_worker(void *argument)
{
    struct rows_workers *workers = argument;
    struct rows_part part = {0};
    struct rows_sink sink = {0};
    struct rows_result result;
    struct rows_message *message;
    while ((message = ordered_take(&workers->order, &part))) {
        uint32_t checksum = checksum_crc32c(part.text, part.length); /* reading changes the text */
        rows_read_part(workers, &part, &sink, &result);
        rows_ranks_pack(&part, checksum, &result, workers->consumer, message);
        ordered_done(&workers->order, message);
    }
    rows_sink_free(&sink);
    free(part.text);
    return NULL;
}

/* ------------------------------------------------------------------------------------------ all of it -- */

/* No more threads than possible parts; compressed files may grow tenfold. */
static void rows_run_workers(struct rows_workers *workers, const struct ordered *order, unsigned jobs)
{
    struct error_text error;
    uint64_t parts = 0;
    for (size_t i = 0; i < workers->reader.path_count && parts < jobs; i++) {
        struct stat file;
        if (stat(workers->reader.paths[i], &file) == 0 && S_ISREG(file.st_mode))
            parts += 1 + 10 * (uint64_t)file.st_size / workers->reader.part_bytes;
        else
            parts = jobs;
    }
    workers->order = *order;
    if (ordered_run(&workers->order, parts < jobs ? (unsigned)parts : jobs) != 0)
        rows_fail(workers, error_set(&error, STATUS_BAD, "out of memory"), &error);
}

/* The parts of other ranks are between its own. */
static void rows_run_leader(struct rows_workers *workers, unsigned jobs)
{
    const struct ordered order = {rows_next_part,
                                  rows_merge_result,
                                  rows_run_worker,
                                  workers,
                                  sizeof(struct rows_result),
                                  .ahead = (uint64_t)AHEAD * jobs * (uint64_t)rows_ranks_size(&workers->ranks)};
    struct error_text error;
    if (!workers->status)
        rows_run_workers(workers, &order, jobs);
    int status = rows_ranks_stop(&workers->ranks, &error);
    if (status)
        rows_fail(workers, status, &error);
    if (!workers->status && !workers->total && !workers->account.skipped)
        rows_fail(workers,
                  error_set(&error, STATUS_BAD, "there is no value in '%.100s': all its cells are blank",
                            workers->reader.columns.values[0]),
                  &error);
    else if (!workers->status && !workers->total)
        rows_fail(workers,
                  error_set(&error, STATUS_BAD, "no row is left: %" PRIu64 " were left out, the first: %s",
                            workers->account.skipped, workers->account.first_skipped),
                  &error);
}

int rows_read(const struct rows_request *request, const struct rows_consumer *consumer, void **state,
              struct rows_account *account, struct error_text *error)
{
    struct rows_workers workers = {.consumer = consumer};
    unsigned jobs = request->jobs < 1 ? 1 : request->jobs < THREADS_MAX ? request->jobs : THREADS_MAX;
    bool leads = !request->share || request->share->rank == 0;
    workers.status = rows_reader_open(&workers.reader, request, &workers.message);
    if (rows_ranks_init(&workers.ranks, request->share) != 0 && !workers.status)
        workers.status = error_set(&workers.message, STATUS_BAD, "out of memory");
    if (leads)
        rows_run_leader(&workers, jobs);
    else {
        const struct ordered order = {rows_next_own_part,          rows_send_result,
                                      rows_run_rank_worker,        &workers,
                                      sizeof(struct rows_message), .ahead = (uint64_t)AHEAD * jobs};
        if (!workers.status)
            rows_run_workers(&workers, &order, jobs);
        if (workers.cut_status)
            rows_fail(&workers, workers.cut_status, &workers.cut_message);
        rows_ranks_end(&workers.ranks, workers.status, &workers.message);
    }
    if (!leads) {
        *state = NULL;
    } else if (!workers.status) {
        *state = workers.total;
        *account = workers.account;
        account->columns = workers.reader.columns;
        account->mixed = workers.reader.pools.reason;
        account->mixed_count = workers.reader.pools.count;
        workers.reader.columns = (struct rows_columns){0};
    } else {
        *error = workers.message;
    }
    if (workers.status && workers.total)
        consumer->free(workers.total);
    if (!leads || workers.status)
        rows_account_free(&workers.account);
    rows_ranks_free(&workers.ranks);
    rows_reader_close(&workers.reader);
    return leads ? workers.status : STATUS_GOOD;
}
