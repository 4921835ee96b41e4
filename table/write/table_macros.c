#include "table/model/table_macros.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/latex_values.h"
#include "base/shorten.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/text_set.h"
#include "base/text_stream.h"
#include "table/model/table_cells.h"
#include "table/model/table_round.h"
#include "table/model/table_view.h"

/* Longer texts may be broken into lines. */
enum { MACROS_ROW_LONGEST = 120, MACROS_TEXT_WHOLE = 14 };

struct table_macros {
    const struct table *table, *readers;
    char **rows;    /* [table_row_count(table)] */
    char **columns; /* [column_count], and then those of the estimates for readers */
};

/* ------------------------------------------------------------------------------------------ names -- */

/* The texts of a column as they are named, [row], NULL for blank ones: methods have short names. NULL without memory.
 */
static char **macros_name_texts(const struct table *table, size_t column)
{
    size_t rows = table_row_count(table), count = 0;
    bool methods = false, good;
    const char **texts = calloc(rows + 1, sizeof *texts);
    char **labels = calloc(rows + 1, sizeof *labels), **names = calloc(rows + 1, sizeof *names);
    good = texts && labels && names;
    for (size_t row = 0; good && row < rows; row++) {
        const char *text = table->cells[row * table->column_count + column].text;
        if (text) {
            methods |= shorten_is_method(text);
            texts[count++] = text;
        }
    }
    bool shortens = methods && count <= TABLE_VIEW_SHORT_MAX;
    good = good && (!shortens || shorten_names(texts, count, SIZE_MAX, labels));
    count = 0;
    for (size_t row = 0; good && row < rows; row++) {
        const char *text = table->cells[row * table->column_count + column].text;
        if (text) {
            good = (names[row] = strdup(shortens ? labels[count] : text)) != NULL;
            count++;
        }
        if (names[row])
            latex_values_clean_name(names[row]);
    }
    if (labels)
        shorten_drop(labels, shortens ? count : 0);
    if (!good && names)
        shorten_drop(names, rows);
    free(texts);
    free(labels);
    if (good)
        return names;
    free(names);
    return NULL;
}

/* Adds ".TEXT" to the name of each row. */
static int macros_append_column(struct table_macros *macros, size_t column)
{
    size_t rows = table_row_count(macros->table);
    char **names = macros_name_texts(macros->table, column);
    int error = names ? 0 : ENOMEM;
    for (size_t row = 0; row < rows && !error; row++) {
        char *longer;
        if (!names[row] || !*names[row])
            continue;
        if (asprintf(&longer, "%s.%.*s", macros->rows[row], MACROS_ROW_LONGEST, names[row]) < 0) {
            error = ENOMEM;
        } else {
            free(macros->rows[row]);
            macros->rows[row] = longer;
        }
    }
    if (names)
        shorten_drop(names, rows);
    free(names);
    return error;
}

/* Gives all rows of one name a number. A number that makes a name which another row has is skipped. */
static int macros_number_rows(struct table_macros *macros)
{
    size_t rows = table_row_count(macros->table);
    struct text_set names = {0};
    uint32_t *ids = calloc(rows + 1, sizeof *ids);
    size_t *uses = calloc(rows + 1, sizeof *uses), *next = calloc(rows + 1, sizeof *next);
    bool good = ids && uses && next;
    for (size_t row = 0; good && row < rows; row++) {
        ids[row] = text_set_add(&names, macros->rows[row]);
        good = ids[row] != TEXT_SET_FULL;
        if (good)
            uses[ids[row]]++;
    }
    for (size_t row = 0; good && row < rows; row++) {
        char *numbered = NULL;
        while (good && uses[ids[row]] > 1 && !numbered) {
            good = asprintf(&numbered, "%s.%zu", macros->rows[row], ++next[ids[row]]) >= 0;
            if (!good)
                numbered = NULL;
            else if (text_set_has(&names, numbered)) {
                free(numbered);
                numbered = NULL;
            }
        }
        if (numbered) {
            free(macros->rows[row]);
            macros->rows[row] = numbered;
            good = text_set_add(&names, numbered) != TEXT_SET_FULL;
        }
    }
    text_set_free(&names);
    free(ids);
    free(uses);
    free(next);
    return good ? 0 : ENOMEM;
}

/* Names from texts before the first real number. */
static int macros_name_rows(struct table_macros *macros, const char *prefix)
{
    const struct table *table = macros->table;
    size_t rows = table_row_count(table);
    int error = 0;
    for (size_t row = 0; row < rows && !error; row++)
        if (!(macros->rows[row] = strdup(prefix)))
            error = ENOMEM;
    for (size_t c = 0; c < table->column_count && !error; c++) {
        enum table_type type = table->columns[c].type;
        if (table_type_is_text(type))
            error = macros_append_column(macros, c);
        else if (!table_type_is_count(type))
            break;
    }
    return error ? error : macros_number_rows(macros);
}

