#include "collect/experiment/results/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_memory.h"
#include "base/latex_values.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "collect/experiment/description/words.h"
#include "collect/experiment/state/file_text.h"
#include "collect/record/directory.h"

enum { VALUES_COLUMNS_MAX = 256 };

/* ------------------------------------------------------------------------------------------- reading rows -- */

/* The texts of values in a file that a program wrote with --format macros: {NAME: TEXT}. New reference. */
static json_t *values_find_macros(char *latex)
{
    static const char begin[] = "\\assayvalue{", end[] = "}%";
    json_t *texts = json_object();
    for (char *line; (line = strsep(&latex, "\n"));) {
        size_t length = strlen(line);
        char *text = strncmp(line, begin, strlen(begin)) == 0 ? strstr(line, "}{") : NULL;
        if (!text || strcmp(line + length - strlen(end), end) != 0)
            continue;
        line[length - strlen(end)] = '\0';
        *text = '\0';
        json_object_set_new(texts, line + strlen(begin), text_json(text + 2, strlen(text + 2)));
    }
    return texts;
}

/* A cell as part of a name. */
static const char *values_cell_name(struct obstack *memory, const json_t *cell)
{
    if (json_is_null(cell))
        return "none";
    char *text = json_is_string(cell)    ? memory_print(memory, "%s", json_string_value(cell))
                 : json_is_integer(cell) ? memory_print(memory, "%" JSON_INTEGER_FORMAT, json_integer_value(cell))
                                         : memory_print(memory, "%.9g", json_number_value(cell));
    latex_values_clean_name(text);
    return text;
}

static const char *values_typeset(struct obstack *memory, const json_t *cell)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        obstack_alloc_failed_handler();
    if (json_is_string(cell))
        text_write_latex(out, json_string_value(cell));
    else if (json_is_integer(cell))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(cell));
    else if (json_is_real(cell))
        fprintf(out, "%.6g", json_real_value(cell));
    if (!text_stream_close(out, &text))
        obstack_alloc_failed_handler();
    const char *copy = memory_print(memory, "%s", text);
    free(text);
    return copy;
}

/* ------------------------------------------------------------------------------------------ naming values -- */

/* The names in braces that are not columns of the row. */
static int values_check_columns(struct obstack *memory, const char *name, const json_t *row, struct error_text *message)
{
    const char *columns[VALUES_COLUMNS_MAX], *column;
    struct words_part part;
    json_t *value;
    size_t count = 0;
    json_object_foreach((json_t *)(uintptr_t)row, column, value) if (count < VALUES_COLUMNS_MAX) columns[count++] =
        column;
    for (size_t at = 0; words_next_part(name, &at, &part);) {
        const char *wanted = part.is_name ? memory_copy(memory, part.text, part.length) : NULL;
        const char *suggested = wanted ? suggest_name(wanted, columns, count) : NULL;
        char list[400] = "";
        if (!wanted || json_object_get(row, wanted))
            continue;
        for (size_t i = 0; i < count; i++)
            error_list(list, sizeof list, columns[i]);
        return suggested ? error_set(message, STATUS_BAD, "{%.80s} is neither a factor nor a column (did you mean %s?)",
                                     wanted, suggested)
                         : error_set(message, STATUS_BAD, "{%.80s} is neither a factor nor a column; columns are %s",
                                     wanted, list);
    }
    return STATUS_GOOD;
}

/* The name of a row's values, but for their columns. */
static const char *values_expand_name(struct obstack *memory, const char *name, json_t *row)
{
    struct words_value known[VALUES_COLUMNS_MAX];
    const char *column;
    json_t *cell;
    size_t count = 0;
    json_object_foreach(row, column, cell) if (count < VALUES_COLUMNS_MAX) known[count++] =
        (struct words_value){.name = column, .text = values_cell_name(memory, cell), .words = NULL};
    return words_expand_text(memory, name, known, count);
}

/* The error that a row's values are called `prefix`, like those of an earlier row. Suggests the first column of names
 * or counts by which the two differ. The text is the same for all levels of a result. */
static int values_report_twice(struct obstack *memory, const char *name, const char *prefix, const json_t *rows,
                               json_t *row, struct error_text *message)
{
    const char *column;
    json_t *cell, *earlier = NULL;
    for (size_t i = 0; !earlier || strcmp(values_expand_name(memory, name, earlier), prefix) != 0; i++)
        earlier = json_array_get(rows, i);
    json_object_foreach(row, column, cell)
    {
        if ((json_is_string(cell) || json_is_integer(cell)) && !json_equal(cell, json_object_get(earlier, column)))
            return error_set(message, STATUS_BAD,
                             "two rows have values of one name; write a column into the name by which they differ: "
                             "{%.80s}",
                             column);
    }
    return error_set(message, STATUS_BAD, "two rows have values of one name; choose one by options");
}

