#include "table/model/table_round.h"
#include "table/model/table_cells.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/p_text.h"
#include "base/text.h"

/* Columns of the terminal: approximately code points. */
static size_t table_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Names may contain anything: control characters become '?', and a cut is marked. */
static void table_tame_text(const char *from, char text[TABLE_CELL_MAX])
{
    size_t length = strnlen(from, TABLE_CELL_MAX - 4);
    while (from[length] && length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80) /* not inside a character */
        length--;
    snprintf(text, TABLE_CELL_MAX, "%.*s%s", (int)length, from, from[length] ? "…" : "");
    text_tame(text);
}

void table_header_text(const struct table *table, size_t column, char text[TABLE_CELL_MAX])
{
    table_tame_text(table->columns[column].name, text);
}

/* A p too small for a double is not 0: the same row has its logarithm. */
static bool table_format_p(const struct table *table, size_t row, size_t column, char text[TABLE_CELL_MAX])
{
    const struct table_cell *cells = &table->cells[row * table->column_count];
    if (strcmp(table->columns[column].name, "p") != 0)
        return false;
    for (size_t c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, "log10_p") == 0 && table->columns[c].type == TABLE_REAL &&
            cells[c].present) {
            p_text(cells[column].real, cells[c].real, text);
            return true;
        }
    return false;
}

void table_cell_text(const struct table *table, size_t row, size_t column, bool latex, char text[TABLE_CELL_MAX])
{
    const struct table_cell *cell = &table->cells[row * table->column_count + column];
    enum table_type type = table->columns[column].type;
    if (cell->text)
        table_tame_text(cell->text, text);
    else if (!cell->present)
        snprintf(text, TABLE_CELL_MAX, latex ? "--" : "-");
    else if (type == TABLE_COUNT)
        snprintf(text, TABLE_CELL_MAX, "%" PRIu64, cell->count);
    else if (type == TABLE_SHARE)
        table_round_share(cell->real, latex, text);
    else if (type == TABLE_ESTIMATE)
        table_round_estimate(cell->real, cell->low, cell->high, latex, text);
    else {
        char p[TABLE_CELL_MAX];
        if (!table_format_p(table, row, column, p))
            table_round(cell->real, cell->places, latex, text);
        else if (latex)
            table_round_typeset(p, text);
        else
            strcpy(text, p);
    }
}

static void table_pad(FILE *out, size_t count)
{
    while (count-- > 0)
        putc(' ', out);
}

int table_write_text(FILE *out, const struct table *table)
{
    size_t *widths = calloc(table->column_count, sizeof *widths);
    char text[TABLE_CELL_MAX];
    for (size_t c = 0; widths && c < table->column_count; c++) {
        table_header_text(table, c, text);
        widths[c] = table_text_width(text);
        for (size_t row = 0; row < table_row_count(table); row++) {
            table_cell_text(table, row, c, false, text);
            if (table_text_width(text) > widths[c])
                widths[c] = table_text_width(text);
        }
    }
    if (!widths)
        return ENOMEM;

    for (size_t row = 0; row < table_row_count(table) + 1; row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            if (row > 0)
                table_cell_text(table, row - 1, c, false, text);
            else
                table_header_text(table, c, text);
            fputs(c ? "  " : "", out);
            bool left = table->columns[c].type == TABLE_TEXT, last = c + 1 == table->column_count;
            if (!left)
                table_pad(out, widths[c] - table_text_width(text));
            fputs(text, out);
            if (left && !last)
                table_pad(out, widths[c] - table_text_width(text));
        }
        putc('\n', out);
    }
    free(widths);
    return 0;
}

static void table_write_markdown_cell(FILE *out, const char *text)
{
    fputs("| ", out);
    for (; *text; text++)
        fprintf(out, strchr("|\\`*_<", *text) ? "\\%c" : "%c", *text);
    putc(' ', out);
}

void table_write_markdown(FILE *out, const struct table *table)
{
    char text[TABLE_CELL_MAX];
    for (size_t c = 0; c < table->column_count; c++) {
        table_header_text(table, c, text);
        table_write_markdown_cell(out, text);
    }
    fputs("|\n", out);
    for (size_t c = 0; c < table->column_count; c++)
        fputs(table->columns[c].type == TABLE_TEXT ? "|---" : "|---:", out);
    fputs("|\n", out);
    for (size_t row = 0; row < table_row_count(table); row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            table_cell_text(table, row, c, false, text);
            table_write_markdown_cell(out, text);
        }
        fputs("|\n", out);
    }
}
