#include "table/read/rows_sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int rows_sink_init(struct rows_sink *sink, const struct rows_consumer *consumer, const struct rows_columns *columns,
                   const struct rows_request *request)
{
    *sink = (struct rows_sink){
        .consumer = consumer, .columns = columns, .skip_bad = request->skip_bad, .lone_values = request->lone_values};
    sink->values = calloc(columns->value_count, sizeof *sink->values);
    sink->group = calloc(ROWS_BATCH, sizeof *sink->group);
    sink->group_cells = calloc(columns->group_count + 1, sizeof *sink->group_cells);
    if (!sink->values || !sink->group || !sink->group_cells ||
        rows_groups_init(&sink->groups, columns->group_count) != 0)
        return -1;
    for (size_t v = 0; v < columns->value_count; v++)
        if (!(sink->values[v] = malloc(ROWS_BATCH * sizeof **sink->values)))
            return -1;
    return 0;
}

void rows_sink_free(struct rows_sink *sink)
{
    for (size_t v = 0; sink->values && v < sink->columns->value_count; v++)
        free(sink->values[v]);
    free(sink->values);
    free(sink->group);
    free(sink->group_cells);
    rows_groups_free(&sink->groups);
    *sink = (struct rows_sink){0};
}

void rows_sink_begin(struct rows_sink *sink, const struct rows_table *table)
{
    sink->table = table;
    sink->state = NULL;
    sink->row_count = 0;
    sink->rows = sink->skipped = sink->rounded = sink->row_rounded = sink->blank = 0;
    sink->batch_blank = sink->row_blank = 0;
    sink->fault.any = false;
    sink->bad.count = 0;
    sink->status = STATUS_GOOD;
    rows_groups_clear(&sink->groups);
}

bool rows_sink_no_memory(struct rows_sink *sink)
{
    sink->status = error_set(&sink->message, STATUS_BAD, "out of memory");
    return false;
}

/* ------------------------------------------------------------------------------------------ good rows -- */

static bool rows_sink_feed(struct rows_sink *sink)
{
    const struct rows_batch batch = {sink->row_count, (const struct decimal *const *)sink->values, sink->group,
                                     sink->batch_blank};
    uint32_t group_total = sink->groups.column_count ? sink->groups.count : 1;
    if (!sink->state && sink->consumer->init(&sink->state, sink->columns, sink->consumer->own) != 0)
        return rows_sink_no_memory(sink);
    sink->rows += sink->row_count;
    sink->row_count = sink->batch_blank = 0;
    sink->status = sink->consumer->feed(sink->state, &batch, sink->groups.texts, group_total, &sink->message);
    return sink->status == STATUS_GOOD;
}

bool rows_sink_end(struct rows_sink *sink)
{
    return sink->row_count == 0 || rows_sink_feed(sink);
}

/* Remembers the group of a row that is bad, as its group_cells have it. */
static void rows_sink_note_bad_group(struct rows_sink *sink)
{
    struct rows_bad_groups *bad = &sink->bad;
    char name[sizeof bad->names[0]] = "";
    size_t length = 0, most = sizeof bad->names / sizeof *bad->names;
    size_t columns = sink->columns->group_count - sink->columns->within_count;
    for (size_t g = 0; g < columns; g++) {
        struct rows_cell cell = sink->group_cells[g];
        length += (size_t)snprintf(name + length, sizeof name - length, "%s%.*s", g > 0 ? ", " : "", (int)cell.length,
                                   cell.text);
        if (length >= sizeof name) /* a cut name may be that of another group */
            return;
    }
    for (size_t i = 0; i < bad->count; i++)
        if (strcmp(bad->names[i], name) == 0)
            return;
    if (bad->count == 0)
        bad->first = sink->rows + sink->row_count == 0;
    if (bad->count < most && columns > 0)
        strcpy(bad->names[bad->count++], name);
}

