#include "analyze/driver/tables/leave_out.h"

#include <stdarg.h>
#include <stdio.h>

void leave_out(struct report *report, struct error_text *first, const char *name, const char *detail,
               const char *format, ...)
{
    char text[4096];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    report_warn_of(report, name, detail, "%s", text);
    if (!*first->text)
        error_set(first, STATUS_BAD, "%s%s%s%s", name, *name ? ": " : "", text, detail);
}
