#include "base/text.h"

#include <stdlib.h>
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

json_t *text_json(const char *text, size_t length)
{
    json_t *string = json_stringn(text, length);
    if (string)
        return string;
    char *latin = malloc(2 * length + 1), *at = latin;
    if (!latin)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= 0x80)
            *at++ = (char)(0xc0 | byte >> 6);
        *at++ = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
    }
    string = json_stringn(latin, (size_t)(at - latin));
    free(latin);
    return string;
}

int text_json_set(json_t *object, const char *key, json_t *value)
{
    json_t *string = text_json(key, strlen(key));
    int status = json_object_set_new(object, string ? json_string_value(string) : NULL, value);
    json_decref(string);
    return status;
}

/* The bytes of the UTF-8 character at text[length], and its code point; 0 if there is none (RFC 3629). */
static size_t text_decode(const unsigned char *text, size_t length, unsigned *code)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;
    if (bytes == 0 || bytes > length)
        return 0;
    *code = bytes == 1 ? *text : *text & (0x7fU >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fU);
    }
    bool valid = *code >= least[bytes] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
    return valid ? bytes : 0;
}

enum text_kind text_next(const char *text, size_t length, size_t *bytes, unsigned *code)
{
    *bytes = text_decode((const unsigned char *)text, length, code);
    if (*bytes == 0) {
        *bytes = 1;
        *code = (unsigned char)*text;
        return TEXT_BROKEN;
    }
    if (*code < 0x20 || (*code >= 0x7f && *code < 0xa0) || *code == 0x2028 || *code == 0x2029)
        return TEXT_CONTROL;
    bool turns = *code == 0x61c || *code == 0x200e || *code == 0x200f || (*code >= 0x202a && *code <= 0x202e) ||
                 (*code >= 0x2066 && *code <= 0x2069);
    return turns ? TEXT_DIRECTION : TEXT_PLAIN;
}

void text_tame(char *text)
{
    size_t bytes, left = strlen(text);
    unsigned code;
    for (const char *from = text; left > 0; from += bytes, left -= bytes) {
        if (text_next(from, left, &bytes, &code) == TEXT_PLAIN) {
            memmove(text, from, bytes);
            text += bytes;
        } else {
            *text++ = '?';
        }
    }
    *text = '\0';
}

/* Brackets and stars would be taken for arguments of the end of a table's row. */
static void text_write_latex_bytes(FILE *out, const char *text, size_t length)
{
    static const char *const escapes[256] = {['\\'] = "\\textbackslash{}",
                                             ['^'] = "\\^{}",
                                             ['~'] = "\\~{}",
                                             ['&'] = "\\&",
                                             ['%'] = "\\%",
                                             ['$'] = "\\$",
                                             ['#'] = "\\#",
                                             ['_'] = "\\_",
                                             ['{'] = "\\{",
                                             ['}'] = "\\}",
                                             ['['] = "{[}",
                                             ['*'] = "{*}",
                                             ['<'] = "\\textless{}",
                                             ['>'] = "\\textgreater{}",
                                             ['|'] = "\\textbar{}",
                                             ['\n'] = "; "};
    for (; length > 0; length--, text++) {
        const char *escape = escapes[(unsigned char)*text];
        if (escape)
            fputs(escape, out);
        else
            putc(*text, out);
    }
}

void text_write_latex(FILE *out, const char *text)
{
    text_write_latex_bytes(out, text, strlen(text));
}

/* Whether a line may end between two characters of a name: after what separates its parts, or before a capital. */
static bool text_may_break(char before, char after)
{
    static const char separators[] = ".:/(,_$-#=";
    bool separated = strchr(separators, before) && !strchr(separators, after) && after != ' ';
    return separated || (islower((unsigned char)before) && isupper((unsigned char)after));
}

void text_write_latex_broken(FILE *out, const char *text)
{
    for (const char *from = text; *from;) {
        const char *end = from + 1;
        while (*end && !text_may_break(end[-1], *end))
            end++;
        text_write_latex_bytes(out, from, (size_t)(end - from));
        if (*end)
            fputs("\\allowbreak{}", out);
        from = end;
    }
}