/* A cell as part of a name. */
static char *macros_cell_name(const struct table *table, size_t row, size_t column)
{
    char digits[32];
    const char *text = table_plain(table, row, column, digits);
    char *name = strdup(text ? text : "none");
    if (name)
        latex_values_clean_name(name);
    return name;
}

static int macros_refuse_column(const struct table *table, const char *name, int length, struct error_text *message)
{
    const char *names[256], *suggested;
    char wanted[128], list[400] = "";
    size_t count = 0;
    snprintf(wanted, sizeof wanted, "%.*s", length, name);
    for (size_t c = 0; c < table->column_count && count < sizeof names / sizeof *names; c++) {
        names[count++] = table->columns[c].name;
        error_list(list, sizeof list, names[c]);
    }
    suggested = suggest_name(wanted, names, count);
    return suggested
               ? error_set(message, STATUS_USAGE, "--macro-name: {%s} is not a column (did you mean %s?)", wanted,
                           suggested)
               : error_set(message, STATUS_USAGE, "--macro-name: {%s} is not a column; columns are %s", wanted, list);
}

/* The template with the row's cells, into *name, which the caller frees. */
static int macros_expand(const struct table *table, size_t row, const char *template, char **name,
                         struct error_text *message)
{
    size_t size;
    FILE *out = text_stream_open(name, &size);
    int status = out ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    while (!status && *template) {
        int length = (int)strcspn(template + 1, "{}");
        if (*template != '{' || template[1 + length] != '}') {
            putc(*template ++, out);
            continue;
        }
        size_t c = 0;
        while (c < table->column_count &&
               (strncmp(table->columns[c].name, template + 1, (size_t)length) != 0 || table->columns[c].name[length]))
            c++;
        if (c == table->column_count) {
            status = macros_refuse_column(table, template + 1, length, message);
        } else {
            char *cell = macros_cell_name(table, row, c);
            if (!cell)
                status = error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
            fputs(cell ? cell : "", out);
            free(cell);
        }
        template += length + 2;
    }
    if (out && !text_stream_close(out, name) && !status)
        status = error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    return status;
}

static int macros_expand_rows(struct table_macros *macros, const char *template, struct error_text *message)
{
    struct text_set names = {0};
    int status = STATUS_GOOD;
    for (size_t row = 0; row < table_row_count(macros->table) && !status; row++) {
        char **name = &macros->rows[row];
        status = macros_expand(macros->table, row, template, name, message);
        if (!status && !latex_values_is_name(*name, ""))
            status = error_set(message, STATUS_USAGE, "--macro-name %.80s: TeX can't read this as a name", template);
        else if (!status && text_set_has(&names, *name))
            status =
                error_set(message, STATUS_USAGE,
                          "--macro-name: %.80s names two rows; write a column in braces into the name: {rank}", *name);
        else if (!status && text_set_add(&names, *name) == TEXT_SET_FULL)
            status = error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    }
    text_set_free(&names);
    return status;
}

/* A name that TeX can read for each column. Those that would be alike get their position. */
static int macros_name_columns(struct table_macros *macros)
{
    const struct table *tables[] = {macros->table, macros->readers};
    struct text_set names = {0};
    size_t at = 0;
    bool good = true;
    for (size_t t = 0; t < 2 && tables[t]; t++)
        for (size_t c = 0; good && c < tables[t]->column_count; c++, at++) {
            bool is_estimate = t == 1;
            char *name = strdup(tables[t]->columns[c].name), **full = &macros->columns[at];
            if (name)
                latex_values_clean_name(name);
            good = name && asprintf(full, "%s%s", name, is_estimate ? ".estimate" : "") >= 0;
            if (good && (!*name || text_set_has(&names, *full))) {
                free(*full);
                good = asprintf(full, "%s-%zu%s", name, c + 1, is_estimate ? ".estimate" : "") >= 0;
            }
            good = good && text_set_add(&names, *full) != TEXT_SET_FULL;
            free(name);
        }
    text_set_free(&names);
    return good ? 0 : ENOMEM;
}

