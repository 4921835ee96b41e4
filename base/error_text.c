#include "base/error_text.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

int error_vset(struct error_text *message, int status, const char *format, va_list values)
{
    vsnprintf(message->text, sizeof message->text, format, values);
    /* A table's cell may contain a newline or an escape sequence, but a message must stay on one line. */
    for (char *text = message->text; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
    text_tame(message->text);
    return status;
}

int error_set(struct error_text *message, int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    error_vset(message, status, format, values);
    va_end(values);
    return status;
}

void error_append(struct error_text *message, const char *format, ...)
{
    struct error_text more;
    size_t length = strlen(message->text);
    va_list values;
    va_start(values, format);
    error_vset(&more, STATUS_BAD, format, values);
    va_end(values);
    snprintf(message->text + length, sizeof message->text - length, "%s%s", length ? "; " : "", more.text);
}

void error_prefix(struct error_text *message, const char *prefix)
{
    struct error_text old = *message;
    error_set(message, 0, "%.300s: %.700s", prefix, old.text);
}

void error_list(char *text, size_t size, const char *word)
{
    size_t length = strlen(text);
    if (length + strlen(word) + 3 < size)
        snprintf(text + length, size - length, "%s%s", length ? ", " : "", word);
}
