/*
 * rows_harness.h - reads a table with rows_read() into a text, one line per row: "TEXT,TEXT: VALUE VALUE".
 */
#ifndef ASSAY_TESTS_TABLE_READ_ROWS_HARNESS_H
#define ASSAY_TESTS_TABLE_READ_ROWS_HARNESS_H

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "table/read/rows_parts.h"
#include "tests/tap.h"

/* The result of reading. */
struct outcome {
    int status;
    char *text; /* of all rows; "" if there are none */
    char message[sizeof((struct error_text){0}.text)];
    struct rows_account account; /* {0} unless status is 0 */
    char columns[512];           /* "GROUP,GROUP: VALUE VALUE" */
    int bad_ranks;               /* rows_processes.h: ranks that had a result, complained, kept a state or hung */
};

struct record {
    char *text;
    size_t length, capacity;
    const struct rows_columns *columns;
};

/* How a recording consumer fails, to test that. */
enum record_fault { RECORD_GOOD, RECORD_NO_INIT, RECORD_NO_FEED, RECORD_NO_MERGE };
static enum record_fault record_fault;
static bool record_reduced; /* 15e-1 for 1.50 */
static int records_alive;
static pthread_mutex_t records_lock = PTHREAD_MUTEX_INITIALIZER;

static void count_record(int change)
{
    pthread_mutex_lock(&records_lock);
    records_alive += change;
    pthread_mutex_unlock(&records_lock);
}

static void record_add(struct record *record, const char *text, size_t length)
{
    while (record->length + length + 1 > record->capacity) {
        record->capacity = record->capacity ? 2 * record->capacity : 256;
        record->text = realloc(record->text, record->capacity);
    }
    memcpy(record->text + record->length, text, length);
    record->length += length;
    record->text[record->length] = '\0';
}

static int record_init(void **state, const struct rows_columns *columns, const void *own)
{
    (void)own;
    if (record_fault == RECORD_NO_INIT)
        return STATUS_BAD;
    struct record *record = calloc(1, sizeof *record);
    record->columns = columns;
    record_add(record, "", 0);
    count_record(1);
    *state = record;
    return 0;
}

static void record_free(void *state)
{
    struct record *record = state;
    count_record(-1);
    free(record->text);
    free(record);
}

static void record_row(struct record *record, const struct rows_batch *batch, size_t row, const char *const *texts)
{
    size_t groups = record->columns->group_count;
    char number[64];
    for (size_t c = 0; c < groups; c++) {
        const char *text = texts[batch->group[row] * groups + c];
        record_add(record, text, strlen(text));
        record_add(record, c + 1 < groups ? "," : ": ", c + 1 < groups ? 1 : 2);
    }
    for (size_t v = 0; v < record->columns->value_count; v++) {
        struct decimal value = batch->values[v][row];
        for (; record_reduced && value.digits % 10 == 0 && value.digits != 0; value.exponent++)
            value.digits /= 10;
        if (record_reduced && value.digits == 0)
            value.exponent = 0;
        int length = snprintf(number, sizeof number, "%s%" PRId64 "e%d", v ? " " : "", value.digits, value.exponent);
        record_add(record, number, (size_t)length);
    }
    record_add(record, "\n", 1);
}

static int record_feed(void *state, const struct rows_batch *batch, const char *const *texts, uint32_t group_total,
                       struct error_text *error)
{
    if (record_fault == RECORD_NO_FEED)
        return error_set(error, STATUS_BAD, "feeding fails");
    if (batch->row_count < 1 || batch->row_count > ROWS_BATCH)
        return error_set(error, STATUS_BAD, "a batch of %zu rows", batch->row_count);
    for (size_t row = 0; row < batch->row_count; row++) {
        if (batch->group[row] >= group_total)
            return error_set(error, STATUS_BAD, "group %u of %u", batch->group[row], group_total);
        record_row(state, batch, row, texts);
    }
    return 0;
}

static int record_merge(void *state, void *later, struct error_text *error)
{
    struct record *record = later;
    int status = record_fault == RECORD_NO_MERGE ? error_set(error, STATUS_BAD, "merging fails") : 0;
    record_add(state, record->text, record->length);
    record_free(later);
    return status;
}

static int record_save(const void *state, FILE *to)
{
    const struct record *record = state;
    return fwrite(record->text, 1, record->length + 1, to) == record->length + 1 ? 0 : STATUS_BAD;
}

static int record_load(void **state, const struct rows_columns *columns, const void *own, FILE *from)
{
    char piece[4096];
    if (record_init(state, columns, own) != 0)
        return STATUS_BAD;
    for (size_t got; (got = fread(piece, 1, sizeof piece, from)) > 0;)
        record_add(*state, piece, got - (piece[got - 1] == '\0'));
    return 0;
}

static const struct rows_consumer recorder = {record_init, record_feed, record_merge, record_free,
                                              record_save, record_load, NULL};

static void describe_columns(const struct rows_columns *columns, char text[512])
{
    *text = '\0';
    for (size_t g = 0; g < columns->group_count; g++) {
        strcat(text, columns->groups[g]);
        strcat(text, g + 1 < columns->group_count ? "," : ": ");
    }
    for (size_t v = 0; v < columns->value_count; v++) {
        strcat(text, v ? " " : "");
        strcat(text, columns->values[v]);
    }
}

static struct outcome read_files(const struct rows_request *request, const char *const *paths, size_t count,
                                 size_t part_bytes)
{
    struct outcome outcome = {0};
    struct error_text error = {""};
    void *state = NULL;
    struct rows_request in_parts = *request;
    in_parts.paths = paths;
    in_parts.path_count = count;
    in_parts.part_bytes = part_bytes;
    outcome.status = rows_read(&in_parts, &recorder, &state, &outcome.account, &error);
    snprintf(outcome.message, sizeof outcome.message, "%s", error.text);
    if (outcome.status) {
        outcome.text = strdup(state || outcome.account.format ? "touched" : "");
        return outcome;
    }
    outcome.text = strdup(((struct record *)state)->text);
    describe_columns(&outcome.account.columns, outcome.columns);
    record_free(state);
    return outcome;
}

static void outcome_free(struct outcome *outcome)
{
    free(outcome->text);
    rows_account_free(&outcome->account);
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0) {
        printf("Bail out! %s can't be written\n", path);
        exit(1);
    }
}

static inline struct outcome read_bytes(const struct rows_request *request, const char *text, size_t length,
                                        size_t part_bytes)
{
    static const char *const paths[] = {"table"};
    write_file("table", text, length);
    return read_files(request, paths, 1, part_bytes);
}

/* Files are written into a directory of their own, so that messages hold bare names. */
static char test_directory[64];

static void enter_directory(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(test_directory, sizeof test_directory, "%.40s/assay-rows-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(test_directory) || chdir(test_directory) != 0) {
        printf("Bail out! no directory for the test's files\n");
        exit(1);
    }
}

static void leave_directory(const char *const *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        unlink(files[i]);
    if (chdir("/") != 0 || rmdir(test_directory) != 0)
        printf("# %s is left\n", test_directory);
}

#endif
