/* The merge reports what is wrong, so that is the first bad place in the order of the files, with its line. */
#include "analyze/rows/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/rows/rows_ranks.h"
#include "base/checksum.h"
#include "base/ordered.h"

enum { AHEAD = 4, THREADS_MAX = 1024 };

struct rows_crew {
    const struct rows_consumer *consumer;
    struct rows_reader reader;
    struct rows_ranks ranks;
    struct ordered order;
    void *total;
    struct rows_account account;
    uint64_t file_lines, file_rows; /* of the file whose parts are being merged; rows include those left out */
    int status;
    struct complaint complaint;
    int cut_status; /* of a part of another rank, in one other than 0 */
    struct complaint cut_complaint;
};

/* ------------------------------------------------------------------------------------------ merging -- */

static const char *place_word(enum rows_kind kind)
{
    return kind == ROWS_JSON_ARRAY ? "result" : kind == ROWS_SHEET ? "row" : "line";
}

/* "FILE: line 7, column 'time': '1,5' is not a number" */
static void describe_fault(const struct rows_crew *crew, const struct rows_result *result, struct complaint *complaint)
{
    const struct rows_fault *fault = &result->fault;
    uint64_t place = crew->file_lines + fault->place + 1;
    const char *path = result->table->path, *word = place_word(result->table->kind);
    if (fault->in_column)
        complain(complaint, 0, "%.150s: %s %" PRIu64 ", column '%.60s': %s", path, word, place, fault->column,
                 fault->what);
    else
        complain(complaint, 0, "%.150s: %s %" PRIu64 " %s", path, word, place, fault->what);
}

static void fail(struct rows_crew *crew, int status, const struct complaint *complaint)
{
    if (crew->status)
        return;
    crew->status = status;
    crew->complaint = *complaint;
}

static void fail_at_fault(struct rows_crew *crew, const struct rows_result *result)
{
    struct complaint text, whole;
    describe_fault(crew, result, &text);
    if (result->fault.fatal)
        fail(crew, STATUS_BAD, &text);
    else
        fail(crew,
             complain(&whole, STATUS_BAD, "%s; %s%sleave such rows out with --skip-bad", text.text, result->fault.hint,
                      *result->fault.hint ? ", or " : ""),
             &whole);
}

/* A group that has lost rows, unless it is known; `first`: it comes before all good rows so far. */
static void add_bad_group(struct rows_account *account, const char *name, bool first)
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

static void note_bad_groups(struct rows_account *account, const struct rows_result *result)
{
    size_t i;
    json_t *lost;
    for (i = 0; i < result->bad.count; i++)
        add_bad_group(account, result->bad.names[i], i == 0 && result->bad.first);
    if (result->first)
        json_array_foreach(result->table->bench.lost, i, lost) add_bad_group(
            account, json_string_value(json_object_get(lost, "name")), json_is_true(json_object_get(lost, "first")));
}

static void note_skipped(struct rows_crew *crew, const struct rows_result *result)
{
    struct rows_account *account = &crew->account;
    struct complaint text;
    uint64_t left_out = result->first ? result->table->bench.left_out : 0;
    if (left_out)
        complain(&text, 0, "%.150s: %s", result->table->path, result->table->bench.reason.text);
    else
        describe_fault(crew, result, &text);
    if (!account->skipped)
        snprintf(account->first_skipped, sizeof account->first_skipped, "%.299s", text.text);
    note_bad_groups(account, result);
    account->skipped += result->skipped + left_out;
    crew->file_rows += result->skipped + left_out;
}

static void end_file(struct rows_crew *crew, const struct rows_result *result)
{
    struct complaint complaint;
    const char *what =
        result->table->kind == ROWS_DELIMITED && result->table->lines ? "has a header but no rows" : "has no rows";
    if (crew->file_rows == 0)
        fail(crew, complain(&complaint, STATUS_BAD, "%.400s: %s", result->table->path, what), &complaint);
    crew->file_lines = crew->file_rows = 0;
}

static void join_state(struct rows_crew *crew, void *state)
{
    struct complaint complaint;
    if (!crew->total) {
        crew->total = state;
        return;
    }
    int status = crew->consumer->merge(crew->total, state, &complaint);
    if (status)
        fail(crew, status, &complaint);
}

