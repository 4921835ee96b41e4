#include "analyze/table/table_macros.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/table/table_write.h"
#include "base/text_set.h"

enum { ROW_LETTERS = 150, NUMBER_LETTERS = 100 /* of 20 digits */, DIGIT_LETTERS = 5 };

struct table_macros {
    const struct table *table;
    char *program;        /* "assayCi" */
    char **columns;       /* [column_count], distinct; NULL for texts */
    struct text_set rows; /* the rows' parts, before they get numbers */
    size_t *next;         /* [rows.count]: the next number to try */
    size_t next_room;
    struct text_set names;
    char *name, *column; /* of the current row: the start of the column's part */
};

/* The letters of a text, DIGIT_LETTERS for each of its bytes at most: words begin with capitals, digits are spelled. */
static void spell(const char *text, char *letters, size_t size)
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

static void spell_number(size_t number, char letters[NUMBER_LETTERS + DIGIT_LETTERS + 1])
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", number);
    spell(digits, letters, NUMBER_LETTERS + DIGIT_LETTERS + 1);
}

static size_t spelled_size(const char *text)
{
    return DIGIT_LETTERS * (strlen(text) + 1) + 1;
}

/* The letters of the column's name; with a number if another column has the same or there are none. */
static int add_column(struct table_macros *macros, size_t c, struct text_set *taken)
{
    const char *name = macros->table->columns[c].name;
    size_t size = spelled_size(name);
    char *column = macros->columns[c] = calloc(1, size + NUMBER_LETTERS + DIGIT_LETTERS);
    if (!column)
        return ENOMEM;
    spell(name, column, size);
    char *end = column + strlen(column);
    for (size_t number = c + 1; !*column || text_set_has(taken, column); number++)
        spell_number(number, end);
    return text_set_add(taken, column) == TEXT_SET_FULL ? ENOMEM : 0;
}

static int add_columns(struct table_macros *macros)
{
    struct text_set taken = {0};
    const struct table *table = macros->table;
    int error = 0;
    for (size_t c = 0; c < table->column_count && !error; c++)
        if (table->columns[c].type != TABLE_TEXT)
            error = add_column(macros, c, &taken);
    text_set_free(&taken);
    return error;
}

static int begin(struct table_macros *macros, const char *program)
{
    size_t size = spelled_size(program), longest = 0;
    macros->columns = calloc(macros->table->column_count, sizeof *macros->columns);
    macros->program = malloc(strlen("assay") + size);
    if (!macros->columns || !macros->program || add_columns(macros))
        return ENOMEM;
    spell(program, stpcpy(macros->program, "assay"), size);
    for (size_t c = 0; c < macros->table->column_count; c++)
        if (macros->columns[c] && strlen(macros->columns[c]) > longest)
            longest = strlen(macros->columns[c]);
    size = strlen(macros->program) + ROW_LETTERS + NUMBER_LETTERS + 2 * (DIGIT_LETTERS + 1) + longest + 1;
    macros->name = macros->column = malloc(size);
    return macros->name ? 0 : ENOMEM;
}

struct table_macros *table_macros_new(const struct table *table, const char *program)
{
    struct table_macros *macros = calloc(1, sizeof *macros);
    if (!macros)
        return NULL;
    macros->table = table;
    if (begin(macros, program)) {
        table_macros_free(macros);
        return NULL;
    }
    return macros;
}

void table_macros_free(struct table_macros *macros)
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

static bool is_real(enum table_type type)
{
    return type != TABLE_TEXT && type != TABLE_COUNT;
}

/* What tells the row from others: its texts before the first real number. */
static void row_letters(const struct table *table, size_t row, char letters[ROW_LETTERS + DIGIT_LETTERS + 1])
{
    char text[TABLE_CELL_MAX];
    size_t length = 0;
    *letters = '\0';
    for (size_t c = 0; c < table->column_count && !is_real(table->columns[c].type) && length < ROW_LETTERS; c++) {
        if (table->columns[c].type != TABLE_TEXT)
            continue;
        table_cell_text(table, row, c, false, text);
        spell(text, letters + length, ROW_LETTERS - length + DIGIT_LETTERS + 1);
        length += strlen(letters + length);
    }
}

/* The next number of rows with these letters; NULL without memory. */
static size_t *next_number(struct table_macros *macros, const char *letters)
{
    uint32_t count = macros->rows.count, id = text_set_add(&macros->rows, letters);
    if (id == TEXT_SET_FULL)
        return NULL;
    if (id >= macros->next_room) {
        size_t room = macros->next_room ? macros->next_room * 2 : 64;
        size_t *next = realloc(macros->next, room * sizeof *next);
        if (!next)
            return NULL;
        macros->next = next;
        macros->next_room = room;
    }
    if (id == count)
        macros->next[id] = 0;
    return &macros->next[id];
}

const char *table_macros_name(struct table_macros *macros, size_t column)
{
    strcpy(macros->column, macros->columns[column]);
    return macros->name;
}

static bool is_free(struct table_macros *macros)
{
    for (size_t c = 0; c < macros->table->column_count; c++)
        if (macros->columns[c] && text_set_has(&macros->names, table_macros_name(macros, c)))
            return false;
    return true;
}

int table_macros_row(struct table_macros *macros, size_t row)
{
    char letters[ROW_LETTERS + DIGIT_LETTERS + 1];
    row_letters(macros->table, row, letters);
    size_t *next = next_number(macros, letters);
    if (!next)
        return ENOMEM;
    char *end = stpcpy(stpcpy(macros->name, macros->program), letters);
    macros->column = end;
    if (*next < row + 1)
        *next = row + 1;
    for (bool numbered = *letters != '\0'; !numbered || !is_free(macros); numbered = true) {
        spell_number((*next)++, end);
        macros->column = end + strlen(end);
    }
    for (size_t c = 0; c < macros->table->column_count; c++)
        if (macros->columns[c] && text_set_add(&macros->names, table_macros_name(macros, c)) == TEXT_SET_FULL)
            return ENOMEM;
    return 0;
}