bool rows_sink_row(struct rows_sink *sink, uint64_t position)
{
    if (sink->row_blank == sink->columns->value_count) {
        /* All values of the row are missing. */
        if (sink->skip_bad) {
            rows_sink_note_bad_group(sink);
            return rows_sink_bad(sink, position, sink->columns->values[0], "the cell is blank");
        }
        sink->blank += sink->row_blank;
        sink->row_blank = 0;
        return true;
    }
    uint32_t group = rows_groups_find(&sink->groups, sink->group_cells);
    if (group == ROWS_GROUP_FULL)
        return rows_sink_no_memory(sink);
    if (group == ROWS_GROUP_NUL) {
        /* The text of the row that contains a NUL byte. */
        size_t c = 0;
        while (c + 1 < sink->columns->group_count &&
               !memchr(sink->group_cells[c].text, '\0', sink->group_cells[c].length))
            c++;
        return rows_sink_bad(sink, position, sink->columns->groups[c], "the cell holds a NUL byte");
    }
    sink->rounded += sink->row_rounded;
    sink->blank += sink->row_blank;
    sink->batch_blank += sink->row_blank;
    sink->row_rounded = sink->row_blank = 0;
    sink->group[sink->row_count] = group;
    if (++sink->row_count < ROWS_BATCH)
        return true;
    return rows_sink_feed(sink);
}

/* ------------------------------------------------------------------------------------------ bad rows -- */

static void rows_sink_set_fault(struct rows_sink *sink, uint64_t position, const char *column, bool fatal)
{
    sink->fault.any = true;
    sink->fault.fatal = fatal;
    sink->fault.position = position;
    sink->fault.in_column = column != NULL;
    snprintf(sink->fault.column, sizeof sink->fault.column, "%.63s", column ? column : "");
    sink->fault.hint[0] = '\0';
}

bool rows_sink_bad(struct rows_sink *sink, uint64_t position, const char *column, const char *format, ...)
{
    sink->skipped++;
    sink->row_rounded = sink->row_blank = 0;
    if (!sink->fault.any) {
        va_list values;
        rows_sink_set_fault(sink, position, column, false);
        va_start(values, format);
        vsnprintf(sink->fault.what, sizeof sink->fault.what, format, values);
        va_end(values);
    }
    return sink->skip_bad;
}

bool rows_sink_fatal(struct rows_sink *sink, uint64_t position, const char *what)
{
    rows_sink_set_fault(sink, position, NULL, true);
    snprintf(sink->fault.what, sizeof sink->fault.what, "%s", what);
    return false;
}

/* Whether a number has more digits, from the first to the last that is not 0, than decimal_parse() keeps. */
static bool rows_sink_is_rounded(struct rows_cell cell)
{
    size_t digits = 0, significant = 0;
    if (cell.length <= DECIMAL_DIGITS)
        return false;
    for (size_t i = 0; i < cell.length && cell.text[i] != 'e' && cell.text[i] != 'E'; i++) {
        bool digit = cell.text[i] >= '0' && cell.text[i] <= '9';
        digits += digit && (digits > 0 || cell.text[i] != '0');
        if (digit && cell.text[i] != '0')
            significant = digits;
    }
    return significant > DECIMAL_DIGITS;
}

/* Whether value v may be missing. If a tool gives no such cell, it was not measured; otherwise the user must allow it.
 */
static bool rows_sink_add_blank(struct rows_sink *sink, struct decimal *value)
{
    bool allowed = sink->skip_bad || sink->table->kind == ROWS_HARNESS;
    if (!sink->lone_values || !allowed)
        return false;
    *value = (struct decimal){0, ROWS_MISSING};
    sink->row_blank++;
    return true;
}

bool rows_sink_parse(struct rows_sink *sink, size_t v, const struct rows_measured *measured)
{
    struct decimal *value = rows_sink_value(sink, v);
    const struct rows_unit *unit = &sink->columns->units[v];
    const struct quantity_unit *own_unit;
    struct rows_cell cell = measured->cell;
    sink->row_rounded += rows_sink_is_rounded(cell);
    if (measured->source->how == ROWS_UNIT_IN_CELLS)
        return rows_trim(cell).length == 0
                   ? rows_sink_add_blank(sink, value)
                   : quantity_parse(cell, value, &own_unit) && quantity_convert(value, own_unit, unit->to);
    if (decimal_parse(cell.text, cell.length, value) != STATS_OK) {
        cell = rows_trim(cell);
        if (cell.length == 0)
            return rows_sink_add_blank(sink, value);
        if (decimal_parse(cell.text, cell.length, value) != STATS_OK)
            return false;
    }
    return rows_unit_convert(unit, measured->source, measured->unit, value);
}

