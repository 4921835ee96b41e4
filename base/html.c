#include "base/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The mark that turns the direction of text and begins at `at`, in UTF-8; 0: there is none. */
static unsigned html_direction_mark(const char *at)
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

bool html_write_text(FILE *out, const char *text)
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
        unsigned mark = html_direction_mark(at);
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

int html_write_page(FILE *out, const char *page, html_write_mark *write_mark, const void *contents)
{
    int error = 0;
    for (const char *begin, *end; !error && (begin = strchr(page, '@')) && (end = strchr(begin + 1, '@'));
         page = end + 1) {
        fwrite(page, 1, (size_t)(begin - page), out);
        error = write_mark(out, begin + 1, (size_t)(end - begin - 1), contents);
    }
    if (!error)
        fputs(page, out);
    return error;
}
