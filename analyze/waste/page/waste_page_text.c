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

/* The mark that turns the direction of text and begins at `at`, in UTF-8; 0: there is none. */
static unsigned waste_page_direction_mark(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;
    if (bytes[0] == 0xd8 && bytes[1] == 0x9c)
        return 0x61c;
    if (bytes[0] != 0xe2 || (bytes[1] & 0xfe) != 0x80)
        return 0;
    unsigned code = 0x2000 | (bytes[1] & 0x3fU) << 6 | (bytes[2] & 0x3fU);
    bool turns =
        code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return turns ? code : 0;
}

bool waste_page_write_string(FILE *out, const char *text)
{
    return waste_page_json(out, text, strlen(text));
}

bool waste_page_html(FILE *out, const char *text)
{
    static const char *const escapes[256] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    json_t *string = text_json(text, strlen(text));
    char *tamed = string ? strdup(json_string_value(string)) : NULL;
    json_decref(string);
    if (!tamed)
        return false;
    text_tame(tamed);
    for (const char *at = tamed; *at; at++) {
        const char *escape = escapes[(unsigned char)*at];
        unsigned mark = waste_page_direction_mark(at);
        if (mark) {
            fprintf(out, "\\u%04x", mark);
            at += mark < 0x800 ? 1 : 2;
        } else if (escape)
            fputs(escape, out);
        else
            fputc(*at, out);
    }
    free(tamed);
    return true;
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
