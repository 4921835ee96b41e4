#include "base/complaint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A table's cell may contain a newline or an escape sequence, but a message must stay on one line. */
static void complaint_tame(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

int complain(struct complaint *complaint, int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, values);
    va_end(values);
    complaint_tame(complaint->text);
    return status;
}

void complaint_prefix(struct complaint *complaint, const char *prefix)
{
    struct complaint old = *complaint;
    complain(complaint, 0, "%.200s: %.300s", prefix, old.text);
}

void complaint_list(char *text, size_t size, const char *word)
{
    size_t length = strlen(text);
    if (length + strlen(word) + 3 < size)
        snprintf(text + length, size - length, "%s%s", length ? ", " : "", word);
}
