/* Files, one after the other, as parts of whole rows. */
#include "table/import/bench_directory.h"
#include "table/read/rows_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------ the files -- */

static const char *rows_shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int rows_compare_paths(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    bool x_stdin = strcmp(x, "-") == 0, y_stdin = strcmp(y, "-") == 0;
    return x_stdin != y_stdin ? y_stdin - x_stdin : strcmp(x, y);
}

int rows_reader_open(struct rows_reader *reader, const struct rows_request *request, struct error_text *message)
{
    static const char *const only_stdin[] = {"-"};
    const char *const *paths = request->path_count ? request->paths : only_stdin;
    size_t path_count = request->path_count ? request->path_count : 1;
    *reader = (struct rows_reader){.request = request,
                                   .path_count = path_count,
                                   .part_bytes = request->part_bytes ? request->part_bytes : ROWS_PART_BYTES};
    reader->paths = calloc(path_count, sizeof *reader->paths);
    reader->tables = calloc(path_count, sizeof *reader->tables);
    if (!reader->paths || !reader->tables)
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t i = 0; i < path_count; i++)
        reader->paths[i] = paths[i];
    qsort(reader->paths, path_count, sizeof *reader->paths, rows_compare_paths);

    /* A missing file should not surface after an hour's work. */
    struct stat *files = calloc(path_count, sizeof *files);
    int status = files ? STATUS_GOOD : error_set(message, STATUS_BAD, "out of memory");
    for (size_t i = 0; !status && i < path_count; i++) {
        const char *path = reader->paths[i];
        bool from_stdin = strcmp(path, "-") == 0;
        int result = from_stdin ? fstat(STDIN_FILENO, &files[i]) : stat(path, &files[i]);
        if (result != 0 || (!from_stdin && access(path, R_OK) != 0))
            status = error_set(message, STATUS_BAD, "%.400s: %s", rows_shown_path(path), strerror(errno));
        for (size_t j = 0; !status && j < i; j++) {
            bool same =
                files[i].st_dev == files[j].st_dev && files[i].st_ino == files[j].st_ino && S_ISREG(files[i].st_mode);
            if (same || strcmp(path, reader->paths[j]) == 0)
                status = error_set(message, STATUS_USAGE, "%.200s: is the same file as %.200s; name it once",
                                   rows_shown_path(path), rows_shown_path(reader->paths[j]));
        }
    }
    free(files);
    return status;
}

void rows_reader_close(struct rows_reader *reader)
{
    for (size_t i = 0; i < reader->table_count; i++) {
        rows_table_free(reader->tables[i]);
        free(reader->tables[i]);
    }
    rows_source_close(reader->source);
    rows_columns_free(&reader->columns);
    rows_pools_free(&reader->pools);
    free(reader->pending.bytes);
    free(reader->tables);
    free(reader->paths);
    *reader = (struct rows_reader){0};
}

/* ------------------------------------------------------------------------------------------ text -- */

static bool rows_grow_buffer(char **bytes, size_t *capacity, size_t wanted)
{
    if (*capacity >= wanted)
        return true;
    char *grown = realloc(*bytes, wanted);
    if (!grown)
        return false;
    *bytes = grown;
    *capacity = wanted;
    return true;
}

/* Reads from text[*length] on, up to `size`; less only at the end. Errors of the file are reported when it is their
 * turn. */
static void rows_reader_fill_source(struct rows_reader *reader, char *text, size_t size, size_t *length)
{
    size_t got = 0;
    assert(*length <= size);
    if (*length == size || reader->damage)
        return;
    reader->damage = rows_source_read(reader->source, text + *length, size - *length, &got, &reader->damage_message);
    *length += got;
}

/* Makes consumed text pending again. Text that is still pending directly follows it. */
static bool rows_reader_unread(struct rows_reader *reader, const char *text, size_t length)
{
    struct rows_pending *pending = &reader->pending;
    if (pending->length > 0) {
        pending->start -= length;
        pending->length += length;
        return true;
    }
    if (!rows_grow_buffer(&pending->bytes, &pending->capacity, length))
        return false;
    memcpy(pending->bytes, text, length);
    pending->start = 0;
    pending->length = length;
    return true;
}

/* ------------------------------------------------------------------------------------------ a file begins -- */

/* Reads as much as is needed to detect the file's format. */
static int rows_reader_detect(struct rows_reader *reader, struct rows_table *table, struct error_text *message)
{
    struct rows_pending *pending = &reader->pending;
    size_t size = ROWS_HEAD_BYTES, used = 0;
    int status = ROWS_MORE;
    pending->start = pending->length = 0;
    for (; status == ROWS_MORE; size *= 2) {
        if (!rows_grow_buffer(&pending->bytes, &pending->capacity, size))
            return error_set(message, STATUS_BAD, "out of memory");
        rows_reader_fill_source(reader, pending->bytes, size, &pending->length);
        bool ended = pending->length < size;
        if (ended && reader->damage) {
            *message = reader->damage_message;
            return reader->damage;
        }
        const struct rows_head head = {pending->bytes, pending->length, ended};
        status = rows_detect(&head, table, &used, message);
    }
    pending->start = used;
    pending->length -= used;
    return status;
}

static void rows_reader_close_source(struct rows_reader *reader)
{
    rows_source_close(reader->source);
    reader->source = NULL;
}

