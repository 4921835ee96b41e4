#include "base/csv_text.h"

#include <string.h>

/* Whether text[length] has one of these characters: memchr() is many times faster than a loop over long stacks. */
static bool csv_text_has_any(const char *text, size_t length, const char *characters)
{
    for (; *characters; characters++)
        if (memchr(text, *characters, length))
            return true;
    return false;
}

/* Whether a spreadsheet takes the text for a formula that does more than compute. Apostrophes in front count as none,
 * so that a text with some of its own gets one more. */
static bool csv_text_is_formula(const char *text, size_t length)
{
    while (length > 0 && (*text == '\'' || *text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')) {
        text++;
        length--;
    }
    return length > 0 && strchr("=+-@", *text) && *text && csv_text_has_any(text, length, "(|!");
}

bool csv_text_is_guarded(const char *text, size_t length)
{
    return length > 1 && *text == '\'' && csv_text_is_formula(text + 1, length - 1);
}

void csv_text_write(FILE *out, const char *text, size_t length, char separator)
{
    bool tsv = separator == '\t', guarded = csv_text_is_formula(text, length);
    bool quoted = !tsv && ((length > 0 && *text == '#') || csv_text_has_any(text, length, ",\"\r\n"));
    if (quoted)
        putc('"', out);
    if (guarded)
        putc('\'', out);
    if (!tsv && !memchr(text, '"', length)) {
        fwrite(text, 1, length, out);
        length = 0;
    }
    for (size_t i = 0; i < length; i++) {
        bool space = tsv && (text[i] == '\t' || text[i] == '\r' || text[i] == '\n');
        if (text[i] == '"' && quoted)
            putc('"', out);
        putc(space ? ' ' : text[i], out);
    }
    if (quoted)
        putc('"', out);
}
