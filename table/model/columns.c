#include "table/model/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool column_is_shown(const struct column *column, enum columns_view view, unsigned given)
{
    static const enum column_readers others[] = {[COLUMNS_MACHINE] = COLUMN_HUMAN, [COLUMNS_HUMAN] = COLUMN_MACHINE};
    bool wanted = view == COLUMNS_FIGURE ? column->figure != NULL : column->readers != others[view];
    return wanted && (column->when == 0 || (column->when & given) != 0);
}

size_t columns_list(const struct columns *columns, enum columns_view view, unsigned given, struct table_column *list)
{
    size_t count = 0;
    for (size_t c = 0; c < columns->count; c++) {
        const struct column *column = &columns->items[c];
        if (column_is_shown(column, view, given))
            list[count++] = (struct table_column){view == COLUMNS_FIGURE ? column->figure : column->name, column->type};
    }
    return count;
}

struct table *columns_table(const struct columns *columns, enum columns_view view, unsigned given)
{
    struct table_column *list = calloc(columns->count + 1, sizeof *list);
    struct table *table = list ? table_new(list, columns_list(columns, view, given, list)) : NULL;
    free(list);
    return table;
}

bool columns_differ(const struct columns *columns)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->items[c].readers != COLUMN_ALL)
            return true;
    return false;
}

bool columns_have_figure(const struct columns *columns)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->items[c].figure)
            return true;
    return false;
}

static void column_add_cell(const struct column *column, struct table *table, const void *row)
{
    const void *value = (const char *)row + column->offset;
    const char *text;
    const struct column_estimate *estimate;
    if (column->present && !*((const bool *)row + column->present)) {
        table_blank(table);
        return;
    }
    switch (column->type) {
    case TABLE_TEXT:
    case TABLE_LINES:
        memcpy(&text, value, sizeof text);
        if (text)
            table_text(table, text);
        else
            table_blank(table);
        break;
    case TABLE_COUNT:
    case TABLE_BYTES:
        table_count(table, *(const uint64_t *)value);
        break;
    case TABLE_REAL:
        if (column->half_width)
            table_rounded(table, *(const double *)value,
                          table_places(*(const double *)(const void *)((const char *)row + column->half_width)));
        else
            table_real(table, *(const double *)value);
        break;
    case TABLE_SHARE:
        table_real(table, *(const double *)value);
        break;
    case TABLE_ESTIMATE:
        estimate = value;
        table_estimate(table, estimate->value, estimate->low, estimate->high);
        break;
    }
}

void columns_add(struct table *table, const struct columns *columns, enum columns_view view, unsigned given,
                 const void *row)
{
    for (size_t c = 0; c < columns->count; c++)
        if (column_is_shown(&columns->items[c], view, given))
            column_add_cell(&columns->items[c], table, row);
}

/* Words, and after the last one `end`, fill lines, which begin with so many spaces. */
static void columns_print_wrapped(FILE *out, const char *text, const char *end, int indent)
{
    enum { WIDTH = 80 };
    for (int at = 0; *text; text += strspn(text, " ")) {
        int length = (int)strcspn(text, " ");
        const char *after = text[length] ? "" : end;
        int width = length + (int)strlen(after);
        if (at > 0 && at + 1 + width <= WIDTH) {
            fprintf(out, " %.*s%s", length, text, after);
            at += 1 + width;
        } else {
            fprintf(out, "%s%*s%.*s%s", at > 0 ? "\n" : "", indent, "", length, text, after);
            at = indent + width;
        }
        text += length;
    }
    putc('\n', out);
}

void columns_describe(FILE *out, const struct columns *tables, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        if (t > 0)
            putc('\n', out);
        columns_print_wrapped(out, tables[t].title, ":", 0);
        for (size_t c = 0; c < tables[t].count; c++) {
            const struct column *column = &tables[t].items[c];
            if (!column->meaning) /* the same column for other readers has it */
                continue;
            fprintf(out, "  %s\n", column->name);
            columns_print_wrapped(out, column->meaning, "", 6);
        }
    }
}