/* The columns requested by number. */
static uint64_t rows_requested_numbers(const char *const *names, size_t count)
{
    uint64_t positions = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned long number = names[i][strspn(names[i], "0123456789")] ? 0 : strtoul(names[i], NULL, 10);
        if (number >= 1 && number <= 64)
            positions |= UINT64_C(1) << (number - 1);
    }
    return positions;
}

/* Whether the format implies that each file is a group of its own. */
static bool rows_is_group_by_itself(const struct rows_table *table, const struct rows_request *request)
{
    return table->bench.meaning.each_file && request->whole_groups_default && request->group_count == 0;
}

static int rows_reader_begin_file(struct rows_reader *reader, struct error_text *message)
{
    const char *path = reader->paths[reader->next++];
    struct rows_table *table = calloc(1, sizeof *table);
    struct stat file;
    int status;
    if (!table)
        return error_set(message, STATUS_BAD, "out of memory");
    reader->tables[reader->table_count++] = table;
    table->path = rows_shown_path(path);
    table->header = reader->request->header;
    table->whole_processes = reader->request->whole_processes;
    table->positions = rows_requested_numbers(reader->request->values, reader->request->value_count) |
                       rows_requested_numbers(reader->request->groups, reader->request->group_count) |
                       rows_requested_numbers(reader->request->within, reader->request->within_count);
    reader->damage = STATUS_GOOD;
    reader->at_first = true;
    if (strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISDIR(file.st_mode)) {
        int fd = bench_directory_open(path, message); /* of some tools' results: becomes a document */
        status = fd < 0 ? STATUS_BAD : rows_source_take(fd, &reader->source, message);
    } else {
        status = rows_source_open(path, &reader->source, message);
    }
    if (!status)
        status = rows_reader_detect(reader, table, message);
    if (status)
        return status;
    const struct rows_request *request = reader->request;
    bool first = reader->columns.value_count == 0, by_file = reader->columns.by_file;
    if (first)
        by_file = reader->path_count > 1 && (request->one_series_a_file || rows_is_group_by_itself(table, request));
    status = rows_resolve(table, request, by_file, rows_shown_path(reader->paths[0]), &reader->columns, message);
    if (status)
        return status;
    reader->columns.by_file = by_file;
    rows_pools_add(&reader->pools, table, reader->columns.group_count);
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ a part -- */

/* The rest of the file: its last line may lack a newline, but a line that damage cut is not a row. */
static void rows_reader_cut_rest(struct rows_reader *reader, struct rows_part *part, size_t length, size_t whole)
{
    assert(whole <= length);
    if (reader->damage) {
        length = whole;
        part->last = false;
    } else {
        rows_reader_close_source(reader);
        part->last = true;
    }
    if (length > 0 && part->text[length - 1] != '\n')
        part->text[length++] = '\n';
    part->length = length;
}

static int rows_reader_next_rows(struct rows_reader *reader, struct rows_part *part)
{
    const struct rows_table *table = part->table;
    if (table->kind == ROWS_JSON_ARRAY || table->kind == ROWS_HARNESS) {
        rows_reader_close_source(reader);
        part->last = true;
        return STATUS_GOOD;
    }
    if (reader->damage && reader->pending.length == 0) {
        part->message = reader->damage_message;
        return reader->damage;
    }
    /* Rows of at least one part's size, and more if a row is longer. */
    char delimiter = table->kind == ROWS_JSON_LINES ? '\t' : table->delimiter;
    size_t length = 0, whole = 0;
    for (size_t size = reader->part_bytes; whole == 0; size *= 2) {
        if (!rows_grow_buffer(&part->text, &part->capacity, size + 1 + ROWS_SLACK))
            return error_set(&part->message, STATUS_BAD, "out of memory");
        /* The text continues up to `size`, first with pending text. */
        char *text = part->text;
        struct rows_pending *pending = &reader->pending;
        size_t take = size - length < pending->length ? size - length : pending->length;
        memcpy(text + length, pending->bytes + pending->start, take);
        pending->start += take;
        pending->length -= take;
        length += take;
        rows_reader_fill_source(reader, text, size, &length);
        whole = rows_split_whole(part->text, length, delimiter);
        if (length < size) {
            rows_reader_cut_rest(reader, part, length, whole);
            return STATUS_GOOD;
        }
        if (whole == 0 && size >= ROWS_LONGEST) {
            part->fault = (struct rows_fault){.any = true, .fatal = true};
            snprintf(part->fault.what, sizeof part->fault.what,
                     "begins a row of more than %d MB, or a quote that is not closed", ROWS_LONGEST >> 20);
            return STATUS_GOOD;
        }
    }
    if (!rows_reader_unread(reader, part->text + whole, length - whole))
        return error_set(&part->message, STATUS_BAD, "out of memory");
    part->length = whole;
    return STATUS_GOOD;
}

bool rows_reader_next(struct rows_reader *reader, struct rows_part *part)
{
    if (reader->failed || (!reader->source && reader->next == reader->path_count))
        return false;
    part->table = NULL;
    part->length = 0;
    part->last = false;
    part->fault.any = false;
    part->status = reader->source ? STATUS_GOOD : rows_reader_begin_file(reader, &part->message);
    part->first = reader->at_first;
    reader->at_first = false;
    if (!part->status) {
        part->table = reader->tables[reader->table_count - 1];
        part->status = rows_reader_next_rows(reader, part);
    }
    if (part->status)
        error_prefix(&part->message, rows_shown_path(reader->paths[reader->next - 1]));
    reader->failed = part->status || part->fault.any;
    return true;
}
