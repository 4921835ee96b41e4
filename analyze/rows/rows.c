/* The merge reports what is wrong, so that is the first bad place in the order of the files, with its line. */
#include "analyze/rows/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analyze/rows/rows_parts.h"
#include "base/ordered.h"

enum { AHEAD = 4, THREADS_MAX = 1024 };

/* The result of a part. */
struct rows_result {
    const struct rows_table *table;
    bool first, last;
    void *state; /* NULL: no rows */
    uint64_t rows, skipped, blank, rounded, lines;
    struct rows_fault fault;
    int status;
    struct complaint complaint;
};

struct rows_crew {
    const struct rows_consumer *consumer;
    struct rows_reader reader;
    struct ordered order;
    void *total;
    struct rows_account account;
    uint64_t file_lines, file_rows; /* of the file whose parts are being merged; rows include those left out */
    int status;
    struct complaint complaint;
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
    if (fault->column)
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
    if (!crew->status && result->table)
        account_for(crew, result);
    if (result->status)
        fail(crew, result->status, &result->complaint);
    if (result->state && !crew->status)
        join_state(crew, result->state);
    else if (result->state)
        crew->consumer->free(result->state);
    return !crew->status;
}

/* ------------------------------------------------------------------------------------------ reading -- */

static bool take_part(void *user, void *part)
{
    struct rows_crew *crew = user;
    return rows_reader_next(&crew->reader, part);
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
    result->status = sink->status;
    result->complaint = sink->complaint;
}

static void *work(void *argument)
{
    struct rows_crew *crew = argument;
    struct rows_part part = {0};
    struct rows_sink sink = {0};
    struct rows_result *result;
    while ((result = ordered_take(&crew->order, &part))) {
        read_part(crew, &part, &sink, result);
        ordered_done(&crew->order, result);
    }
    rows_sink_free(&sink);
    free(part.text);
    return NULL;
}

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

static void run(struct rows_crew *crew, unsigned jobs)
{
    struct complaint complaint;
    crew->order = (struct ordered){
        take_part, merge_result, work, crew, sizeof(struct rows_result), .ahead = (uint64_t)AHEAD * jobs};
    if (ordered_run(&crew->order, threads_for(&crew->reader, jobs)) != 0)
        fail(crew, complain(&complaint, STATUS_BAD, "out of memory"), &complaint);
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

int rows_read(const struct rows_request *request, const char *const *paths, size_t path_count,
              const struct rows_consumer *consumer, void **state, struct rows_account *account,
              struct complaint *complaint)
{
    struct rows_crew crew = {.consumer = consumer};
    unsigned jobs = request->jobs < 1 ? 1 : request->jobs < THREADS_MAX ? request->jobs : THREADS_MAX;
    crew.status = rows_reader_open(&crew.reader, request, paths, path_count, &crew.complaint);
    if (!crew.status)
        run(&crew, jobs);
    if (crew.status) {
        *complaint = crew.complaint;
        if (crew.total)
            consumer->free(crew.total);
    } else {
        *state = crew.total;
        *account = crew.account;
        account->columns = crew.reader.columns;
        crew.reader.columns = (struct rows_columns){0};
    }
    rows_reader_close(&crew.reader);
    return crew.status;
}
