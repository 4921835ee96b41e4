#include "table/model/table_view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shorten.h"
#include "base/suggest.h"
#include "base/text_set.h"
#include "base/text_stream.h"
#include "table/model/table_cells.h"

enum { SHORT_LONGEST = 40 };

/* Where a column of the view comes from. */
struct view_source {
    const struct table *table;
    size_t column;
};

struct view_sorting {
    const struct table_view *view;
    const struct view_source *keys; /* [order_count] */
};

bool table_view_is_plain(const struct table_view *view)
{
    return view->column_count == 0 && view->rename_count == 0 && view->order_count == 0 && !view->shortens &&
           view->digits == 0;
}

/* ------------------------------------------------------------------------------------------ columns -- */

static bool view_find_in(const struct table *table, const char *name, struct view_source *source)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, name) == 0) {
            *source = (struct view_source){table, c};
            return true;
        }
    return false;
}

static int view_report_unknown(const char *option, const char *name, const struct table *table,
                               const struct table *other, struct error_text *message)
{
    const struct table *tables[] = {table, other};
    const char *names[512], *suggested;
    char list[600] = "";
    size_t count = 0;
    struct view_source seen;
    for (size_t t = 0; t < 2 && tables[t]; t++)
        for (size_t c = 0; c < tables[t]->column_count && count < sizeof names / sizeof *names; c++)
            if (t == 0 || !view_find_in(table, other->columns[c].name, &seen)) {
                names[count++] = tables[t]->columns[c].name;
                error_list(list, sizeof list, names[count - 1]);
            }
    suggested = suggest_name(name, names, count);
    return suggested ? error_set(message, STATUS_USAGE, "--%s: the table has no column '%.80s' (did you mean %s?)",
                                 option, name, suggested)
                     : error_set(message, STATUS_USAGE, "--%s: the table has no column '%.80s'; columns are %s", option,
                                 name, list);
}

/* `option` asks for the column. */
static int view_find(const char *option, const char *name, const struct table *table, const struct table *other,
                     struct view_source *source, struct error_text *message)
{
    return view_find_in(table, name, source) || (other && view_find_in(other, name, source))
               ? STATUS_GOOD
               : view_report_unknown(option, name, table, other, message);
}

static const char *view_new_name(const struct table_view *view, const char *name)
{
    for (size_t r = 0; r < view->rename_count; r++)
        if (strcmp(view->renames[r].from, name) == 0)
            return view->renames[r].to;
    return name;
}

/* The columns of the view, of the number that is in *count. */
static int view_choose(const struct table_view *view, const struct table *table, const struct table *other,
                       struct view_source *sources, size_t *count, struct error_text *message)
{
    struct view_source found;
    int status = STATUS_GOOD;
    *count = view->column_count ? view->column_count : table->column_count;
    for (size_t c = 0; c < *count && !status; c++) {
        sources[c] = (struct view_source){table, c};
        if (view->column_count)
            status = view_find("columns", view->columns[c], table, other, &sources[c], message);
        for (size_t before = 0; view->column_count && before < c && !status; before++)
            if (strcmp(view->columns[before], view->columns[c]) == 0)
                status = error_set(message, STATUS_USAGE, "--columns: '%.80s' is given twice", view->columns[c]);
    }
    for (size_t r = 0; r < view->rename_count && !status; r++)
        status = view_find("rename", view->renames[r].from, table, other, &found, message);
    return status;
}

/* An empty table of these columns, with their new names. */
static int view_create(const struct table_view *view, const struct view_source *sources, size_t count,
                       struct table **made, struct error_text *message)
{
    struct table_column *columns = calloc(count + 1, sizeof *columns);
    struct table *table = NULL;
    int status = STATUS_GOOD;
    for (size_t c = 0; columns && c < count; c++) {
        const struct table_column *column = &sources[c].table->columns[sources[c].column];
        columns[c] = (struct table_column){view_new_name(view, column->name), column->type};
        for (size_t before = 0; before < c && view->rename_count > 0 && !status; before++)
            if (strcmp(columns[before].name, columns[c].name) == 0)
                status =
                    error_set(message, STATUS_USAGE, "--rename: two columns would be called '%.80s'", columns[c].name);
    }
    if (columns && !status)
        table = table_new(columns, count);
    if (table)
        table->origins = calloc(count + 1, sizeof *table->origins);
    for (size_t c = 0; table && table->origins && c < count; c++)
        if (!(table->origins[c] = strdup(table_origin(sources[c].table, sources[c].column))))
            table->no_memory = true;
    free(columns);
    *made = table;
    if (!status && (!table || !table->origins || table->no_memory))
        status = error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    return status;
}

