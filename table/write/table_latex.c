#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/p_text.h"
#include "table/model/table_round.h"
#include "table/model/table_cells.h"
#include "base/grow.h"
#include "base/text.h"
#include "base/text_set.h"

static void latex_write_cell(FILE *out, const struct table *table, size_t row, size_t column)
{
    char text[TABLE_CELL_MAX], number[TABLE_ROUND_MAX];
    table_cell_text(table, row, column, true, text);
    /* "2.1e-07" in a column "p" of texts: written by p_text(), not a group's name. */
    bool small_p = strcmp(table_origin(table, column), "p") == 0 && isdigit((unsigned char)*text) && text[1] == '.' &&
                   isdigit((unsigned char)text[2]) && strncmp(text + 3, "e-", 2) == 0 && text[5] &&
                   strspn(text + 5, "0123456789") == strlen(text + 5) && strlen(text) < P_TEXT_MAX;
    if (!table_type_is_text(table->columns[column].type)) {
        fputs(text, out);
    } else if (small_p) {
        table_round_typeset(text, number);
        fputs(number, out);
    } else {
        text_write_latex(out, text);
    }
}

/* ------------------------------------------------------------------------------------------ names of macros -- */

enum { ROW_LETTERS = 150, NUMBER_LETTERS = 100 /* of 20 digits */, DIGIT_LETTERS = 5 };

/*
 * Each name has only letters, and is unique: the program's, the row's and the column's, \assayCiFopMean. Words begin
 * with capitals, digits are spelled. The row's part comes from its texts before the first real number, cut at 150
 * letters. A row without texts, or with a name that an earlier row already has, gets a number: its own, or the next
 * free one.
 */
struct macros {
    const struct table *table;
    char *program;        /* "assayCi" */
    char **columns;       /* [column_count], distinct; NULL for texts */
    struct text_set rows; /* the rows' parts, before they get numbers */
    size_t *next;         /* [rows.count]: the next number to try */
    size_t next_capacity;
    struct text_set names;
    char *name, *column; /* of the current row: the start of the column's part */
};

/* The letters of a text, DIGIT_LETTERS for each of its bytes at most: words begin with capitals, digits are spelled. */
static void latex_spell(const char *text, char *letters, size_t size)
{
    static const char *const digits[] = {"Zero", "One", "Two",   "Three", "Four",
                                         "Five", "Six", "Seven", "Eight", "Nine"};
    bool begin = true;
    char *end = letters + size - DIGIT_LETTERS - 1;
    for (; *text && letters < end; text++) {
        unsigned char c = (unsigned char)*text;
        bool letter = c < 0x80 && isalpha(c);
        if (c >= '0' && c <= '9')
            letters = stpcpy(letters, digits[c - '0']);
        else if (letter)
            *letters++ = (char)(begin ? toupper(c) : c);
        begin = !letter;
    }
    *letters = '\0';
}

static void latex_spell_number(size_t number, char letters[NUMBER_LETTERS + DIGIT_LETTERS + 1])
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", number);
    latex_spell(digits, letters, NUMBER_LETTERS + DIGIT_LETTERS + 1);
}

static size_t latex_spelled_size(const char *text)
{
    return DIGIT_LETTERS * (strlen(text) + 1) + 1;
}

/* The letters of each column's name; with a number if another column has the same or there are none. */
static int macros_add_columns(struct macros *macros)
{
    struct text_set taken = {0};
    const struct table *table = macros->table;
    int error = 0;
    for (size_t c = 0; c < table->column_count && !error; c++) {
        if (table_type_is_text(table->columns[c].type))
            continue;
        const char *name = table->columns[c].name;
        size_t size = latex_spelled_size(name);
        char *column = macros->columns[c] = calloc(1, size + NUMBER_LETTERS + DIGIT_LETTERS);
        if (column) {
            latex_spell(name, column, size);
            char *end = column + strlen(column);
            for (size_t number = c + 1; !*column || text_set_has(&taken, column); number++)
                latex_spell_number(number, end);
        }
        error = !column || text_set_add(&taken, column) == TEXT_SET_FULL ? ENOMEM : 0;
    }
    text_set_free(&taken);
    return error;
}

static void macros_free(struct macros *macros)
{
    if (!macros)
        return;
    for (size_t c = 0; macros->columns && c < macros->table->column_count; c++)
        free(macros->columns[c]);
    text_set_free(&macros->rows);
    text_set_free(&macros->names);
    free(macros->columns);
    free(macros->program);
    free(macros->next);
    free(macros->name);
    free(macros);
}

