#include "analyze/lib/table_round.h"
#include "analyze/lib/table_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the terminal: code points, by and large. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Names may hold anything: what would move the cursor becomes '?', and a cut is shown. */
static void tame(const char *from, char text[TABLE_CELL_MAX])
{
    size_t length = 0;
    for (; *from && length < TABLE_CELL_MAX - 4; from++)
        text[length++] = (unsigned char)*from < 0x20 || *from == 0x7f ? '?' : *from;
    while (*from && length > 0 && ((unsigned char)*from & 0xc0) == 0x80) { /* not in the middle of a character */
        from--;
        length--;
    }
    strcpy(text + length, *from ? "…" : "");
}

void table_cell_text(const struct table *table, size_t row, size_t column, bool latex, char text[TABLE_CELL_MAX])
{
    const struct table_cell *cell = &table->cells[row * table->column_count + column];
    enum table_type type = table->columns[column].type;
    if (cell->text)
        tame(cell->text, text);
    else if (!cell->present)
        snprintf(text, TABLE_CELL_MAX, latex ? "--" : "-");
    else if (type == TABLE_COUNT)
        snprintf(text, TABLE_CELL_MAX, "%" PRIu64, cell->count);
    else if (type == TABLE_SHARE)
        snprintf(text, TABLE_CELL_MAX, latex ? "%.2f\\%%" : "%.2f%%", cell->real * 100);
    else if (type == TABLE_ESTIMATE)
        table_round_estimate(cell->real, cell->half_width, latex, text);
    else
        table_round(cell->real, cell->places, latex, text);
}

static void pad(FILE *out, size_t count)
{
    while (count-- > 0)
        putc(' ', out);
}

static size_t *measure(const struct table *table)
{
    size_t *widths = calloc(table->column_count, sizeof *widths);
    char text[TABLE_CELL_MAX];
    for (size_t c = 0; widths && c < table->column_count; c++) {
        widths[c] = width_of(table->columns[c].name);
        for (size_t row = 0; row < table_row_count(table); row++) {
            table_cell_text(table, row, c, false, text);
            if (width_of(text) > widths[c])
                widths[c] = width_of(text);
        }
    }
    return widths;
}

static void put_aligned(FILE *out, const struct table *table, size_t column, size_t width, const char *text)
{
    bool left = table->columns[column].type == TABLE_TEXT, last = column + 1 == table->column_count;
    if (!left)
        pad(out, width - width_of(text));
    fputs(text, out);
    if (left && !last)
        pad(out, width - width_of(text));
}

static void write_text(FILE *out, const struct table *table)
{
    size_t *widths = measure(table);
    char text[TABLE_CELL_MAX];
    for (size_t row = 0; widths && row < table_row_count(table) + 1; row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            if (row > 0)
                table_cell_text(table, row - 1, c, false, text);
            fputs(c ? "  " : "", out);
            put_aligned(out, table, c, widths[c], row ? text : table->columns[c].name);
        }
        putc('\n', out);
    }
    free(widths);
}

static void put_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text; text++)
        fprintf(out, strchr(special, *text) ? "\\%c" : "%c", *text);
}

static void write_markdown(FILE *out, const struct table *table)
{
    char text[TABLE_CELL_MAX];
    for (size_t c = 0; c < table->column_count; c++)
        fprintf(out, "| %s ", table->columns[c].name);
    fputs("|\n", out);
    for (size_t c = 0; c < table->column_count; c++)
        fputs(table->columns[c].type == TABLE_TEXT ? "|---" : "|---:", out);
    fputs("|\n", out);
    for (size_t row = 0; row < table_row_count(table); row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            table_cell_text(table, row, c, false, text);
            fputs("| ", out);
            put_escaped(out, text, "|\\`*_<");
            putc(' ', out);
        }
        fputs("|\n", out);
    }
}

static void write_notes(FILE *out, const json_t *notes, const char *prefix)
{
    size_t i;
    const json_t *note;
    json_array_foreach((json_t *)(uintptr_t)notes, i, note)
    {
        if (i == 0)
            putc('\n', out);
        fprintf(out, "%s%s\n", prefix, json_string_value(note));
    }
}

void table_write_human(FILE *out, enum table_format format, const struct table *table, const struct table_frame *frame)
{
    if (format == TABLE_TEXT_FORMAT)
        write_text(out, table);
    else if (format == TABLE_MARKDOWN)
        write_markdown(out, table);
    else
        table_write_latex(out, table, frame);
    write_notes(out, frame->warnings, format == TABLE_LATEX ? "% warning: " : "warning: ");
    write_notes(out, frame->notes, format == TABLE_LATEX ? "% " : "");
}
