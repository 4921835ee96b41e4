#include "trace/import/reading.h"

#include <stdarg.h>
#include <stdio.h>

void reading_report_bad(struct reading *reading, const char *format, ...)
{
    if (reading->bad++ > 0)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(reading->first.text, sizeof reading->first.text, format, args);
    va_end(args);
}
