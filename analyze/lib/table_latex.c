#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lib/table_write.h"

enum { NAME_MAX_LETTERS = 200 };

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (strchr("^~", *text))
            fprintf(out, "\\%c{}", *text);
        else
            fprintf(out, strchr("&%$#_{}", *text) ? "\\%c" : "%c", *text);
    }
}

static void put_cell(FILE *out, const struct table *table, size_t row, size_t column)
{
    char text[TABLE_CELL_MAX];
    table_cell_text(table, row, column, true, text);
    if (table->columns[column].type == TABLE_TEXT)
        put_escaped(out, text);
    else
        fputs(text, out);
}

/* ------------------------------------------------------------------------------------------ macros -- */

/* Appends text to a macro's name, which has letters alone: words begin with capitals, digits are spelled. */
static void name_append(char name[NAME_MAX_LETTERS], const char *text)
{
    static const char *const digits[] = {"Zero", "One", "Two",   "Three", "Four",
                                         "Five", "Six", "Seven", "Eight", "Nine"};
    size_t length = strlen(name);
    bool begin = true;
    for (; *text && length + 8 < NAME_MAX_LETTERS; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= '0' && c <= '9') {
            strcpy(name + length, digits[c - '0']);
            length += strlen(digits[c - '0']);
        } else if (c < 0x80 && isalpha(c)) {
            name[length++] = (char)(begin ? toupper(c) : c);
            name[length] = '\0';
        }
        begin = !(c < 0x80 && isalpha(c));
    }
}

/* What tells the row from others: its texts up to the first number. */
static void row_name(const struct table *table, size_t row, char name[NAME_MAX_LETTERS])
{
    char text[TABLE_CELL_MAX];
    *name = '\0';
    for (size_t c = 0; c < table->column_count && table->columns[c].type == TABLE_TEXT; c++) {
        table_cell_text(table, row, c, false, text);
        name_append(name, text);
    }
}

static bool is_named_before(char (*names)[NAME_MAX_LETTERS], size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(names[i], names[row]) == 0)
            return true;
    return false;
}

/* Rows that have no texts, or those of an earlier row, get their number. */
static void number_row(char (*names)[NAME_MAX_LETTERS], size_t row)
{
    char number[32];
    snprintf(number, sizeof number, "%zu", row + 1);
    if (!*names[row] || is_named_before(names, row))
        name_append(names[row], number);
}

static void put_row_macros(FILE *out, const struct table *table, size_t row, const char *program, const char *row_text)
{
    for (size_t c = 0; c < table->column_count; c++) {
        char name[NAME_MAX_LETTERS] = "assay";
        if (table->columns[c].type == TABLE_TEXT || !table->cells[row * table->column_count + c].present)
            continue;
        name_append(name, program);
        strncat(name, row_text, sizeof name - strlen(name) - 1);
        name_append(name, table->columns[c].name);
        fprintf(out, "\\newcommand{\\%s}{", name);
        put_cell(out, table, row, c);
        fputs("}\n", out);
    }
}

static void put_macros(FILE *out, const struct table *table, const char *program)
{
    size_t rows = table_row_count(table);
    char(*names)[NAME_MAX_LETTERS] = calloc(rows ? rows : 1, sizeof *names);
    for (size_t row = 0; names && row < rows; row++)
        row_name(table, row, names[row]);
    for (size_t row = 0; names && row < rows; row++) {
        number_row(names, row);
        put_row_macros(out, table, row, program, names[row]);
    }
    free(names);
}

/* ------------------------------------------------------------------------------------------ tabular -- */

static void put_row(FILE *out, const struct table *table, size_t row)
{
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c ? " & " : "", out);
        put_cell(out, table, row, c);
    }
    fputs(" \\\\\n", out);
}

void table_write_latex(FILE *out, const struct table *table, const struct table_frame *frame)
{
    fputs("% needs \\usepackage{booktabs}\n", out);
    put_macros(out, frame->values ? frame->values : table, frame->program ? frame->program : "");
    fputs("\\begin{tabular}{", out);
    for (size_t c = 0; c < table->column_count; c++)
        putc(table->columns[c].type == TABLE_TEXT ? 'l' : 'r', out);
    fputs("}\n\\toprule\n", out);
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c ? " & " : "", out);
        put_escaped(out, table->columns[c].name);
    }
    fputs(" \\\\\n\\midrule\n", out);
    for (size_t row = 0; row < table_row_count(table); row++)
        put_row(out, table, row);
    fputs("\\bottomrule\n\\end{tabular}\n", out);
}