struct rows_cell rows_sink_group(const struct rows_sink *sink, size_t group, struct rows_cell cell)
{
    for (size_t v = 0; v < sink->columns->value_count; v++)
        if (sink->columns->units[v].group == group)
            return rows_unit_text(&sink->columns->units[v], cell);
    return cell;
}

/* "write 1.5" for 1,5, "write 1234.5" for 1,234.5, and both for 1,500. */
static void rows_sink_suggest_point(struct rows_fault *fault, struct rows_cell cell)
{
    char point[32] = "", plain[32] = "";
    struct decimal value;
    const char *comma = memchr(cell.text, ',', cell.length);
    if (!comma || cell.length >= sizeof point)
        return;
    memcpy(point, cell.text, cell.length);
    point[comma - cell.text] = '.';
    bool decimal = decimal_parse(point, cell.length, &value) == STATS_OK;

    /* The cell without commas between thousands; they must not be elsewhere. */
    size_t length = 0, since = 0;
    bool any = false, fraction = false, thousands = true;
    for (size_t i = 0; i < cell.length && thousands; i++) {
        char c = cell.text[i];
        thousands = c != ',' || !(fraction || i == 0 || (any && since != 3));
        any |= c == ',';
        fraction |= c == '.';
        since = c == ',' ? 0 : since + !fraction;
        if (c != ',')
            plain[length++] = c;
    }
    plain[length] = '\0';
    thousands = thousands && any && since == 3 && decimal_parse(plain, length, &value) == STATS_OK;
    if (decimal && thousands)
        snprintf(fault->hint, sizeof fault->hint, "write %.20s, or %.20s if that is meant", plain, point);
    else if (decimal || thousands)
        snprintf(fault->hint, sizeof fault->hint, "write %.32s", decimal ? point : plain);
}