/* ------------------------------------------------------------------------------------------ rows -- */

static int view_compare_cells(const struct view_source *key, size_t a, size_t b, bool descending)
{
    const struct table *table = key->table;
    const struct table_cell *left = &table->cells[a * table->column_count + key->column],
                            *right = &table->cells[b * table->column_count + key->column];
    bool text = table_type_is_text(table->columns[key->column].type),
         count = table_type_is_count(table->columns[key->column].type);
    bool left_blank = text ? !left->text : !left->present, right_blank = text ? !right->text : !right->present;
    int order;
    if (left_blank || right_blank)
        return left_blank - right_blank;
    if (text)
        order = strverscmp(left->text, right->text);
    else if (count)
        order = (left->count > right->count) - (left->count < right->count);
    else
        order = (left->real > right->real) - (left->real < right->real);
    return descending ? -order : order;
}

static int view_compare_rows(const void *left, const void *right, void *context)
{
    const struct view_sorting *sorting = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    for (size_t o = 0; o < sorting->view->order_count; o++) {
        int order = view_compare_cells(&sorting->keys[o], a, b, sorting->view->orders[o].descending);
        if (order)
            return order;
    }
    return (a > b) - (a < b);
}

/* The values to sort by: numbers, if readers have them as texts. */
static int view_find_key(const char *name, const struct table *table, const struct table *other,
                         struct view_source *key, struct error_text *message)
{
    struct view_source number;
    int status = view_find("sort", name, table, other, key, message);
    if (!status && other && table_type_is_text(key->table->columns[key->column].type) &&
        view_find_in(other, name, &number) && !table_type_is_text(other->columns[number.column].type))
        *key = number;
    return status;
}

/* The order of rows: rows[i] is the row of the table that is row i of the view. */
static int view_sort(const struct table_view *view, const struct table *table, const struct table *other, size_t *rows,
                     struct error_text *message)
{
    size_t count = table_row_count(table);
    struct view_source *keys = calloc(view->order_count + 1, sizeof *keys);
    int status = keys ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    for (size_t o = 0; o < view->order_count && !status; o++)
        status = view_find_key(view->orders[o].column, table, other, &keys[o], message);
    for (size_t row = 0; row < count; row++)
        rows[row] = row;
    struct view_sorting sorting = {view, keys};
    if (!status && view->order_count > 0)
        qsort_r(rows, count, sizeof *rows, view_compare_rows, &sorting);
    free(keys);
    return status;
}

/* A p-value keeps its logarithm, even if the view lacks that column. */
static void view_keep_log10_p(const struct view_source *source, size_t row, struct table_cell *cell)
{
    double log10_p;
    if (source->table->columns[source->column].type == TABLE_REAL &&
        table_find_log10_p(source->table, row, source->column, &log10_p)) {
        cell->is_p = true;
        cell->high = log10_p;
    }
}

/* Whether a column has lower bounds of intervals, −1, or upper ones, 1: "lo", "share_hi". */
static int view_bound(const char *name)
{
    size_t length = strlen(name);
    if (length < 2 || (length > 2 && name[length - 3] != '_'))
        return 0;
    return strcmp(name + length - 2, "hi") == 0 ? 1 : strcmp(name + length - 2, "lo") == 0 ? -1 : 0;
}

/* To so many significant digits: to the nearest number, or for a bound (−1, 1) to the next one outwards. */
static double view_round(double value, int digits, int bound)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    double nearest = strtod(text, NULL);
    if (nearest == value || (bound < 0 ? nearest < value : nearest > value) || bound == 0)
        return nearest;
    double unit = pow(10, strtod(strchr(text, 'e') + 1, NULL) - digits + 1);
    return view_round(nearest + bound * unit, digits, 0);
}

static void view_copy_cell(const struct table_view *view, const struct view_source *source, size_t row, bool rounds,
                           struct table *made)
{
    const struct table_cell *from = &source->table->cells[row * source->table->column_count + source->column];
    enum table_type type = source->table->columns[source->column].type;
    if (from->text) {
        table_text(made, from->text);
        return;
    }
    table_blank(made);
    if (made->no_memory)
        return;
    struct table_cell *cell = &made->cells[made->cell_count - 1];
    *cell = *from;
    view_keep_log10_p(source, row, cell);
    int bound = view_bound(table_origin(source->table, source->column));
    if (view->digits && (rounds || bound) && cell->present && !table_type_is_count(type) && isfinite(cell->real))
        cell->real = view_round(cell->real, view->digits, bound);
}

