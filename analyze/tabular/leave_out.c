#include "analyze/tabular/leave_out.h"

#include <stdarg.h>
#include <stdio.h>

void leave_out(struct report *report, struct complaint *first, const char *format, ...)
{
    char text[4096];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    report_warn(report, "%s", text);
    if (!*first->text)
        complain(first, STATUS_BAD, "%s", text);
}
