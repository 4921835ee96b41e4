/* Values of a CSV table, as a .gp reads them. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "plots/render/shape.h"

void shape_write_string(FILE *out, const char *text)
{
    /* gnuplot takes two quotes at the beginning for an empty string, and what follows for code. */
    for (; *text == '\''; text++)
        fputs("\"'\".", out);
    fputc('\'', out);
    size_t bytes, left = strlen(text);
    unsigned code;
    for (; left > 0; text += bytes, left -= bytes) {
        enum text_kind kind = text_next(text, left, &bytes, &code);
        if (kind == TEXT_DIRECTION)
            fprintf(out, "\\u%04x", code);
        else if (kind != TEXT_PLAIN)
            fputc('?', out);
        else if (*text == '\'')
            fputs("''", out);
        else
            fwrite(text, 1, bytes, out);
    }
    fputc('\'', out);
}

bool shape_read_number(const struct shape_source *source, size_t row, size_t column, double *value)
{
    return (source->table && table_number(source->table, row, column, value)) ||
           csv_number(source->csv, row, column, value);
}

double shape_value(const struct shape *shape, size_t row, size_t column)
{
    double value = NAN;
    if (column != CSV_NONE)
        shape_read_number(&shape->source, row, column, &value);
    return fabs(value) < 1 / SHAPE_MOST ? 0 : value;
}

void shape_write_number(FILE *out, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    fputs(isnan(value) ? "NaN" : text, out);
}

void shape_write_range(FILE *out, const char *name, size_t position, double least, double most)
{
    fprintf(out, "column_%s = %zu\nhas_%s = %d\nmin_%s = ", name, position, name, !isnan(most), name);
    shape_write_number(out, least);
    fprintf(out, "\nmax_%s = ", name);
    shape_write_number(out, most);
    fputc('\n', out);
}
