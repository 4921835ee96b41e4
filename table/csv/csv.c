#include "table/csv/csv.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct csv *csv_new(void)
{
    return calloc(1, sizeof(struct csv));
}

void csv_free(struct csv *csv)
{
    if (!csv)
        return;
    for (size_t i = 0; i < csv->column_count; i++)
        free(csv->names[i]);
    for (size_t i = 0; i < csv->row_count * csv->column_count; i++)
        free(csv->cells[i]);
    free(csv->names);
    free(csv->cells);
    free(csv);
}

size_t csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->column_count; i++)
        if (strcmp(csv->names[i], name) == 0)
            return i;
    return CSV_NONE;
}

const char *csv_cell(const struct csv *csv, size_t row, size_t column)
{
    assert(row < csv->row_count);
    return csv->cells[row * csv->column_count + column];
}

bool csv_varies(const struct csv *csv, size_t column)
{
    const char *first = csv->row_count ? csv_cell(csv, 0, column) : NULL;
    for (size_t row = 1; row < csv->row_count; row++) {
        const char *text = csv_cell(csv, row, column);
        if (!text != !first || (text && strcmp(text, first) != 0))
            return true;
    }
    return false;
}

bool csv_number(const struct csv *csv, size_t row, size_t column, double *value)
{
    const char *text = csv_cell(csv, row, column);
    *value = NAN;
    if (!text || strcmp(text, "-") == 0)
        return true;
    char *end;
    double number = strtod(text, &end);
    if (end == text || end[strspn(end, " ")])
        return false;
    if (isfinite(number))
        *value = number;
    return true;
}

int csv_report_line(const struct csv *csv, const char *lacks, struct error_text *message)
{
    char has[200] = "";
    for (size_t i = 0; i < csv->column_count; i++)
        error_list(has, sizeof has, csv->names[i]);
    return error_set(message, STATUS_BAD, "lacks the column%s %s; it has: %s", strchr(lacks, ',') ? "s" : "", lacks,
                     has);
}

int csv_rename(struct csv *csv, const struct csv_alias *aliases, size_t count, struct error_text *message)
{
    for (size_t k = 0; k < count; k++)
        if (csv_column(csv, aliases[k].column) == CSV_NONE)
            return csv_report_line(csv, aliases[k].column, message);
    char **names = calloc(csv->column_count + 1, sizeof *names);
    bool good = names;
    for (size_t i = 0; good && i < csv->column_count; i++) {
        /* A column gets its alias, an empty name if another column takes its own, and otherwise keeps its own. */
        const char *name = csv->names[i];
        for (size_t k = 0; k < count && name == csv->names[i]; k++)
            if (strcmp(aliases[k].column, csv->names[i]) == 0)
                name = aliases[k].name;
        for (size_t k = 0; k < count && name == csv->names[i]; k++)
            if (strcmp(aliases[k].name, csv->names[i]) == 0)
                name = "";
        good = (names[i] = strdup(name));
    }
    char **old = good ? csv->names : names;
    for (size_t i = 0; old && i < csv->column_count; i++)
        free(old[i]);
    free(old);
    if (!good)
        return error_set(message, STATUS_BAD, "out of memory");
    csv->names = names;
    return STATUS_GOOD;
}

/* Cells are stored row by row, so a new column moves all of them: cheap enough, since columns come before rows. */
size_t csv_add_column(struct csv *csv, const char *name)
{
    size_t old = csv->column_count, found = csv_column(csv, name);
    if (found != CSV_NONE)
        return found;
    char *copy = strdup(name);
    char **names = realloc(csv->names, (old + 1) * sizeof *names);
    if (names)
        csv->names = names;
    char **cells = calloc(csv->row_count * (old + 1) + 1, sizeof *cells);
    if (!copy || !names || !cells) {
        free(copy);
        free(cells);
        return CSV_NONE;
    }
    for (size_t row = 0; old && row < csv->row_count; row++)
        memcpy(cells + row * (old + 1), csv->cells + row * old, old * sizeof *cells);
    free(csv->cells);
    csv->cells = cells;
    csv->capacity = csv->row_count;
    csv->names[old] = copy;
    return csv->column_count++;
}

size_t csv_add_row(struct csv *csv)
{
    size_t count = csv->row_count;
    if (count == csv->capacity) {
        size_t capacity = count ? 2 * count : 16;
        char **cells = realloc(csv->cells, capacity * (csv->column_count + 1) * sizeof *cells);
        if (!cells)
            return CSV_NONE;
        csv->cells = cells;
        csv->capacity = capacity;
    }
    for (size_t i = 0; i < csv->column_count; i++)
        csv->cells[count * csv->column_count + i] = NULL;
    return csv->row_count++;
}

bool csv_set(struct csv *csv, size_t row, size_t column, const char *text)
{
    char **cell = &csv->cells[row * csv->column_count + column];
    char *copy = strdup(text);
    if (!copy)
        return false;
    free(*cell);
    *cell = copy;
    return true;
}

bool csv_stack(struct csv *csv, const char *label_column, const char *label, const struct csv *other)
{
    if (label_column && csv_add_column(csv, label_column) == CSV_NONE)
        return false;
    for (size_t i = 0; i < other->column_count; i++)
        if (csv_add_column(csv, other->names[i]) == CSV_NONE)
            return false;
    for (size_t row = 0; row < other->row_count; row++) {
        size_t to = csv_add_row(csv);
        if (to == CSV_NONE || (label_column && label && !csv_set(csv, to, 0, label)))
            return false;
        for (size_t i = 0; i < other->column_count; i++) {
            const char *text = csv_cell(other, row, i);
            if (text && !csv_set(csv, to, csv_column(csv, other->names[i]), text))
                return false;
        }
    }
    return true;
}