int table_macros_new(const struct table *table, const struct table *readers, const char *template, const char *prefix,
                     struct table_macros **macros, struct error_text *message)
{
    struct table_macros *made = calloc(1, sizeof *made);
    int status = STATUS_GOOD, error = made ? 0 : ENOMEM;
    char *clean = strdup(prefix);
    if (readers && (readers == table || table_row_count(readers) != table_row_count(table)))
        readers = NULL;
    if (made && clean) {
        latex_values_clean_name(clean);
        made->table = table;
        made->readers = readers;
        made->rows = calloc(table_row_count(table) + 1, sizeof *made->rows);
        made->columns = calloc(table->column_count + (readers ? readers->column_count : 0) + 1, sizeof *made->columns);
        error = made->rows && made->columns ? macros_name_columns(made) : ENOMEM;
    }
    if (!error && clean && template)
        status = macros_expand_rows(made, template, message);
    else if (!error)
        error = clean ? macros_name_rows(made, clean) : ENOMEM;
    free(clean);
    if (error)
        status = error_set(message, STATUS_BAD, "%s", strerror(error));
    if (status)
        table_macros_free(made);
    else
        *macros = made;
    return status;
}

void table_macros_free(struct table_macros *macros)
{
    if (!macros)
        return;
    if (macros->rows)
        shorten_drop(macros->rows, table_row_count(macros->table));
    if (macros->columns)
        shorten_drop(macros->columns,
                     macros->table->column_count + (macros->readers ? macros->readers->column_count : 0));
    free(macros->rows);
    free(macros->columns);
    free(macros);
}

/* ------------------------------------------------------------------------------------------ values -- */

/* A value that is a number: in LaTeX it may be within dollars, which are not allowed in a formula. 0 or ENOMEM. */
static int macros_add_number(FILE *out, const char *row, const char *column, const char *latex)
{
    char *name, value[2 * TABLE_CELL_MAX + 32];
    size_t length = strlen(latex);
    if (asprintf(&name, "%s.%s", row, column) < 0)
        return ENOMEM;
    if (*latex == '$')
        snprintf(value, sizeof value, "\\ensuremath{%.*s}", (int)length - 2, latex + 1);
    else
        snprintf(value, sizeof value, "%s", latex);
    latex_values_add(out, name, value);
    free(name);
    return 0;
}

/* A value that is a text. 0 or ENOMEM. */
static int macros_add_text(FILE *out, const char *row, const char *column, const char *text)
{
    char *escaped = NULL, *name;
    size_t size;
    FILE *latex = text_stream_open(&escaped, &size);
    if (!latex)
        return ENOMEM;
    if (strlen(text) > MACROS_TEXT_WHOLE)
        text_write_latex_broken(latex, text);
    else
        text_write_latex(latex, text);
    bool failed = !text_stream_close(latex, &escaped) || asprintf(&name, "%s.%s", row, column) < 0;
    if (!failed) {
        latex_values_add(out, name, escaped);
        free(name);
    }
    free(escaped);
    return failed ? ENOMEM : 0;
}

/* The value of a cell, unless it is blank. */
static int macros_write_cell(FILE *out, const struct table *table, size_t row, size_t column, const char *row_name,
                             const char *name)
{
    const struct table_cell *cell = &table->cells[row * table->column_count + column];
    char text[TABLE_CELL_MAX], number[TABLE_ROUND_MAX];
    if (!cell->text && !cell->present)
        return 0;
    table_cell_text(table, row, column, true, text);
    if (!cell->text)
        return macros_add_number(out, row_name, name, text);
    if (!table_text_is_small_p(table, column, text))
        return macros_add_text(out, row_name, name, text);
    table_round_typeset(text, number);
    return macros_add_number(out, row_name, name, number);
}

/* Adds "[LOW, HIGH]" of two texts of numbers. `column`: "interval", or "ratio.interval". 0 or ENOMEM. */
static int macros_add_interval(FILE *out, const char *row_name, const char *column, char *low, char *high)
{
    char both[2 * TABLE_CELL_MAX];
    char *const bounds[] = {low, high};
    for (size_t b = 0; b < 2; b++)
        for (char *at; (at = strchr(bounds[b], '$'));)
            memmove(at, at + 1, strlen(at));
    snprintf(both, sizeof both, "$[%.100s, %.100s]$", low, high);
    return macros_add_number(out, row_name, column, both);
}

/* The interval of an estimate, whose bounds are rounded outwards to the digits that readers see. False if it has none,
 * or the number has a power of ten. */
