#include "collect/inject/inject_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/replace.h"

/* ------------------------------------------------------------------------------------------ columns -- */

enum kind { TEXT, OWN_TEXT, AMOUNT, COUNT, CALLS, TIME, FINE_TIME };

static const struct column {
    const char *name;
    enum kind kind;
    size_t offset, size;
} columns[] = {
#define COLUMN(name, kind)                                                                                             \
    {                                                                                                                  \
#name, kind, offsetof(struct inject_row, name), sizeof((struct inject_row *)0)->name                           \
    }
    COLUMN(method, OWN_TEXT), COLUMN(work, OWN_TEXT),      COLUMN(amount, AMOUNT),    COLUMN(run, COUNT),
    COLUMN(program_ms, TIME), COLUMN(cpu_ms, TIME),        COLUMN(calls, CALLS),      COLUMN(injected_ms, FINE_TIME),
    COLUMN(compiled, TEXT),   COLUMN(inlined, TEXT),       COLUMN(size_class, TEXT),  COLUMN(guard, TEXT),
    COLUMN(status, TEXT),     COLUMN(jvm_ms, TIME),        COLUMN(jvm_cpu_ms, TIME),  COLUMN(java_cpu_ms, TIME),
    COLUMN(bytes, AMOUNT),    COLUMN(start_java_ms, TIME), COLUMN(command, OWN_TEXT),
#undef COLUMN
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

/* ------------------------------------------------------------------------------------------ writing -- */

static void inject_table_print_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void inject_table_print_field(FILE *file, const struct inject_row *row, const struct column *column)
{
    const void *field = (const char *)row + column->offset;
    double time;
    switch (column->kind) {
    case TEXT:
        inject_table_print_text(file, field);
        break;
    case OWN_TEXT:
        inject_table_print_text(file, *(char *const *)field);
        break;
    case AMOUNT:
        fprintf(file, "%" PRIu32, *(const uint32_t *)field);
        break;
    case CALLS: /* without work nothing counts them */
        if (row->amount == 0)
            break;
        __attribute__((fallthrough));
    case COUNT:
        fprintf(file, "%" PRIu64, *(const uint64_t *)field);
        break;
    case TIME:
    case FINE_TIME: /* little work in few calls takes less than a microsecond */
        time = *(const double *)field;
        if (isfinite(time))
            fprintf(file, "%.*f", column->kind == FINE_TIME ? 6 : 3, time);
        break;
    }
}

int inject_table_print(const struct inject_table *table, FILE *file)
{
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        fprintf(file, "%s%s", c ? "," : "", columns[c].name);
    putc('\n', file);
    for (size_t r = 0; r < table->count; r++)
        for (size_t c = 0; c < COLUMN_COUNT; c++) {
            inject_table_print_field(file, &table->rows[r], &columns[c]);
            putc(c + 1 < COLUMN_COUNT ? ',' : '\n', file);
        }
    return fflush(file) != 0 || ferror(file) ? (errno ? errno : EIO) : 0;
}

int inject_table_save(const struct inject_table *table, const char *path)
{
    char *temporary = replace_name(path);
    if (!temporary)
        return ENOMEM;
    errno = 0;
    FILE *file = replace_create_stream(temporary);
    int error = file ? inject_table_print(table, file) : errno;
    if (file && fclose(file) != 0 && !error)
        error = errno;
    if (file)
        error = replace_end(temporary, path, error);
    free(temporary);
    return error;
}

/* ------------------------------------------------------------------------------------------ reading -- */

/* The next field of a CSV record into `field`, unquoted in place; *more: another one follows. Quoted fields may hold
 * newlines. Returns the start of the next one, NULL if a quote is not closed. */
static char *inject_table_next_field(char *at, char **field, bool *more)
{
    char *out = at;
    *field = at;
    if (*at == '"') {
        for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
            at += *at == '"';
            *out++ = *at;
        }
        if (*at++ != '"')
            return NULL;
    } else {
        at = out += strcspn(at, ",\r\n");
    }
    *more = *at == ',';
    char *next = at + strspn(at, *more ? "," : "\r\n");
    if (*more)
        next = at + 1;
    *out = '\0';
    return next;
}