static void note_doubt(struct rows_account *account, const struct rows_table *table)
{
    if (*table->doubt.text && !account->doubts++)
        snprintf(account->doubt, sizeof account->doubt, "%.100s: %.190s", table->path, table->doubt.text);
}

static void account_for(struct rows_crew *crew, const struct rows_result *result)
{
    if (!crew->account.format)
        crew->account.format = result->table->format;
    if (result->first) {
        crew->file_lines = result->table->lines;
        note_doubt(&crew->account, result->table);
    }
    if (result->fault.any && (result->fault.fatal || !crew->reader.request->skip_bad)) {
        fail_at_fault(crew, result);
        return;
    }
    if (result->skipped || (result->first && result->table->bench.left_out))
        note_skipped(crew, result);
    crew->account.rows += result->rows;
    crew->account.rounded += result->rounded;
    crew->account.blank += result->blank;
    crew->file_rows += result->rows + result->blank;
    crew->file_lines += result->lines;
    if (result->last)
        end_file(crew, result);
}

static bool merge_result(void *user, void *given)
{
    struct rows_crew *crew = user;
    struct rows_result *result = given;
    if (result->status)
        fail(crew, result->status, &result->complaint);
    if (!crew->status && result->table)
        account_for(crew, result);
    if (result->state && !crew->status)
        join_state(crew, result->state);
    else if (result->state)
        crew->consumer->free(result->state);
    return !crew->status;
}

/* ------------------------------------------------------------------------------------------ reading -- */

/* What a thread does next. */
struct turn {
    struct rows_part part;
    int owner; /* 0: to be parsed; else `message` has what it has given */
    struct rows_message message;
};

static bool take_part(void *user, void *given)
{
    struct rows_crew *crew = user;
    struct turn *turn = given;
    if (!rows_reader_next(&crew->reader, &turn->part))
        return false;
    turn->owner = rows_ranks_owner(&crew->ranks);
    if (turn->part.status || turn->part.fault.any)
        turn->owner = 0;
    if (turn->owner > 0)
        rows_ranks_receive(&crew->ranks, turn->owner, &turn->message);
    return true;
}

