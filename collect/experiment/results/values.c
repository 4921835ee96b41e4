#include "collect/experiment/results/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "base/transfer.h"
#include "base/json_memory.h"
#include "collect/experiment/description/words.h"
#include "collect/record/directory.h"

enum { VALUES_COLUMNS_MAX = 256 };

/* ------------------------------------------------------------------------------------------- reading rows -- */

/* The whole file from its beginning; NULL and errno if it can't be read. */
static char *values_read_text(struct obstack *memory, int fd)
{
    char buffer[4096];
    ssize_t got;
    for (off_t at = 0; (got = transfer_read_at(fd, buffer, sizeof buffer, at)) > 0; at += got)
        memory_grow(memory, buffer, (size_t)got);
    char *text = memory_finish(memory);
    return got < 0 ? NULL : text;
}

/* The texts of the macros, in their order. */
static size_t values_find_macros(struct obstack *memory, char *latex, struct words *texts)
{
    char *rest = latex;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *text = strncmp(line, "\\newcommand{", 12) == 0 ? strstr(line, "}{") : NULL;
        size_t length = text ? strlen(text) : 0;
        if (length >= 3 && text[length - 1] == '}')
            words_add(memory, texts, memory_copy(memory, text + 2, length - 3));
    }
    return texts->count;
}

/* A column of numbers may have an infinite one, which is a text in JSON. */
static bool values_is_numeric(const json_t *rows, const char *column)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (json_is_number(json_object_get(json_array_get(rows, i), column)))
            return true;
    return false;
}

static size_t values_count_numbers(const json_t *rows)
{
    size_t count = 0, i;
    json_t *row, *value;
    const char *column;
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
    {
        json_object_foreach(row, column, value) count += !json_is_null(value) && values_is_numeric(rows, column);
    }
    return count;
}

/* A cell as part of a name. */
static const char *values_cell_name(struct obstack *memory, const json_t *cell)
{
    static const char GOOD[] = "._+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    if (json_is_null(cell))
        return "none";
    char *text = json_is_string(cell)    ? memory_print(memory, "%s", json_string_value(cell))
                 : json_is_integer(cell) ? memory_print(memory, "%" JSON_INTEGER_FORMAT, json_integer_value(cell))
                                         : memory_print(memory, "%.9g", json_number_value(cell));
    for (char *at = text; *at; at++)
        if (!strchr(GOOD, *at))
            *at = '-';
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

/* The value of each column of a row; *macro is the next of the typeset texts, which are NULL if they are unknown. */
static int values_add_row(struct obstack *memory, const char *name, const json_t *rows, json_t *row,
                          const char *const **macro, json_t *values, struct error_text *message)
{
    struct words_value known[VALUES_COLUMNS_MAX];
    const char *column;
    json_t *cell;
    size_t count = 0;
    json_object_foreach(row, column, cell) if (count < VALUES_COLUMNS_MAX) known[count++] =
        (struct words_value){.name = column, .text = values_cell_name(memory, cell), .words = NULL};
    const char *prefix = words_expand_text(memory, name, known, count);
    json_object_foreach(row, column, cell)
    {
        bool has_macro = *macro && !json_is_null(cell) && values_is_numeric(rows, column);
        const char *full = memory_print(memory, "%s.%s", prefix, column);
        const char *text = has_macro ? *(*macro)++ : values_typeset(memory, cell);
        if (json_is_null(cell))
            continue;
        if (json_object_get(values, full))
            return error_set(message, STATUS_BAD,
                             "value %.200s is there twice; write a column in braces into the name, as in {rank}", full);
        json_object_set_new(values, full, json_pack("{s:O, s:o}", "json", cell, "tex", text_json(text, strlen(text))));
    }
    return STATUS_GOOD;
}

json_t *values_read(struct obstack *memory, const char *name, int json, int latex, struct error_text *message)
{
    json_error_t problem;
    struct words macros = {0};
    const char *text = values_read_text(memory, json);
    char *typeset_text = text ? values_read_text(memory, latex) : NULL;
    if (!text || !typeset_text) {
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
    bool typeset = values_find_macros(memory, typeset_text, &macros) == values_count_numbers(rows);
    const char *const *macro = typeset && macros.count ? macros.list : NULL;
    if (!status && json_array_size(rows) > 0)
        status = values_check_columns(memory, name, json_array_get(rows, 0), message);
    json_array_foreach((json_t *)(uintptr_t)rows, i, row) if (!status) status =
        values_add_row(memory, name, rows, row, &macro, values, message);
    json_decref(root);
    if (status) {
        json_decref(values);
        return NULL;
    }
    return values;
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
    fputs("% \\assay{NAME} prints a value; values.json has all of its digits. Made by assay experiment.\n"
          "\\makeatletter\n"
          "\\providecommand*{\\assay}[1]{\\@ifundefined{assay@#1}{\\textbf{??}\\@latex@warning{no value `#1' in "
          "values.tex}}{\\csname assay@#1\\endcsname}}\n",
          out);
    json_object_foreach((json_t *)(uintptr_t)all, name, value)
        fprintf(out, "\\expandafter\\def\\csname assay@%s\\endcsname{%s}\n", name,
                json_string_value(json_object_get(value, "tex")));
    fputs("\\makeatother\n", out);
}

static void values_write_json(FILE *out, const json_t *all)
{
    json_t *plain = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)(uintptr_t)all, name, value)
        json_object_set(plain, name, json_object_get(value, "json"));
    json_dumpf(plain, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fputs("\n", out);
    json_decref(plain);
}

/* Replaces the file, unless it has these bytes already. */
static int values_write_file(struct obstack *memory, const char *path, void (*write)(FILE *out, const json_t *all),
                             const json_t *all, struct error_text *message)
{
    char *text = NULL, *fresh = replace_name(path);
    size_t size = 0;
    FILE *out = text_stream_open(&text, &size), *before = fopen(path, "re");
    int error = out && fresh ? 0 : ENOMEM;
    if (out) {
        write(out, all);
        if (!text_stream_close(out, &text) || json_memory_has_failed())
            error = ENOMEM;
    }
    const char *old = before ? values_read_text(memory, fileno(before)) : NULL;
    if (before)
        fclose(before);
    if (!error && (!old || strcmp(old, text) != 0)) {
        FILE *file = fopen(fresh, "we");
        error = file ? 0 : errno;
        if (file && fwrite(text, 1, size, file) != size)
            error = errno;
        if (file && fclose(file) != 0 && !error)
            error = errno;
        error = replace_end(fresh, path, error);
    }
    free(text);
    free(fresh);
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error)) : STATUS_GOOD;
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
