/* The columns of text with delimiters, by its header and its first rows: their names, and what is in them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "table/read/rows_parts.h"

enum { SAMPLE_ROWS = 100 };

/* ------------------------------------------------------------------------------------------ the header line -- */

/* Columns without a name have their number, a single one without a header is called "value". */
static int header_read_names(const struct rows_split *split, struct rows_table *table, bool *header,
                             struct error_text *message)
{
    *header = table->header == ROWS_HEADER_PRESENT;
    for (size_t i = 0; i < split->count && table->header == ROWS_HEADER_GUESSED; i++)
        *header |= quantity_vote(split->cells[i]) < 0;
    if (split->trouble)
        return error_set(message, STATUS_BAD, "line %zu: %s", (size_t)split->line + 1, split->trouble);
    for (size_t i = 0; i < split->count; i++) {
        if (memchr(split->cells[i].text, '\r', split->cells[i].length))
            return error_set(message, STATUS_BAD, "its lines end with CR alone; convert them: tr '\\r' '\\n'");
        char number[24];
        struct rows_cell name = rows_trim(split->cells[i]);
        if (!*header && split->count == 1)
            name = (struct rows_cell){"value", strlen("value")};
        else if (!*header || name.length == 0)
            name = (struct rows_cell){number, (size_t)snprintf(number, sizeof number, "%zu", table->column_count + 1)};
        if (!rows_table_add(table, name.text, name.length, true))
            return error_set(message, STATUS_BAD, "out of memory");
    }
    return STATUS_GOOD;
}

/* The first number among the names, which makes a header doubtful; NULL if there is none. */
static const char *header_find_number(const struct rows_table *table, const struct rows_split *split)
{
    struct decimal value;
    for (size_t i = 0; i < split->count && i < table->column_count; i++)
        if (rows_trim(split->cells[i]).length > 0 &&
            decimal_parse(table->names[i], strlen(table->names[i]), &value) != STATS_DOMAIN)
            return table->names[i];
    return NULL;
}

/* ------------------------------------------------------------------------------------------ the first rows -- */

/* The first rows, and the end of the first one. */
struct first_rows {
    struct rows_cell *cells; /* cells[row·columns + column] */
    int *votes;              /* of each column: numbers minus texts */
    size_t columns, count;
    char *end; /* of the first one, and the lines up to there */
    uint64_t lines;
};

/* Whether the newest row of a column has a text that begins with a letter, and that no earlier one has.
 * seen[row·columns + column]. */
static bool first_rows_is_new_text(const struct rows_cell *seen, size_t row, size_t column, size_t columns)
{
    struct rows_cell cell = seen[row * columns + column];
    for (size_t i = 0; i < row; i++) {
        struct rows_cell other = seen[i * columns + column];
        if (other.length == cell.length && memcmp(other.text, cell.text, cell.length) == 0)
            return false;
    }
    return cell.length > 0 && (isalpha((unsigned char)*cell.text) || (unsigned char)*cell.text >= 0x80);
}

/* *repeated: a text of the first line occurs below it in the same column. */
static bool first_rows_read(struct rows_split *split, struct rows_table *table, bool again, bool *repeated,
                            struct first_rows *rows)
{
    size_t columns = table->column_count;
    *rows = (struct first_rows){
        calloc(columns * SAMPLE_ROWS, sizeof *rows->cells), calloc(columns, sizeof(int)), columns, 0, NULL, 0};
    if (!rows->cells || !rows->votes)
        return false;
    for (; rows->count < SAMPLE_ROWS && (again || rows_split_next(split)); rows->count++, again = false) {
        for (size_t i = 0; i < columns && i < split->count; i++) {
            rows->votes[i] += quantity_vote(split->cells[i]);
            rows_note_unit(table, i, split->cells[i]);
            struct rows_cell cell = split->cells[i];
            const char *name = table->names[i];
            cell = rows_trim(cell);
            *repeated |= cell.length > 0 && cell.length == strlen(name) && memcmp(cell.text, name, cell.length) == 0 &&
                         quantity_vote(cell) < 0;
            rows->cells[rows->count * columns + i] = split->cells[i];
        }
        if (rows->count == 0) {
            rows->end = split->at;
            rows->lines = split->lines;
        }
    }
    rows_finalize_units(table);
    return true;
}

