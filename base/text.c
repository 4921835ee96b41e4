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

void text_tame(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (*at < 0x20 || *at == 0x7f) {
            *at = '?';
        } else if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) { /* U+0080 to U+009F */
            at[0] = at[1] = '?';
            at++;
        }
    }
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
