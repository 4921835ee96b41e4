/* Texts and numbers in a page. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "analyze/waste/page/waste_page_parts.h"

bool waste_page_json(FILE *out, const char *text, size_t length)
{
    json_t *string = text_json(text, length);
    if (!string)
        return false;
    const char *at = json_string_value(string), *end = at + json_string_length(string);
    fputc('"', out);
    for (; at < end; at++) {
        unsigned char byte = (unsigned char)*at;
        bool separator = end - at >= 3 && (memcmp(at, "\u2028", 3) == 0 || memcmp(at, "\u2029", 3) == 0);
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20 || byte == '<' || byte == 0x7f)
            fprintf(out, byte == '\n' ? "\\n" : "\\u%04x", byte);
        else if (separator) {
            fprintf(out, "\\u202%c", at[2] == '\xa8' ? '8' : '9');
            at += 2;
        } else
            fputc(byte, out);
    }
    fputc('"', out);
    json_decref(string);
    return true;
}

bool waste_page_write_string(FILE *out, const char *text)
{
    return waste_page_json(out, text, strlen(text));
}

void waste_page_real(FILE *out, double value)
{
    char digits[32];
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    table_digits(value, digits);
    fputs(digits, out);
}

static void waste_page_value(FILE *out, enum waste_page_type type, const void *value)
{
    uint32_t number;
    uint64_t count;
    double real;
    switch (type) {
    case PAGE_NUMBER:
        memcpy(&number, value, sizeof number);
        if (number == FIELD_NONE)
            fputs("-1", out);
        else
            fprintf(out, "%" PRIu32, number);
        break;
    case PAGE_COUNT:
        memcpy(&count, value, sizeof count);
        fprintf(out, "%" PRIu64, count);
        break;
    case PAGE_REAL:
        memcpy(&real, value, sizeof real);
        waste_page_real(out, real);
        break;
    }
}

void waste_page_columns(FILE *out, const struct keyed *rows, const uint32_t *order, size_t count,
                        const struct waste_page_column *columns, size_t column_count)
{
    for (size_t c = 0; c < column_count; c++) {
        fprintf(out, "%s\"%s\":[", c > 0 ? "," : "{", columns[c].name);
        for (size_t i = 0; i < count; i++) {
            const char *row = keyed_at(rows, order ? order[i] : i);
            fputs(i > 0 ? "," : "", out);
            waste_page_value(out, columns[c].type, row + columns[c].offset);
        }
        fputc(']', out);
    }
    fputc('}', out);
}