/* ---------------------------------------------------------------------------------------- two header lines -- */

/* Whether a column's header cell is blank, so that its name is only its number. */
static bool header_is_unnamed(const struct rows_table *table, size_t column)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", column + 1);
    return strcmp(table->names[column], number) == 0;
}

/* Whether the column has no header cell of its own, or a shared one. */
static bool header_is_under_another(const struct rows_table *table, size_t column)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (i != column && strcmp(table->names[i], table->names[column]) == 0)
            return true;
    return header_is_unnamed(table, column) ||
           (column + 1 < table->column_count && header_is_unnamed(table, column + 1));
}

/* The first row under the header is a second line of it if there are units above numbers, or names above numbers of
 * columns that have none of their own. Any other text above numbers is an invalid cell. */
static bool header_is_second(const struct rows_table *table, const struct first_rows *rows)
{
    size_t evidence = 0;
    for (size_t i = 0; i < rows->columns && rows->count > 1; i++) {
        int vote = quantity_vote(rows->cells[i]);
        if (rows->votes[i] - vote <= 0 || vote == 0)
            continue;
        if (vote > 0 || !(quantity_unit_named(rows->cells[i]) || header_is_under_another(table, i)))
            return false;
        evidence++;
    }
    return evidence > 0;
}

static bool header_read_second(struct rows_table *table, struct first_rows *rows)
{
    char *above = strdup("");
    bool *under = calloc(rows->columns, sizeof *under);
    for (size_t i = 0; under && i < rows->columns; i++)
        under[i] = header_is_under_another(table, i);
    for (size_t i = 0; above && under && i < rows->columns; i++) {
        struct rows_cell cell = rows_trim(rows->cells[i]);
        const struct quantity_unit *unit = quantity_unit_named(cell);
        bool unnamed = header_is_unnamed(table, i), names = cell.length > 0 && !unit && under[i];
        rows->votes[i] -= quantity_vote(cell);
        if (!unnamed) {
            free(above);
            above = strdup(table->names[i]);
        }
        if (unit && !table->unit_of[i].unit)
            table->unit_of[i] = (struct rows_column_unit){.unit = unit};
        char *name; /* "time mean" from time, which may be further left, and mean */
        if (!above || !names)
            continue;
        if (asprintf(&name, "%s%s%.*s", above, *above ? " " : "", (int)cell.length, cell.text) < 0) {
            free(above);
            above = NULL;
        } else {
            free(table->names[i]);
            table->names[i] = name;
        }
    }
    bool good = above && under;
    free(above);
    free(under);
    return good;
}