static bool inject_table_parse_field(struct inject_row *row, const struct column *column, const char *text)
{
    void *field = (char *)row + column->offset;
    char *end = NULL;
    errno = 0;
    switch (column->kind) {
    case TEXT:
        return (size_t)snprintf(field, column->size, "%s", text) < column->size;
    case OWN_TEXT:
        return (*(char **)field = strdup(text)) != NULL;
    case AMOUNT:
        *(uint32_t *)field = (uint32_t)strtoul(text, &end, 10);
        break;
    case CALLS:
        if (!*text)
            return true;
        __attribute__((fallthrough));
    case COUNT:
        *(uint64_t *)field = strtoull(text, &end, 10);
        break;
    case TIME:
    case FINE_TIME:
        *(double *)field = *text ? strtod(text, &end) : NAN;
        if (!*text)
            return true;
        break;
    }
    return end && end != text && !*end && !errno;
}

static void inject_row_free(struct inject_row *row)
{
    free(row->method);
    free(row->work);
    free(row->command);
}

static int inject_table_read_rows(struct inject_table *table, char *at, struct error_text *message)
{
    for (size_t number = 1; *at; number++) {
        struct inject_row row = {0};
        int status = STATUS_GOOD;
        for (size_t c = 0; c < COLUMN_COUNT && !status; c++) {
            char *field;
            bool more;
            at = inject_table_next_field(at, &field, &more);
            if (!at || !inject_table_parse_field(&row, &columns[c], field) || more != (c + 1 < COLUMN_COUNT))
                status = error_set(message, STATUS_BAD, "row %zu, column %s: not what assay inject writes", number,
                                   columns[c].name);
        }
        if (!status && !inject_table_put(table, &row))
            status = error_set(message, STATUS_BAD, "out of memory");
        if (status) {
            inject_row_free(&row);
            return status;
        }
    }
    return STATUS_GOOD;
}

int inject_table_read(struct inject_table *table, const char *path, struct error_text *message)
{
    *table = (struct inject_table){0};
    char *text = NULL;
    size_t capacity = 0;
    bool good;
    errno = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", strerror(errno));
    ssize_t length = getdelim(&text, &capacity, '\0', file);
    fclose(file);
    if (length < 0) {
        free(text);
        return STATUS_GOOD; /* empty */
    }
    char *at = text;
    good = true;
    for (size_t c = 0; c < COLUMN_COUNT && good; c++) {
        char *name;
        bool more;
        at = inject_table_next_field(at, &name, &more);
        good = at && strcmp(name, columns[c].name) == 0 && more == (c + 1 < COLUMN_COUNT);
    }
    char *rows = at;
    int status = good ? inject_table_read_rows(table, rows, message)
                      : error_set(message, STATUS_BAD,
                                  "it holds something other than a table of assay inject; choose another -o");
    free(text);
    return status;
}

/* -------------------------------------------------------------------------------------------- rows -- */

struct inject_row *inject_table_find(const struct inject_table *table, const char *method, const char *work,
                                     uint32_t amount, uint64_t run)
{
    for (size_t r = 0; r < table->count; r++) {
        struct inject_row *row = &table->rows[r];
        if (row->amount == amount && row->run == run && strcmp(row->method, method) == 0 &&
            strcmp(row->work, work) == 0)
            return row;
    }
    return NULL;
}

bool inject_table_put(struct inject_table *table, const struct inject_row *row)
{
    struct inject_row *old = inject_table_find(table, row->method, row->work, row->amount, row->run);
    if (old) {
        inject_row_free(old);
        *old = *row;
        return true;
    }
    struct inject_row *grown = grow_unset(table->rows, &table->capacity, table->count, sizeof *grown);
    if (!grown)
        return false;
    table->rows = grown;
    table->rows[table->count++] = *row;
    return true;
}

void inject_table_free(struct inject_table *table)
{
    for (size_t r = 0; r < table->count; r++)
        inject_row_free(&table->rows[r]);
    free(table->rows);
    *table = (struct inject_table){0};
}