/* For this table, which must outlive them. NULL without memory. */
static struct macros *macros_new(const struct table *table, const char *program)
{
    struct macros *macros = calloc(1, sizeof *macros);
    if (!macros)
        return NULL;
    size_t size = latex_spelled_size(program), longest = 0;
    macros->table = table;
    macros->columns = calloc(table->column_count, sizeof *macros->columns);
    macros->program = malloc(strlen("assay") + size);
    if (macros->columns && macros->program && macros_add_columns(macros) == 0) {
        latex_spell(program, stpcpy(macros->program, "assay"), size);
        for (size_t c = 0; c < table->column_count; c++)
            if (macros->columns[c] && strlen(macros->columns[c]) > longest)
                longest = strlen(macros->columns[c]);
        size = strlen(macros->program) + ROW_LETTERS + NUMBER_LETTERS + 2 * (DIGIT_LETTERS + 1) + longest + 1;
        macros->name = macros->column = malloc(size);
    }
    if (macros->name)
        return macros;
    macros_free(macros);
    return NULL;
}

/* The name, without its backslash, of a column of the row: valid until the next call. The column is not one of texts.
 */
static const char *macros_column_name(struct macros *macros, size_t column)
{
    assert(macros->columns[column]);
    strcpy(macros->column, macros->columns[column]);
    return macros->name;
}

/* Advances to this row: the first, then each next one. 0 or ENOMEM. About O(columns). */
static int macros_next_row(struct macros *macros, size_t row)
{
    const struct table *table = macros->table;
    char text[TABLE_CELL_MAX], letters[ROW_LETTERS + DIGIT_LETTERS + 1] = "";
    size_t length = 0;
    for (size_t c = 0; c < table->column_count && length < ROW_LETTERS; c++) {
        if (table_type_is_count(table->columns[c].type))
            continue;
        if (!table_type_is_text(table->columns[c].type))
            break;
        table_cell_text(table, row, c, false, text);
        latex_spell(text, letters + length, ROW_LETTERS - length + DIGIT_LETTERS + 1);
        length += strlen(letters + length);
    }

    uint32_t id = text_set_add(&macros->rows, letters);
    size_t *next = id == TEXT_SET_FULL ? NULL : grow(macros->next, &macros->next_capacity, id, sizeof *next);
    if (!next)
        return ENOMEM;
    macros->next = next;
    if (next[id] < row + 1)
        next[id] = row + 1;
    char *end = stpcpy(stpcpy(macros->name, macros->program), letters);
    macros->column = end;
    bool used = *letters == '\0';
    for (;;) {
        for (size_t c = 0; !used && c < table->column_count; c++)
            used = macros->columns[c] && text_set_has(&macros->names, macros_column_name(macros, c));
        if (!used)
            break;
        latex_spell_number(next[id]++, end);
        macros->column = end + strlen(end);
        used = false;
    }
    for (size_t c = 0; c < table->column_count; c++)
        if (macros->columns[c] && text_set_add(&macros->names, macros_column_name(macros, c)) == TEXT_SET_FULL)
            return ENOMEM;
    return 0;
}

/* ------------------------------------------------------------------------------------------ macros -- */

static int latex_write_macros(FILE *out, const struct table *table, const char *program)
{
    struct macros *macros = macros_new(table, program);
    int error = macros ? 0 : ENOMEM;
    for (size_t row = 0; row < table_row_count(table) && !error; row++) {
        error = macros_next_row(macros, row);
        for (size_t c = 0; c < table->column_count && !error; c++) {
            char text[TABLE_CELL_MAX];
            if (table_type_is_text(table->columns[c].type) || !table->cells[row * table->column_count + c].present)
                continue;
            const char *name = macros_column_name(macros, c);
            if (table->columns[c].type == TABLE_BYTES) /* exact, as a formula needs it */
                snprintf(text, sizeof text, "%" PRIu64, table->cells[row * table->column_count + c].count);
            else
                table_cell_text(table, row, c, true, text);
            if (*text == '$') /* a macro is used in text and in formulas */
                fprintf(out, "\\newcommand{\\%s}{\\ensuremath{%.*s}}\n", name, (int)strlen(text) - 2, text + 1);
            else
                fprintf(out, "\\newcommand{\\%s}{%s}\n", name, text);
        }
    }
    macros_free(macros);
    return error;
}

/* ------------------------------------------------------------------------------------------ tabular -- */

int table_write_latex(FILE *out, const struct table *table, const struct table_frame *frame)
{
    char text[TABLE_CELL_MAX];
    fputs("% needs \\usepackage{booktabs}\n", out);
    int error = latex_write_macros(out, frame->values ? frame->values : table, frame->program ? frame->program : "");
    if (error)
        return error;
    fputs("\\begin{tabular}{", out);
    for (size_t c = 0; c < table->column_count; c++)
        putc(table_type_is_text(table->columns[c].type) ? 'l' : 'r', out);
    fputs("}\n\\toprule\n", out);
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c ? " & " : "", out);
        table_header_text(table, c, text);
        text_write_latex(out, text);
    }
    fputs(" \\\\\n\\midrule\n", out);
    for (size_t row = 0; row < table_row_count(table); row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            fputs(c ? " & " : "", out);
            latex_write_cell(out, table, row, c);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
    return 0;
}