/* Columns with the same name become "time (1)", "time (2)". */
static bool header_number_repeated(struct rows_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        char *first = NULL, *name;
        size_t count = 1;
        for (size_t j = i + 1; j < table->column_count; j++) {
            if (strcmp(table->names[j], first ? first : table->names[i]) != 0)
                continue;
            if (!first && (!(first = strdup(table->names[i])) || asprintf(&name, "%s (1)", first) < 0))
                return false;
            if (count++ == 1) {
                free(table->names[i]);
                table->names[i] = name;
            }
            if (asprintf(&name, "%s (%zu)", first, count) < 0)
                return false;
            free(table->names[j]);
            table->names[j] = name;
        }
        free(first);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ the columns -- */

/* Text is copied before it is split, since that changes it. */
struct sample {
    char *text;
    size_t length;
    struct rows_cell *cells;
    size_t capacity;
};

static void header_free_sample(struct sample *sample)
{
    free(sample->text);
    free(sample->cells);
}

static bool header_make_sample(struct sample *sample, const char *text, size_t length, size_t capacity)
{
    sample->text = rows_split_copy(text, &length);
    sample->length = length;
    sample->cells = calloc(capacity, sizeof *sample->cells);
    sample->capacity = capacity;
    bool good = sample->text && sample->cells;
    if (!good)
        header_free_sample(sample);
    return good;
}

/* Uses the rows below the header. header_end: of one or two lines, and *lines up to there. */
static int header_read_rows(struct rows_split *split, struct rows_table *table, bool header, bool *repeated,
                            char **header_end, struct error_text *message)
{
    struct first_rows rows;
    uint64_t lines = split->lines;
    *header_end = split->at;
    bool good = first_rows_read(split, table, !header, repeated, &rows);
    bool second = good && header && header_is_second(table, &rows);
    if (second) {
        good = header_read_second(table, &rows);
        *header_end = rows.end;
        lines = rows.lines;
    }
    if (good) {
        /* A column is numeric if more of its first cells are numbers than texts: a wrong cell must be reported, not
         * hidden. */
        size_t from = second;
        for (size_t i = 0; i < rows.columns; i++) {
            table->numeric[i] = rows.votes[i] > 0;
            table->textual[i] = rows.votes[i] < 0;
            table->distinct[i] = table->textual[i] && rows.count > from + 1;
            for (size_t row = from; row < rows.count && table->distinct[i]; row++)
                table->distinct[i] = first_rows_is_new_text(rows.cells, row, i, rows.columns);
        }
        if (split->delimiter == ' ') {
            /* With blanks as delimiters "1.2 ms" is two cells: a column of only units belongs to the numbers left of
             * it. */
            size_t column = second;
            for (size_t i = 1; i < rows.columns; i++) {
                const struct quantity_unit *least = NULL, *unit = NULL;
                size_t row = column;
                for (; row < rows.count && (unit = quantity_unit_named(rows.cells[row * rows.columns + i])); row++)
                    least = least ? quantity_smaller(least, unit) : unit;
                if (row < rows.count || !least || !table->numeric[i - 1] || table->unit_of[i - 1].unit)
                    continue;
                table->unit_of[i - 1] = (struct rows_column_unit){.unit = least, .in_cells = true, .split = true};
                table->textual[i] = table->distinct[i] = false;
            }
        }
        good = header_number_repeated(table);
    }
    if (header)
        table->lines += lines;
    free(rows.cells);
    free(rows.votes);
    return good ? STATUS_GOOD : error_set(message, STATUS_BAD, "out of memory");
}

/* Whether a column that was requested by position has a number where its name would be. */
static bool header_requested_number(const struct rows_table *table)
{
    for (size_t i = 0; i < table->column_count && i < 64; i++)
        if (table->positions >> i & 1 &&
            quantity_vote((struct rows_cell){table->names[i], strlen(table->names[i])}) > 0 &&
            !header_is_unnamed(table, i))
            return true;
    return false;
}

int rows_read_columns(const char *text, size_t length, struct rows_table *table, size_t *used,
                      struct error_text *message)
{
    struct sample sample;
    struct rows_split split;
    bool header, repeated = false;
    size_t capacity = table->delimiter == ' ' ? 1 : 0;
    for (const char *c = text; c < text + length; c++)
        capacity += *c == table->delimiter || *c == '\t';
    if (!header_make_sample(&sample, text, length, capacity + 1))
        return error_set(message, STATUS_BAD, "out of memory");
    rows_split_init(&split, table->delimiter, sample.text, sample.length, sample.cells, sample.capacity);
    rows_split_next(&split);
    uint64_t line = table->lines + 1;
    char *end = NULL, doubtful[64] = "";
    int status = header_read_names(&split, table, &header, message);
    const char *number = !status && header && !table->header ? header_find_number(table, &split) : NULL;
    if (number)
        snprintf(doubtful, sizeof doubtful, "%s", number);
    bool asked = number && header_requested_number(table);
    if (!status)
        status = header_read_rows(&split, table, header, &repeated, &end, message);
    if (!status && header) {
        size_t taken = (size_t)(end - sample.text);
        *used += taken < length ? taken : length; /* a newline may have been added */
    }
    if (!status && number) {
        if (asked)
            error_set(&table->doubt, 0,
                      "line %zu is read as data, since it holds the number %.40s and columns are given by position; "
                      "say --no-header, or --header if these are names",
                      (size_t)line, doubtful);
        else if (repeated)
            error_set(
                &table->doubt, 0,
                "line %zu is read as data, since it holds the number %.40s and the rows below repeat a text of it; "
                "say --no-header, or --header if these are names",
                (size_t)line, doubtful);
        else
            error_set(
                &table->doubt, 0,
                "line %zu is read as the header, though '%.40s' in it is a number; say --header, or --no-header if "
                "it is data",
                (size_t)line, doubtful);
    }
    header_free_sample(&sample);
    return status ? status : number && (repeated || asked) ? ROWS_MORE : STATUS_GOOD;
}