/* The value of each column of a row. */
static int values_add_row(struct obstack *memory, const char *name, const json_t *rows, json_t *row, json_t *values,
                          struct error_text *message)
{
    const char *column, *prefix = values_expand_name(memory, name, row);
    json_t *cell;
    json_object_foreach(row, column, cell)
    {
        char *part = memory_print(memory, "%s", column);
        latex_values_clean_name(part);
        const char *full = memory_print(memory, "%s.%s", prefix, part), *text = values_typeset(memory, cell);
        if (json_is_null(cell))
            continue;
        if (json_object_get(values, full))
            return values_report_twice(memory, name, prefix, rows, row, message);
        json_object_set_new(values, full, json_pack("{s:O, s:o}", "json", cell, "tex", text_json(text, strlen(text))));
    }
    return STATUS_GOOD;
}

json_t *values_read(struct obstack *memory, const char *name, int json, struct error_text *message)
{
    json_error_t problem;
    const char *text = file_text_read(memory, json);
    if (!text) {
        error_set(message, STATUS_BAD, "the result can't be read: %s", strerror(errno));
        return NULL;
    }
    json_t *root = json_loads(text, 0, &problem), *row;
    const json_t *rows = json_object_get(root, "results");
    json_t *values = json_object();
    size_t i;
    int status = json_is_array(rows) ? STATUS_GOOD
                                     : error_set(message, STATUS_BAD, "the result can't be read: %.80s",
                                                 root ? "no array of rows" : problem.text);
    if (!status && json_array_size(rows) > 0)
        status = values_check_columns(memory, name, json_array_get(rows, 0), message);
    json_array_foreach((json_t *)(uintptr_t)rows, i, row) if (!status) status =
        values_add_row(memory, name, rows, row, values, message);
    json_decref(root);
    if (status) {
        json_decref(values);
        return NULL;
    }
    return values;
}

void values_typeset_by(struct obstack *memory, json_t *values, int macros)
{
    char *typeset = file_text_read(memory, macros);
    if (!typeset)
        return;
    json_t *texts = values_find_macros(typeset), *text, *value;
    const char *name;
    json_object_foreach(texts, name, text)
    {
        if (!(value = json_object_get(values, name)))
            json_object_set_new(values, name, value = json_object());
        json_object_set(value, "tex", text);
    }
    json_decref(texts);
}

int values_add(json_t *all, const json_t *values, struct error_text *message)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)values, name, value)
    {
        if (json_object_get(all, name))
            return error_set(message, STATUS_BAD, "value %.200s comes from two results; change a name", name);
        json_object_set(all, name, value);
    }
    return STATUS_GOOD;
}

/* ----------------------------------------------------------------------------------------------- writing -- */

static void values_write_latex(FILE *out, const json_t *all)
{
    const char *name;
    json_t *value;
    latex_values_begin(out, "assay experiment; values.json has all digits");
    json_object_foreach((json_t *)(uintptr_t)all, name, value)
        latex_values_add(out, name, json_string_value(json_object_get(value, "tex")));
}

static void values_write_json(FILE *out, const json_t *all)
{
    json_t *plain = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)(uintptr_t)all, name,
                        value) if (json_object_get(value, "json")) /* estimates and intervals are only texts */
        json_object_set(plain, name, json_object_get(value, "json"));
    json_dumpf(plain, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fputs("\n", out);
    json_decref(plain);
}

static int values_write_file(struct obstack *memory, const char *path, void (*write)(FILE *out, const json_t *all),
                             const json_t *all, struct error_text *message)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        obstack_alloc_failed_handler();
    write(out, all);
    if (!text_stream_close(out, &text) || json_memory_has_failed())
        obstack_alloc_failed_handler();
    int status = file_text_replace(memory, path, text, size, NULL, message);
    free(text);
    return status;
}

int values_write(struct obstack *memory, const char *directory, const json_t *all, struct error_text *message)
{
    const char *slash = *directory ? "/" : "";
    int error = *directory ? directory_make(directory) : 0;
    if (error)
        return error_set(message, STATUS_BAD, "%.400s: %s", directory, strerror(error));
    int status = values_write_file(memory, memory_print(memory, "%s%svalues.tex", directory, slash), values_write_latex,
                                   all, message);
    return status ? status
                  : values_write_file(memory, memory_print(memory, "%s%svalues.json", directory, slash),
                                      values_write_json, all, message);
}
