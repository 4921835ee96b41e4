#include "base/complaint.h"

#include <stdio.h>
#include <string.h>

/* A table's cell may contain a newline or an escape sequence, but a message must stay on one line. */
static void complaint_tame(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

int vcomplain(struct complaint *complaint, int status, const char *format, va_list values)
{
    vsnprintf(complaint->text, sizeof complaint->text, format, values);
    complaint_tame(complaint->text);
    return status;
}

int complain(struct complaint *complaint, int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vcomplain(complaint, status, format, values);
    va_end(values);
    return status;
}

void complain_too(struct complaint *complaint, const char *format, ...)
{
    struct complaint more;
    size_t length = strlen(complaint->text);
    va_list values;
    va_start(values, format);
    vcomplain(&more, STATUS_BAD, format, values);
    va_end(values);
    snprintf(complaint->text + length, sizeof complaint->text - length, "%s%s", length ? "; " : "", more.text);
}

void complaint_prefix(struct complaint *complaint, const char *prefix)
{
    struct complaint old = *complaint;
    complain(complaint, 0, "%.300s: %.700s", prefix, old.text);
}

void complaint_list(char *text, size_t size, const char *word)
{
    size_t length = strlen(text);
    if (length + strlen(word) + 3 < size)
        snprintf(text + length, size - length, "%s%s", length ? ", " : "", word);
}
