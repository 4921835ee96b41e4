#include "analyze/program/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void add_text(json_t *array, const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        return;
    json_array_append_new(array, text_json(text, strlen(text)));
    free(text);
}

void report_warn(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_text(report->warnings, format, args);
    va_end(args);
}

void report_note(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_text(report->notes, format, args);
    va_end(args);
}

void report_free(struct report *report)
{
    table_free(report->table);
    table_free(report->people);
    table_free(report->figure);
    json_decref(report->summary);
    json_decref(report->warnings);
    json_decref(report->notes);
}
