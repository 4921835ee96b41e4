#include "table/model/table_round.h"
#include "table/model/table_cells.h"

#include <errno.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/p_text.h"
#include "base/markdown.h"
#include "base/text.h"

/* Columns of the terminal: approximately code points. */
static size_t table_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Names may contain anything: control characters become '?', and a cut is marked. `lines`: the ends of lines stay. */
static void table_tame_text(const char *from, bool lines, char text[TABLE_CELL_MAX])
{
    size_t length = strnlen(from, TABLE_CELL_MAX - 4);
    while (from[length] && length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80) /* not inside a character */
        length--;
    snprintf(text, TABLE_CELL_MAX, "%.*s%s", (int)length, from, from[length] ? "…" : "");
    for (char *line = text, *end; lines && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        text_tame(line);
        *end = '\n';
        text = end + 1;
    }
    text_tame(text);
}

void table_header_text(const struct table *table, size_t column, char text[TABLE_CELL_MAX])
{
    table_tame_text(table->columns[column].name, false, text);
}

bool table_text_is_small_p(const struct table *table, size_t column, const char *text)
{
    const char *name = table_origin(table, column), *tail = strrchr(name, '_');
    bool named = strcmp(name, "p") == 0 || strncmp(name, "p_", 2) == 0 || (tail && strcmp(tail, "_p") == 0);
    return named && isdigit((unsigned char)*text) && text[1] == '.' && isdigit((unsigned char)text[2]) &&
           strncmp(text + 3, "e-", 2) == 0 && text[5] && strspn(text + 5, "0123456789") == strlen(text + 5) &&
           strlen(text) < P_TEXT_MAX;
}

void table_cell_text(const struct table *table, size_t row, size_t column, bool latex, char text[TABLE_CELL_MAX])
{
    const struct table_cell *cell = &table->cells[row * table->column_count + column];
    enum table_type type = table->columns[column].type;
    if (cell->text)
        table_tame_text(cell->text, type == TABLE_LINES, text);
    else if (!cell->present)
        snprintf(text, TABLE_CELL_MAX, latex ? "--" : "-");
    else if (type == TABLE_COUNT)
        snprintf(text, TABLE_CELL_MAX, "%" PRIu64, cell->count);
    else if (type == TABLE_BYTES)
        table_round_bytes(cell->count, table->digits, text);
    else if (type == TABLE_SHARE)
        table_round_share(cell->real, table->digits, latex, text);
    else if (type == TABLE_ESTIMATE)
        table_round_estimate(cell->real, cell->low, cell->high, table->digits, latex, text);
    else {
        char p[P_TEXT_MAX];
        double log10_p;
        bool is_p = table_find_log10_p(table, row, column, &log10_p);
        if (!is_p && table->digits)
            table_round_digits(cell->real, table->digits, latex, text);
        else if (!is_p)
            table_round(cell->real, cell->places, latex, text);
        if (!is_p)
            return;
        p_text(cell->real, log10_p, p); /* a p too small for a double is not 0: its logarithm is known */
        if (latex)
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

/* The header if row is 0, else this row counted from 1. */
static void table_write_text_cell(const struct table *table, size_t row, size_t column, char text[TABLE_CELL_MAX])
{
    if (row > 0)
        table_cell_text(table, row - 1, column, false, text);
    else
        table_header_text(table, column, text);
}

/* Cuts a text to its line number `line`, counted from 0, or to nothing. Whether more lines follow. */
static bool table_cut_to_line(char *text, size_t line)
{
    char *from = text, *end;
    for (; line > 0 && from; line--)
        from = (end = strchr(from, '\n')) ? end + 1 : NULL;
    memmove(text, from ? from : "", from ? strlen(from) + 1 : 1);
    end = strchr(text, '\n');
    if (end)
        *end = '\0';
    return end != NULL;
}

static void table_write_text_row(FILE *out, const struct table *table, size_t row, const size_t *widths)
{
    char text[TABLE_CELL_MAX];
    bool more = true;
    for (size_t line = 0; more; line++) {
        more = false;
        for (size_t c = 0; c < table->column_count; c++) {
            table_write_text_cell(table, row, c, text);
            more |= table_cut_to_line(text, line);
            fputs(c ? "  " : "", out);
            bool left = table_type_is_text(table->columns[c].type), last = c + 1 == table->column_count;
            if (!left)
                table_pad(out, widths[c] - table_text_width(text));
            fputs(text, out);
            if (left && !last)
                table_pad(out, widths[c] - table_text_width(text));
        }
        putc('\n', out);
    }
}

int table_write_text(FILE *out, const struct table *table)
{
    size_t *widths = calloc(table->column_count, sizeof *widths);
    char text[TABLE_CELL_MAX];
    for (size_t c = 0; widths && c < table->column_count; c++)
        for (size_t row = 0; row < table_row_count(table) + 1; row++) {
            bool more = true;
            for (size_t line = 0; more; line++) {
                table_write_text_cell(table, row, c, text);
                more = table_cut_to_line(text, line);
                if (table_text_width(text) > widths[c])
                    widths[c] = table_text_width(text);
            }
        }
    if (!widths)
        return ENOMEM;
    for (size_t row = 0; row < table_row_count(table) + 1; row++)
        table_write_text_row(out, table, row, widths);
    free(widths);
    return 0;
}

static void table_write_markdown_cell(FILE *out, char *text)
{
    fputs("| ", out);
    for (char *end; (end = strchr(text, '\n')); text = end + 1) {
        *end = '\0';
        markdown_write_text(out, text);
        fputs("<br>", out);
    }
    markdown_write_text(out, text);
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
        fputs(table_type_is_text(table->columns[c].type) ? "|---" : "|---:", out);
    fputs("|\n", out);
    for (size_t row = 0; row < table_row_count(table); row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            table_cell_text(table, row, c, false, text);
            table_write_markdown_cell(out, text);
        }
        fputs("|\n", out);
    }
}