static void read_part(struct rows_crew *crew, struct rows_part *part, struct rows_sink *sink,
                      struct rows_result *result)
{
    *result = (struct rows_result){.table = part->table, .first = part->first, .last = part->last};
    result->fault = part->fault;
    result->status = part->status;
    result->complaint = part->complaint;
    if (part->status || part->fault.any)
        return;
    if (!sink->consumer && rows_sink_init(sink, crew->consumer, &crew->reader.columns, crew->reader.request) != 0) {
        rows_sink_free(sink);
        result->status = complain(&result->complaint, STATUS_BAD, "out of memory");
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
    result->complaint = sink->complaint;
}

static void *work(void *argument)
{
    struct rows_crew *crew = argument;
    struct turn turn = {0};
    struct rows_sink sink = {0};
    struct rows_result *result;
    while ((result = ordered_take(&crew->order, &turn))) {
        if (turn.owner > 0)
            rows_ranks_unpack(&turn.part, turn.owner, &turn.message, crew->consumer, &crew->reader.columns, result);
        else
            read_part(crew, &turn.part, &sink, result);
        ordered_done(&crew->order, result);
    }
    rows_sink_free(&sink);
    free(turn.part.text);
    return NULL;
}

/* ------------------------------------------------------------------------------------------ for rank 0 -- */

/* The next part of this rank. */
static bool take_own(void *user, void *given)
{
    struct rows_crew *crew = user;
    struct rows_part *part = given;
    while (rows_reader_next(&crew->reader, part)) {
        if (rows_ranks_owner(&crew->ranks) == crew->ranks.share->rank)
            return true;
        crew->cut_status = part->status;
        crew->cut_complaint = part->complaint;
    }
    return false;
}

static bool send_result(void *user, void *given)
{
    struct rows_crew *crew = user;
    const struct rows_message *message = given;
    struct complaint complaint;
    if (!message->bytes)
        fail(crew, complain(&complaint, STATUS_BAD, "out of memory"), &complaint);
    bool more = !crew->status && rows_ranks_send(&crew->ranks, message);
    free(message->bytes);
    return more;
}

static void *work_for_rank_0(void *argument)
{
    struct rows_crew *crew = argument;
    struct rows_part part = {0};
    struct rows_sink sink = {0};
    struct rows_result result;
    struct rows_message *message;
    while ((message = ordered_take(&crew->order, &part))) {
        uint32_t checksum = checksum_crc32c(part.text, part.length); /* reading changes the text */
        read_part(crew, &part, &sink, &result);
        rows_ranks_pack(&part, checksum, &result, crew->consumer, message);
        ordered_done(&crew->order, message);
    }
    rows_sink_free(&sink);
    free(part.text);
    return NULL;
}

/* ------------------------------------------------------------------------------------------ all of it -- */

/* No more threads than possible parts; compressed files may grow tenfold. */
static unsigned threads_for(const struct rows_reader *reader, unsigned jobs)
{
    uint64_t parts = 0;
    for (size_t i = 0; i < reader->path_count; i++) {
        struct stat file;
        if (stat(reader->paths[i], &file) != 0 || !S_ISREG(file.st_mode))
            return jobs;
        parts += 1 + 10 * (uint64_t)file.st_size / reader->part_bytes;
    }
    return parts < jobs ? (unsigned)parts : jobs;
}

static void run(struct rows_crew *crew, const struct ordered *order, unsigned jobs)
{
    struct complaint complaint;
    crew->order = *order;
    if (ordered_run(&crew->order, threads_for(&crew->reader, jobs)) != 0)
        fail(crew, complain(&complaint, STATUS_BAD, "out of memory"), &complaint);
}

/* The parts of other ranks are between its own. */
static void lead(struct rows_crew *crew, unsigned jobs)
{
    const struct ordered order = {take_part,
                                  merge_result,
                                  work,
                                  crew,
                                  sizeof(struct rows_result),
                                  .ahead = (uint64_t)AHEAD * jobs * (uint64_t)rows_ranks_size(&crew->ranks)};
    struct complaint complaint;
    if (!crew->status)
        run(crew, &order, jobs);
    int status = rows_ranks_stop(&crew->ranks, &complaint);
    if (status)
        fail(crew, status, &complaint);
    if (!crew->status && !crew->total && !crew->account.skipped)
        fail(crew,
             complain(&complaint, STATUS_BAD, "there is no value in '%.100s': all its cells are blank",
                      crew->reader.columns.values[0]),
             &complaint);
    else if (!crew->status && !crew->total)
        fail(crew,
             complain(&complaint, STATUS_BAD, "no row is left: %" PRIu64 " were left out, the first: %s",
                      crew->account.skipped, crew->account.first_skipped),
             &complaint);
}

static void follow(struct rows_crew *crew, unsigned jobs)
{
    const struct ordered order = {
        take_own, send_result, work_for_rank_0, crew, sizeof(struct rows_message), .ahead = (uint64_t)AHEAD * jobs};
    if (!crew->status)
        run(crew, &order, jobs);
    if (crew->cut_status)
        fail(crew, crew->cut_status, &crew->cut_complaint);
    rows_ranks_end(&crew->ranks, crew->status, &crew->complaint);
}

static void return_result(struct rows_crew *crew, void **state, struct rows_account *account)
{
    *state = crew->total;
    *account = crew->account;
    account->columns = crew->reader.columns;
    crew->reader.columns = (struct rows_columns){0};
}

int rows_read(const struct rows_request *request, const struct rows_consumer *consumer, void **state,
              struct rows_account *account, struct complaint *complaint)
{
    struct rows_crew crew = {.consumer = consumer};
    unsigned jobs = request->jobs < 1 ? 1 : request->jobs < THREADS_MAX ? request->jobs : THREADS_MAX;
    bool leads = !request->share || request->share->rank == 0;
    crew.status = rows_reader_open(&crew.reader, request, &crew.complaint);
    if (rows_ranks_init(&crew.ranks, request->share) != 0 && !crew.status)
        crew.status = complain(&crew.complaint, STATUS_BAD, "out of memory");
    if (leads)
        lead(&crew, jobs);
    else
        follow(&crew, jobs);
    if (!leads)
        *state = NULL;
    else if (!crew.status)
        return_result(&crew, state, account);
    else
        *complaint = crew.complaint;
    if (crew.status && crew.total)
        consumer->free(crew.total);
    if (!leads || crew.status)
        rows_account_free(&crew.account);
    rows_ranks_free(&crew.ranks);
    rows_reader_close(&crew.reader);
    return leads ? crew.status : STATUS_GOOD;
}