static bool macros_round_bounds(const struct table *readers, size_t row, size_t column, char low[TABLE_CELL_MAX],
                                char high[TABLE_CELL_MAX])
{
    const struct table_cell *cell = &readers->cells[row * readers->column_count + column];
    char text[TABLE_CELL_MAX];
    if (!cell->present || !isfinite(cell->low) || !isfinite(cell->high))
        return false;
    table_cell_text(readers, row, column, true, text);
    if (strstr(text, "\\times"))
        return false;
    const char *point = text + strcspn(text, ".[\\");
    int decimals = *point == '.' ? (int)strspn(point + 1, "0123456789") : 0;
    /* Less than a step in the last digit that a double has must not round a bound away from itself. */
    double unit = pow(10, -decimals), steps[] = {cell->low / unit, cell->high / unit};
    table_round(floor(steps[0] + 1e-14 * fabs(steps[0])) * unit, decimals, true, low);
    table_round(ceil(steps[1] - 1e-14 * fabs(steps[1])) * unit, decimals, true, high);
    return true;
}

/* The column NAME_hi of a column NAME_lo, or hi of lo; SIZE_MAX: it is not a lower bound. *length: that of NAME_.
 */
static size_t macros_find_upper(const struct table *table, size_t column, size_t *length)
{
    const char *name = table->columns[column].name;
    *length = strlen(name) >= 2 ? strlen(name) - 2 : 0;
    if (strcmp(name + *length, "lo") != 0 || (*length > 0 && name[*length - 1] != '_'))
        return SIZE_MAX;
    for (size_t c = 0; c < table->column_count; c++)
        if (strncmp(table->columns[c].name, name, *length) == 0 &&
            strcmp(table->columns[c].name + *length, "hi") == 0 && !table_type_is_text(table->columns[c].type))
            return c;
    return SIZE_MAX;
}

/* The column in which readers see an estimate with these bounds; SIZE_MAX: there is none. */
static size_t macros_find_estimate(const struct table *readers, size_t row, double low, double high)
{
    for (size_t c = 0; readers && c < readers->column_count; c++) {
        const struct table_cell *cell = &readers->cells[row * readers->column_count + c];
        if (readers->columns[c].type == TABLE_ESTIMATE && cell->low == low && cell->high == high)
            return c;
    }
    return SIZE_MAX;
}

/* The intervals of a row: each pair of bounds, as readers see them where they do. 0 or ENOMEM. */
static int macros_write_intervals(FILE *out, const struct table_macros *macros, size_t row)
{
    const struct table *table = macros->table, *readers = macros->readers;
    char low[TABLE_CELL_MAX], high[TABLE_CELL_MAX], name[TABLE_CELL_MAX];
    int error = 0;
    for (size_t c = 0; c < table->column_count && !error; c++) {
        size_t length, upper = macros_find_upper(table, c, &length);
        double bounds[2];
        if (upper == SIZE_MAX || !table_number(table, row, c, &bounds[0]) || isnan(bounds[0]) ||
            !table_number(table, row, upper, &bounds[1]) || isnan(bounds[1]))
            continue;
        snprintf(name, sizeof name, "%.*s%sinterval", length ? (int)length - 1 : 0, table->columns[c].name,
                 length ? "." : "");
        size_t estimate = macros_find_estimate(readers, row, bounds[0], bounds[1]);
        if (estimate == SIZE_MAX || !macros_round_bounds(readers, row, estimate, low, high)) {
            table_cell_text(table, row, c, true, low);
            table_cell_text(table, row, upper, true, high);
        }
        error = macros_add_interval(out, macros->rows[row], name, low, high);
    }
    return error;
}

/* The column in which readers see these values without an interval; SIZE_MAX: there is none. */
static size_t macros_find_shown(const struct table_macros *macros, size_t column)
{
    const struct table *readers = macros->readers;
    for (size_t c = 0; readers && c < readers->column_count; c++)
        if (strcmp(readers->columns[c].name, macros->table->columns[column].name) == 0)
            return readers->columns[c].type == TABLE_ESTIMATE ? SIZE_MAX : c;
    return SIZE_MAX;
}

int table_write_macros(FILE *out, const struct table_macros *macros, const char *program)
{
    const struct table *table = macros->table, *readers = macros->readers;
    char full[128];
    int error = 0;
    snprintf(full, sizeof full, "assay %.100s", program);
    latex_values_begin(out, full);
    for (size_t row = 0; row < table_row_count(table) && !error; row++) {
        for (size_t c = 0; c < table->column_count && !error; c++) {
            size_t shown = macros_find_shown(macros, c);
            error = macros_write_cell(out, shown == SIZE_MAX ? table : readers, row, shown == SIZE_MAX ? c : shown,
                                      macros->rows[row], macros->columns[c]);
        }
        for (size_t c = 0; readers && c < readers->column_count && !error; c++)
            if (readers->columns[c].type == TABLE_ESTIMATE)
                error = macros_write_cell(out, readers, row, c, macros->rows[row],
                                          macros->columns[table->column_count + c]);
        if (!error)
            error = macros_write_intervals(out, macros, row);
    }
    return error;
}
