/* Values of a CSV table, as a .gp reads them. */
#include <math.h>

#include "plots/render/shape.h"

/* Bytes that are not UTF-8 text would make the figure an invalid file of its format. */
static size_t shape_utf8_width(const unsigned char *text)
{
    size_t width = *text < 0x80 ? 1 : *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;
    if (*text < ' ' || *text == 0x7f || (*text >= 0x80 && *text < 0xc2) || *text > 0xf4)
        return 0;
    for (size_t i = 1; i < width; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return width;
}

void shape_write_string(FILE *out, const char *text)
{
    fputc('\'', out);
    for (size_t width; *text; text += width ? width : 1) {
        width = shape_utf8_width((const unsigned char *)text);
        if (!width)
            fputc('?', out);
        else if (*text == '\'')
            fputs("''", out);
        else
            fwrite(text, 1, width, out);
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
