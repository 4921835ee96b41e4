#include "analyze/cli/report.h"

#include <errno.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

__attribute__((format(printf, 3, 0))) static void report_add_text(struct report *report, json_t *array,
                                                                  const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0 || json_array_append_new(array, text_json(text, strlen(text))) != 0)
        report->no_memory = true;
    free(text);
}

void report_warn(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_add_text(report, report->warnings, format, args);
    va_end(args);
}

/* One more name of warnings that are alike. `entry`: {"at", "count", "names"}. */
static void report_join_warning(struct report *report, json_t *entry, const char *name, const char *text)
{
    enum { NAMES = 5 };
    char *names = NULL, *all = NULL;
    json_int_t count = json_integer_value(json_object_get(entry, "count")) + 1;
    const char *before = json_string_value(json_object_get(entry, "names"));
    if (count <= NAMES && asprintf(&names, "%s; %s", before, name) < 0) {
        report->no_memory = true;
        return;
    }
    if (names)
        json_object_set_new(entry, "names", text_json(names, strlen(names)));
    json_object_set_new(entry, "count", json_integer(count));
    before = json_string_value(json_object_get(entry, "names"));
    int length = count > NAMES ? asprintf(&all, "%s; and %lld more: %s", before, (long long)count - NAMES, text)
                               : asprintf(&all, "%s: %s", before, text);
    if (length < 0 || json_array_set_new(report->warnings, (size_t)json_integer_value(json_object_get(entry, "at")),
                                         text_json(all, strlen(all))) != 0)
        report->no_memory = true;
    free(names);
    free(all);
}

void report_warn_of(struct report *report, const char *name, const char *detail, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) {
        report->no_memory = true;
        return;
    }
    if (!report->alike)
        report->alike = json_object();
    json_t *key = text_json(text, strlen(text)), *entry = json_object_get(report->alike, json_string_value(key));
    report->no_memory |= !key;
    if (entry && *name) {
        report_join_warning(report, entry, name, text);
    } else {
        entry = json_pack("{sIsIsO}", "at", (json_int_t)json_array_size(report->warnings), "count", (json_int_t)1,
                          "names", key);
        json_object_set_new(entry, "names", text_json(name, strlen(name)));
        if (key && json_object_set_new(report->alike, json_string_value(key), entry) != 0)
            report->no_memory = true;
        report_warn(report, "%s%s%s%s", name, *name ? ": " : "", text, detail);
    }
    json_decref(key);
    free(text);
}

void report_note(struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_add_text(report, report->notes, format, args);
    va_end(args);
}

void report_headline(struct report *report, const char *format, ...)
{
    va_list args;
    free(report->headline);
    va_start(args, format);
    if (vasprintf(&report->headline, format, args) < 0) {
        report->headline = NULL;
        report->no_memory = true;
    }
    va_end(args);
}

int report_tables(struct report *report, const struct columns *columns, unsigned given)
{
    bool draws = report->wants_figure && columns_have_figure(columns);
    report->columns = columns;
    report->given = given;
    report->table = columns_table(columns, COLUMNS_MACHINE, given);
    report->human = columns_differ(columns) ? columns_table(columns, COLUMNS_HUMAN, given) : NULL;
    report->figure = draws ? columns_table(columns, COLUMNS_FIGURE, given) : NULL;
    bool good = report->table && (report->human || !columns_differ(columns)) && (report->figure || !draws);
    return good ? 0 : ENOMEM;
}

void report_row(struct report *report, const void *row)
{
    columns_add(report->table, report->columns, COLUMNS_MACHINE, report->given, row);
    if (report->human)
        columns_add(report->human, report->columns, COLUMNS_HUMAN, report->given, row);
    if (report->figure)
        columns_add(report->figure, report->columns, COLUMNS_FIGURE, report->given, row);
}

void report_free(struct report *report)
{
    table_free(report->table);
    table_free(report->human);
    table_free(report->figure);
    free(report->headline);
    json_decref(report->summary);
    json_decref(report->warnings);
    json_decref(report->alike);
    json_decref(report->notes);
}
