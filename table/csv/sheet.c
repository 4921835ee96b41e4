#include "table/csv/sheet.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sheet *sheet_new(void)
{
    return calloc(1, sizeof(struct sheet));
}

void sheet_free(struct sheet *sheet)
{
    if (!sheet)
        return;
    for (size_t i = 0; i < sheet->column_count; i++)
        free(sheet->names[i]);
    for (size_t i = 0; i < sheet->row_count * sheet->column_count; i++)
        free(sheet->cells[i]);
    free(sheet->names);
    free(sheet->cells);
    free(sheet);
}

size_t sheet_column(const struct sheet *sheet, const char *name)
{
    for (size_t i = 0; i < sheet->column_count; i++)
        if (strcmp(sheet->names[i], name) == 0)
            return i;
    return SHEET_NONE;
}

const char *sheet_cell(const struct sheet *sheet, size_t row, size_t column)
{
    assert(row < sheet->row_count);
    return sheet->cells[row * sheet->column_count + column];
}

bool sheet_number(const struct sheet *sheet, size_t row, size_t column, double *value)
{
    const char *text = sheet_cell(sheet, row, column);
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

int sheet_report_line(const struct sheet *sheet, const char *lacks, struct error_text *message)
{
    char has[200] = "";
    for (size_t i = 0; i < sheet->column_count; i++)
        error_list(has, sizeof has, sheet->names[i]);
    return error_set(message, STATUS_BAD, "lacks the column%s %s; it has: %s", strchr(lacks, ',') ? "s" : "", lacks,
                     has);
}

/* The new name of column i: its alias, empty if another column takes its name, its own otherwise. */
static const char *alias_new_name(const struct sheet *sheet, size_t i, const struct sheet_alias *aliases, size_t count)
{
    const char *name = sheet->names[i];
    for (size_t k = 0; k < count; k++)
        if (strcmp(aliases[k].column, name) == 0)
            return aliases[k].name;
    for (size_t k = 0; k < count; k++)
        if (strcmp(aliases[k].name, name) == 0)
            return "";
    return name;
}

int sheet_rename(struct sheet *sheet, const struct sheet_alias *aliases, size_t count, struct error_text *message)
{
    for (size_t k = 0; k < count; k++)
        if (sheet_column(sheet, aliases[k].column) == SHEET_NONE)
            return sheet_report_line(sheet, aliases[k].column, message);
    char **names = calloc(sheet->column_count + 1, sizeof *names);
    bool good = names;
    for (size_t i = 0; good && i < sheet->column_count; i++)
        good = (names[i] = strdup(alias_new_name(sheet, i, aliases, count)));
    char **old = good ? sheet->names : names;
    for (size_t i = 0; old && i < sheet->column_count; i++)
        free(old[i]);
    free(old);
    if (!good)
        return error_set(message, STATUS_BAD, "out of memory");
    sheet->names = names;
    return STATUS_GOOD;
}

/* Cells are stored row by row, so a new column moves all of them: cheap enough, since columns come before rows. */
size_t sheet_add_column(struct sheet *sheet, const char *name)
{
    size_t old = sheet->column_count, found = sheet_column(sheet, name);
    if (found != SHEET_NONE)
        return found;
    char *copy = strdup(name);
    char **names = realloc(sheet->names, (old + 1) * sizeof *names);
    if (names)
        sheet->names = names;
    char **cells = calloc(sheet->row_count * (old + 1) + 1, sizeof *cells);
    if (!copy || !names || !cells) {
        free(copy);
        free(cells);
        return SHEET_NONE;
    }
    for (size_t row = 0; old && row < sheet->row_count; row++)
        memcpy(cells + row * (old + 1), sheet->cells + row * old, old * sizeof *cells);
    free(sheet->cells);
    sheet->cells = cells;
    sheet->capacity = sheet->row_count;
    sheet->names[old] = copy;
    return sheet->column_count++;
}

size_t sheet_add_row(struct sheet *sheet)
{
    size_t count = sheet->row_count;
    if (count == sheet->capacity) {
        size_t capacity = count ? 2 * count : 16;
        char **cells = realloc(sheet->cells, capacity * (sheet->column_count + 1) * sizeof *cells);
        if (!cells)
            return SHEET_NONE;
        sheet->cells = cells;
        sheet->capacity = capacity;
    }
    for (size_t i = 0; i < sheet->column_count; i++)
        sheet->cells[count * sheet->column_count + i] = NULL;
    return sheet->row_count++;
}

bool sheet_set(struct sheet *sheet, size_t row, size_t column, const char *text)
{
    char **cell = &sheet->cells[row * sheet->column_count + column];
    char *copy = strdup(text);
    if (!copy)
        return false;
    free(*cell);
    *cell = copy;
    return true;
}

static bool sheet_copy_row(struct sheet *sheet, const struct sheet *other, size_t row, const char *label)
{
    size_t to = sheet_add_row(sheet);
    if (to == SHEET_NONE || (label && !sheet_set(sheet, to, 0, label)))
        return false;
    for (size_t i = 0; i < other->column_count; i++) {
        const char *text = sheet_cell(other, row, i);
        if (text && !sheet_set(sheet, to, sheet_column(sheet, other->names[i]), text))
            return false;
    }
    return true;
}

bool sheet_stack(struct sheet *sheet, const char *label_column, const char *label, const struct sheet *other)
{
    if (label_column && sheet_add_column(sheet, label_column) == SHEET_NONE)
        return false;
    for (size_t i = 0; i < other->column_count; i++)
        if (sheet_add_column(sheet, other->names[i]) == SHEET_NONE)
            return false;
    for (size_t row = 0; row < other->row_count; row++)
        if (!sheet_copy_row(sheet, other, row, label_column ? label : NULL))
            return false;
    return true;
}