/* ------------------------------------------------------------------------------------------ short names -- */

/* The lines of a column's texts, each once. */
static bool view_collect_names(const struct table *table, size_t column, struct text_set *names)
{
    for (size_t row = 0; row < table_row_count(table); row++) {
        char *text = table->cells[row * table->column_count + column].text, *copy = text ? strdup(text) : NULL, *rest,
             *line;
        if (text && !copy)
            return false;
        for (rest = copy; (line = strsep(&rest, "\n"));)
            if (text_set_add(names, line) == TEXT_SET_FULL) {
                free(copy);
                return false;
            }
        free(copy);
    }
    return true;
}

/* A text whose lines are replaced by their labels; NULL without memory. */
static char *view_shorten_lines(const char *text, const struct text_set *names, char *const *labels)
{
    char *made = NULL, *copy = strdup(text), *rest = copy, *line;
    size_t size;
    FILE *out = copy ? text_stream_open(&made, &size) : NULL;
    for (const char *separator = ""; out && (line = strsep(&rest, "\n")); separator = "\n")
        fprintf(out, "%s%s", separator, labels[text_set_find(names, line)]);
    free(copy);
    text_stream_close(out, &made);
    return made;
}

static int view_shorten_column(struct table *table, size_t column, struct error_text *message)
{
    struct text_set names = {0};
    char **labels = NULL;
    bool good = view_collect_names(table, column, &names), methods = false;
    int status = STATUS_GOOD;
    if (names.count > TABLE_VIEW_SHORT_MAX)
        status = error_set(message, STATUS_USAGE,
                           "--short: column %.80s has %u different names, and at most %d can be shortened; choose rows",
                           table->columns[column].name, names.count, TABLE_VIEW_SHORT_MAX);
    for (uint32_t i = 0; i < names.count; i++)
        methods |= shorten_is_method(names.texts[i]);
    if (!status) {
        const char *const *texts = (const char *const *)names.texts;
        labels = calloc((size_t)names.count + 1, sizeof *labels);
        good = good && labels &&
               (methods ? shorten_names(texts, names.count, SHORT_LONGEST, labels)
                        : shorten_texts(texts, names.count, SHORT_LONGEST, labels));
    }
    for (size_t row = 0; good && !status && row < table_row_count(table); row++) {
        struct table_cell *cell = &table->cells[row * table->column_count + column];
        char *text = cell->text ? view_shorten_lines(cell->text, &names, labels) : NULL;
        good = text || !cell->text;
        if (text) {
            free(cell->text);
            cell->text = text;
        }
    }
    if (labels)
        shorten_drop(labels, names.count);
    free(labels);
    text_set_free(&names);
    return status || good ? status : error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
}

/* ------------------------------------------------------------------------------------------ view -- */

static int view_fill(const struct table_view *view, const struct view_source *sources, const size_t *rows,
                     size_t row_count, bool rounds, struct table *made, struct error_text *message)
{
    int status = STATUS_GOOD;
    for (size_t row = 0; row < row_count; row++)
        for (size_t c = 0; c < made->column_count; c++)
            view_copy_cell(view, &sources[c], rows[row], rounds, made);
    if (!rounds)
        made->digits = view->digits;
    if (made->no_memory)
        return error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    for (size_t c = 0; c < made->column_count && view->shortens && !status; c++)
        if (table_type_is_text(made->columns[c].type))
            status = view_shorten_column(made, c, message);
    return status;
}

int table_view_make(const struct table_view *view, const struct table *table, const struct table *other, bool rounds,
                    struct table **made, struct error_text *message)
{
    size_t count, most = view->column_count > table->column_count ? view->column_count : table->column_count;
    struct view_source *sources = calloc(most + 1, sizeof *sources);
    size_t *rows = calloc(table_row_count(table) + 1, sizeof *rows);
    struct table *result = NULL;
    if (other && table_row_count(other) != table_row_count(table))
        other = NULL;
    int status = sources && rows ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    if (!status)
        status = view_choose(view, table, other, sources, &count, message);
    if (!status)
        status = view_sort(view, table, other, rows, message);
    if (!status)
        status = view_create(view, sources, count, &result, message);
    if (!status)
        status = view_fill(view, sources, rows, table_row_count(table), rounds, result, message);
    free(sources);
    free(rows);
    if (status)
        table_free(result);
    else
        *made = result;
    return status;
}