static bool rows_sink_is_infinite_or_nan(struct rows_cell cell)
{
    static const char *const names[] = {"nan", "inf", "infinity", "na"};
    size_t sign = cell.length > 0 && (*cell.text == '-' || *cell.text == '+');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cell.length - sign == strlen(names[i]) && strncasecmp(cell.text + sign, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* As much of a cell as fits into a message, without a partial character at its end. */
static int rows_sink_shown_length(struct rows_cell cell)
{
    enum { SHOWN = 60 };
    size_t length = cell.length < SHOWN ? cell.length : SHOWN;
    while (length > 0 && length < cell.length && ((unsigned char)cell.text[length] & 0xc0) == 0x80)
        length--;
    return (int)length;
}

bool rows_sink_no_number(struct rows_sink *sink, uint64_t position, size_t v, const struct rows_measured *measured)
{
    struct rows_cell cell = measured->cell;
    const char *column = sink->columns->values[v];
    bool first = !sink->fault.any;
    struct decimal value;
    cell = rows_trim(cell);
    if (cell.length == 0)
        return rows_sink_bad(sink, position, column, "the cell is blank");
    const struct quantity_unit *wanted =
        measured->source->how == ROWS_UNIT_IN_CELLS ? sink->columns->units[v].to : NULL;
    const struct quantity_unit *unit;
    if (measured->source->how == ROWS_UNIT_BY_COLUMN && decimal_parse(cell.text, cell.length, &value) == STATS_OK) {
        /* A number, but its row has another unit than those before. */
        struct rows_cell bad_unit = rows_trim(measured->unit);
        const char *unit_column = sink->table->names[measured->source->column];
        if (bad_unit.length == 0)
            return rows_sink_bad(sink, position, unit_column, "the cell is blank, but values are in %.40s",
                                 sink->columns->units[v].text);
        return rows_sink_bad(sink, position, unit_column,
                             "'%.*s' can't be converted to %.40s, as the others are; --by '%.30s' tells "
                             "them apart",
                             rows_sink_shown_length(bad_unit), bad_unit.text, sink->columns->units[v].text,
                             unit_column);
    }
    const char *why = "not a number";
    if (wanted && quantity_parse(cell, &value, &unit))
        return rows_sink_bad(sink, position, column, "'%.*s' can't be converted to %s, as the others are",
                             rows_sink_shown_length(cell), cell.text, wanted->name);
    if (wanted)
        return rows_sink_bad(sink, position, column, "'%.*s' is not a number with a unit, as the others are",
                             rows_sink_shown_length(cell), cell.text);
    if (quantity_parse(cell, &value, &unit))
        return rows_sink_bad(sink, position, column, "'%.*s' has a unit, but the first rows have none",
                             rows_sink_shown_length(cell), cell.text);
    if (rows_sink_is_infinite_or_nan(cell))
        why = "not a finite number";
    else if (decimal_parse(cell.text, cell.length, &value) == STATS_OVERFLOW)
        why = "beyond the range of double precision";
    bool more = rows_sink_bad(sink, position, column, "'%.*s%s' is %s", rows_sink_shown_length(cell), cell.text,
                              (size_t)rows_sink_shown_length(cell) < cell.length ? "…" : "", why);
    if (first)
        rows_sink_suggest_point(&sink->fault, cell);
    return more;
}

void rows_sink_wide_blank(struct rows_sink *sink)
{
    sink->blank++;
}

/* ------------------------------------------------------------------------------------------ rows of cells -- */

struct rows_cell *rows_make_cells(const struct rows_table *table)
{
    struct rows_cell *cells = calloc(table->column_count + ROWS_MORE_CELLS, sizeof *cells);
    if (cells)
        rows_set_path_cells(table, cells);
    return cells;
}

void rows_set_path_cells(const struct rows_table *table, struct rows_cell *cells)
{
    cells[table->column_count + ROWS_FILE] = (struct rows_cell){table->path, strlen(table->path)};
    cells[table->column_count + ROWS_DIRECTORY] = table->directory;
}

/* The cell of a column; with blanks as delimiters, including its unit in the next one. */
static struct rows_cell rows_sink_value_cell(const struct rows_table *table, const struct rows_cell *cells,
                                             size_t column)
{
    struct rows_cell cell = cells[column], next;
    if (!table->unit_of[column].split)
        return cell;
    next = cells[column + 1];
    return (struct rows_cell){cell.text, (size_t)(next.text + next.length - cell.text)};
}

static struct rows_measured rows_sink_measured(const struct rows_table *table, const struct rows_cell *cells,
                                               struct rows_cell cell, size_t v)
{
    const struct rows_unit_source *source = &table->source[v];
    bool by_column = source->how == ROWS_UNIT_BY_COLUMN;
    return (struct rows_measured){cell, source, by_column ? cells[source->column] : (struct rows_cell){"", 0}};
}

bool rows_take_cells(struct rows_sink *sink, struct rows_cell *cells, uint64_t position)
{
    const struct rows_table *table = sink->table;
    const struct rows_columns *columns = sink->columns;
    if (table->wide_count > 0) {
        /* One row for each wide column with a value. */
        bool more = true;
        for (size_t w = 0; more && w < table->wide_count; w++) {
            const char *name = table->names[table->wide_at[w]];
            struct rows_cell cell = rows_sink_value_cell(table, cells, table->wide_at[w]);
            const struct rows_measured measured = rows_sink_measured(table, cells, cell, w);
            if (rows_trim(cell).length == 0) {
                rows_sink_wide_blank(sink);
                continue;
            }
            if (!rows_sink_parse(sink, 0, &measured))
                return rows_sink_no_number(sink, position, 0, &measured);
            cells[table->column_count + ROWS_WIDE] = (struct rows_cell){name, strlen(name)};
            for (size_t g = 0; g < sink->columns->group_count; g++)
                sink->group_cells[g] = rows_sink_group(sink, g, cells[table->group_at[g]]);
            more = rows_sink_row(sink, position);
        }
        return more;
    }
    for (size_t g = 0; g < columns->group_count; g++)
        sink->group_cells[g] = rows_sink_group(sink, g, cells[table->group_at[g]]);
    for (size_t v = 0; v < columns->value_count; v++) {
        const struct rows_measured measured =
            rows_sink_measured(table, cells, rows_sink_value_cell(table, cells, table->value_at[v]), v);
        if (!rows_sink_parse(sink, v, &measured)) {
            rows_sink_note_bad_group(sink);
            return rows_sink_no_number(sink, position, v, &measured);
        }
    }
    return rows_sink_row(sink, position);
}
