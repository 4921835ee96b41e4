#include "table/model/table_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_text.h"
#include "base/text.h"

static const struct table_cell *table_cell_at(const struct table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

const char *table_plain(const struct table *table, size_t row, size_t column, char digits[32])
{
    const struct table_cell *cell = table_cell_at(table, row, column);
    if (cell->text)
        return cell->text;
    if (!cell->present)
        return NULL;
    if (table_type_is_count(table->columns[column].type))
        snprintf(digits, 32, "%" PRIu64, cell->count);
    else
        table_digits(cell->real, digits);
    return digits;
}

void table_write_separated(FILE *out, const struct table *table, char separator)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (c > 0)
            putc(separator, out);
        csv_text_write(out, table->columns[c].name, strlen(table->columns[c].name), separator);
    }
    putc('\n', out);
    for (size_t row = 0; row < table_row_count(table); row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            char digits[32];
            const char *text = table_plain(table, row, c, digits);
            bool cell_is_text = table_cell_at(table, row, c)->text != NULL;
            if (c > 0)
                putc(separator, out);
            if (text && cell_is_text)
                csv_text_write(out, text, strlen(text), separator);
            else if (text)
                fputs(text, out);
        }
        putc('\n', out);
    }
}

static void table_write_json_string(FILE *out, const char *text)
{
    json_t *string = text_json(text, strlen(text));
    if (!string || json_dumpf(string, out, JSON_ENCODE_ANY) != 0)
        fputs("null", out);
    json_decref(string);
}

/* Like json_dumpf(), which however uses 17 digits for every real. A whole one keeps its ".0". */
static void table_write_json_value(FILE *out, const json_t *value)
{
    char digits[32];
    const char *key, *separator = "{";
    size_t i;
    json_t *part;
    json_t *it = (json_t *)(uintptr_t)value;
    if (json_is_object(it)) {
        json_object_foreach(it, key, part)
        {
            fputs(separator, out);
            table_write_json_string(out, key);
            fputs(": ", out);
            table_write_json_value(out, part);
            separator = ", ";
        }
        fputs(*separator == '{' ? "{}" : "}", out);
    } else if (json_is_array(it)) {
        putc('[', out);
        json_array_foreach(it, i, part)
        {
            fputs(i ? ", " : "", out);
            table_write_json_value(out, part);
        }
        putc(']', out);
    } else if (json_is_real(it)) {
        table_digits(json_real_value(it), digits);
        fprintf(out, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
    } else if (json_dumpf(it, out, JSON_ENCODE_ANY) != 0) {
        fputs("null", out);
    }
}

static void table_write_json_member(FILE *out, const char *name, const json_t *value, const char *otherwise)
{
    fprintf(out, "  \"%s\": ", name);
    if (value)
        table_write_json_value(out, value);
    else
        fputs(otherwise, out);
    fputs(",\n", out);
}

void table_write_json(FILE *out, const struct table *table, const struct table_frame *frame)
{
    fputs("{\n", out);
    fprintf(out, "  \"assay\": \"%s\",\n  \"program\": \"%s\",\n", ASSAY_VERSION, frame->program);
    table_write_json_member(out, "input", frame->input, "[]");
    table_write_json_member(out, "loss", frame->loss, "{}");
    table_write_json_member(out, "warnings", frame->warnings, "[]");
    table_write_json_member(out, "notes", frame->notes, "[]");
    if (frame->summary)
        table_write_json_member(out, "summary", frame->summary, "{}");
    fputs("  \"results\": [", out);
    for (size_t row = 0; row < table_row_count(table); row++) {
        fputs(row ? ",\n    {" : "\n    {", out);
        for (size_t c = 0; c < table->column_count; c++) {
            fputs(c ? ", " : "", out);
            table_write_json_string(out, table->columns[c].name);
            fputs(": ", out);
            /* Infinities are not JSON numbers: they are written as strings, so that nobody takes them for a missing
             * value. */
            const struct table_cell *cell = table_cell_at(table, row, c);
            enum table_type type = table->columns[c].type;
            char digits[32];
            if (cell->text)
                table_write_json_string(out, cell->text);
            else if (!cell->present)
                fputs("null", out);
            else if (!table_type_is_count(type) && isinf(cell->real))
                fputs(cell->real > 0 ? "\"inf\"" : "\"-inf\"", out);
            else
                fputs(table_plain(table, row, c, digits), out);
        }
        putc('}', out);
    }
    fputs(table_row_count(table) ? "\n  ]\n}\n" : "]\n}\n", out);
}
