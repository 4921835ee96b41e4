#include "base/html.h"

#include <string.h>

#include "base/text.h"

bool html_write_text(FILE *out, const char *text)
{
    static const char *const escapes[256] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    json_t *string = text_json(text, strlen(text));
    const char *at = json_string_value(string);
    size_t bytes, left = json_string_length(string);
    unsigned code;
    for (; left > 0; at += bytes, left -= bytes) {
        enum text_kind kind = text_next(at, left, &bytes, &code);
        const char *escape = kind == TEXT_PLAIN ? escapes[(unsigned char)*at] : "?";
        if (kind == TEXT_DIRECTION)
            fprintf(out, "\\u%04x", code);
        else if (escape)
            fputs(escape, out);
        else
            fwrite(at, 1, bytes, out);
    }
    bool good = string != NULL;
    json_decref(string);
    return good;
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
