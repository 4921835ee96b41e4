#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "analyze/table/p_text.h"
#include "analyze/table/table_macros.h"
#include "analyze/table/table_round.h"
#include "analyze/table/table_write.h"

/* The TeX form of a character, or NULL if it needs none. Brackets and stars would be taken for arguments of the
 * preceding line end. */
static const char *escape_of(char c)
{
    static const struct {
        char character;
        const char *text;
    } escapes[] = {{'\\', "\\textbackslash{}"},
                   {'^', "\\^{}"},
                   {'~', "\\~{}"},
                   {'&', "\\&"},
                   {'%', "\\%"},
                   {'$', "\\$"},
                   {'#', "\\#"},
                   {'_', "\\_"},
                   {'{', "\\{"},
                   {'}', "\\}"},
                   {'[', "{[}"},
                   {'*', "{*}"},
                   {'<', "\\textless{}"},
                   {'>', "\\textgreater{}"},
                   {'|', "\\textbar{}"}};
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
        if (escapes[i].character == c)
            return escapes[i].text;
    return NULL;
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *escape = escape_of(*text);
        if (escape)
            fputs(escape, out);
        else
            putc(*text, out);
    }
}

/* "2.1e-07" in a column "p" of texts: written by p_text(), not a group's name. */
static bool is_small_p(const struct table *table, size_t column, const char *text)
{
    return strcmp(table->columns[column].name, "p") == 0 && isdigit((unsigned char)*text) && text[1] == '.' &&
           isdigit((unsigned char)text[2]) && strncmp(text + 3, "e-", 2) == 0 && text[5] &&
           strspn(text + 5, "0123456789") == strlen(text + 5) && strlen(text) < P_TEXT_MAX;
}

static void put_cell(FILE *out, const struct table *table, size_t row, size_t column)
{
    char text[TABLE_CELL_MAX], number[TABLE_ROUND_MAX];
    table_cell_text(table, row, column, true, text);
    if (table->columns[column].type != TABLE_TEXT) {
        fputs(text, out);
    } else if (is_small_p(table, column, text)) {
        table_round_typeset(text, number);
        fputs(number, out);
    } else {
        put_escaped(out, text);
    }
}

/* A macro is used in text and in formulas. */
static void put_macro(FILE *out, const struct table *table, size_t row, size_t column, const char *name)
{
    char text[TABLE_CELL_MAX];
    table_cell_text(table, row, column, true, text);
    if (*text == '$')
        fprintf(out, "\\newcommand{\\%s}{\\ensuremath{%.*s}}\n", name, (int)strlen(text) - 2, text + 1);
    else
        fprintf(out, "\\newcommand{\\%s}{%s}\n", name, text);
}

static int put_macros(FILE *out, const struct table *table, const char *program)
{
    struct table_macros *macros = table_macros_new(table, program);
    int error = macros ? 0 : ENOMEM;
    for (size_t row = 0; row < table_row_count(table) && !error; row++) {
        error = table_macros_row(macros, row);
        for (size_t c = 0; c < table->column_count && !error; c++)
            if (table->columns[c].type != TABLE_TEXT && table->cells[row * table->column_count + c].present)
                put_macro(out, table, row, c, table_macros_name(macros, c));
    }
    table_macros_free(macros);
    return error;
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

static void put_head(FILE *out, const struct table *table)
{
    char text[TABLE_CELL_MAX];
    fputs("\\begin{tabular}{", out);
    for (size_t c = 0; c < table->column_count; c++)
        putc(table->columns[c].type == TABLE_TEXT ? 'l' : 'r', out);
    fputs("}\n\\toprule\n", out);
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c ? " & " : "", out);
        table_header_text(table, c, text);
        put_escaped(out, text);
    }
    fputs(" \\\\\n\\midrule\n", out);
}

int table_write_latex(FILE *out, const struct table *table, const struct table_frame *frame)
{
    fputs("% needs \\usepackage{booktabs}\n", out);
    int error = put_macros(out, frame->values ? frame->values : table, frame->program ? frame->program : "");
    if (error)
        return error;
    put_head(out, table);
    for (size_t row = 0; row < table_row_count(table); row++)
        put_row(out, table, row);
    fputs("\\bottomrule\n\\end{tabular}\n", out);
    return 0;
}
