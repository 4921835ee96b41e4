#include "analyze/cli/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_memory.h"
#include "table/model/table_macros.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "base/replace.h"

bool result_is_human_readable(enum table_format format)
{
    return format == TABLE_TEXT_FORMAT || format == TABLE_MARKDOWN || format == TABLE_LATEX || format == TABLE_HTML ||
           format == TABLE_MACROS;
}

bool result_wants_figure(const struct result *result)
{
    return result->plot || (result->format == TABLE_HTML && result->figure);
}

char *result_command(const char *program, const char *subject, int argc, char **argv)
{
    size_t size = sizeof "assay" + strlen(program) + 1 + (subject ? strlen(subject) + 1 : 0);
    for (int i = 1; i < argc; i++)
        size += 4 * strlen(argv[i]) + sizeof " ''"; /* if each byte is a quote */
    char *command = calloc(1, size);
    if (!command)
        return NULL;
    shell_word_append(command, size, "assay");
    shell_word_append(command, size, program);
    if (subject)
        shell_word_append(command, size, subject);
    for (int i = 1; i < argc; i++)
        shell_word_append(command, size, argv[i]);
    return command;
}

void result_vprint_error(const char *program, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    if (text)
        text_tame(text);
    fprintf(stderr, "assay-%s: %s\n", program, text ? text : "out of memory");
    free(text);
}

void result_print_error(const char *program, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    result_vprint_error(program, format, args);
    va_end(args);
}

/* Whether what goes to standard output and standard error ends in the same place. */
static bool result_streams_are_one(void)
{
    struct stat out, error;
    return isatty(STDOUT_FILENO) || (fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &error) == 0 &&
                                     out.st_dev == error.st_dev && out.st_ino == error.st_ino);
}

void result_warnings(const struct result *result, const struct report *report)
{
    size_t i;
    json_t *warning;
    if (result->quiet && !report->no_result)
        return;
    if (result->warnings_in_table && !result->output && result_streams_are_one())
        return;
    json_array_foreach(report->warnings, i, warning)
        result_print_error(result->program, "%s", json_string_value(warning));
    if (report->no_result && json_array_size(report->warnings) == 0)
        result_print_error(result->program, "the inputs have nothing of what was asked for");
}

/* What describes the columns of a report's table: its own description, or that of the program's which has them all. */
static const struct columns *result_columns(const struct result *result, const struct report *report)
{
    const struct columns *found = report->columns;
    for (size_t t = 0; t < result->table_count && !found; t++) {
        const struct columns *columns = &result->tables[t];
        bool all = true;
        for (size_t c = 0; c < table_column_count(report->table) && all; c++) {
            all = false;
            for (size_t i = 0; i < columns->count && !all; i++)
                all = strcmp(columns->items[i].name, table_column_name(report->table, c)) == 0;
        }
        found = all ? columns : NULL;
    }
    return found;
}

/* How the figure looks: as the user says, else as the report does. */
static struct figure_options result_look(const struct result *result, const struct report *report)
{
    struct figure_options look = result->look;
    look.x_label = look.x_label ? look.x_label : report->x_label;
    look.y_label = look.y_label ? look.y_label : report->y_label;
    return look;
}

/* The figure of a page, if it has one; NULL if not, and the page says why. In either case what it says is in *note. */
static char *result_draw_for_page(const struct result *result, const struct report *report, struct error_text *note)
{
    char *svg = NULL;
    const struct figure_options options = result_look(result, report);
    *note = (struct error_text){""};
    if (result->format != TABLE_HTML || !result->figure)
        return NULL;
    if (figure_draw_svg(result->figure, report->figure ? report->figure : report->table, &options, &svg, note) != 0 &&
        !result->quiet)
        result_print_error(result->program, "the page has no figure: %s", note->text);
    return svg;
}

/* The table for the format: an extract for readers, if there is one, or the table of all columns. */
static const struct table *result_table(const struct result *result, const struct report *report)
{
    return report->human && result_is_human_readable(result->format) ? report->human : report->table;
}

/* The view of a table that is wanted, or NULL if that is the table itself. 0, or an exit status after an error message.
 */
static int result_view(const struct result *result, const struct table_view *wanted, const struct table *table,
                       const struct table *other, bool rounds, struct table **view)
{
    struct error_text message;
    *view = NULL;
    if (!table || table_view_is_plain(wanted) || table_failed(table))
        return 0;
    int status = table_view_make(wanted, table, other, rounds, view, &message);
    if (status)
        result_print_error(result->program, "%s", message.text);
    return status;
}

/* Writes a table into a file, or to standard output if `path` is NULL. 0, or 1 after an error message. */
static int result_write_table(const struct result *result, const char *path, enum table_format format,
                              const struct table *table, const struct table_frame *frame)
{
    struct replacement file = {.out = stdout};
    int error = path ? replace_open(&file, path) : 0;
    if (!error) {
        error = table_write(file.out, format, table, frame);
        if (!error && json_memory_has_failed())
            error = ENOMEM;
        if (path)
            error = replace_close(&file, error);
    }
    if (error)
        result_print_error(result->program, "%s: %s", path ? path : "standard output", strerror(error));
    return error ? 1 : 0;
}

/* The name of a file without its folder and suffix. */
static char *result_stem(const char *path)
{
    const char *name = strrchr(path, '/'), *dot;
    name = name ? name + 1 : path;
    dot = strrchr(name, '.');
    return strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* Writes all values by name. They have all columns, whatever the table shows. */
static int result_write_macros(const struct result *result, const struct report *report, const char *path,
                               const struct table_frame *table_frame)
{
    const struct view_options *options = result->view;
    const struct table_view wanted = {.digits = options->view.digits};
    struct table *values = NULL, *estimates = NULL;
    struct table_macros *macros = NULL;
    struct table_frame frame = *table_frame;
    struct error_text message = {"out of memory"};
    char *prefix = path ? result_stem(path) : strdup(result->program);
    int status = prefix ? STATUS_GOOD : STATUS_BAD;
    if (!prefix)
        result_print_error(result->program, "out of memory");
    if (!status)
        status = result_view(result, &wanted, report->table, NULL, false, &values);
    if (!status)
        status = result_view(result, &wanted, report->human, NULL, false, &estimates);
    if (!status) {
        status = table_macros_new(values ? values : report->table, estimates ? estimates : report->human,
                                  options->macro_name, prefix, &macros, &message);
        if (status)
            result_print_error(result->program, "%s", message.text);
    }
    frame.macros = macros;
    if (!status)
        status = result_write_table(result, path, TABLE_MACROS, report->table, &frame);
    table_macros_free(macros);
    table_free(values);
    table_free(estimates);
    free(prefix);
    return status;
}

/* Whether something is missing from the report for want of memory. */
static bool result_lacks_memory(const struct report *report)
{
    return report->no_memory || json_memory_has_failed() || table_failed(report->table) ||
           (report->human && table_failed(report->human)) || (report->figure && table_failed(report->figure));
}

/* Warns of rows that --columns leaves alike. */
static void result_warn_of_dropped(const struct result *result, struct report *report)
{
    const struct table *table = result_table(result, report);
    size_t alike = 0;
    const char *name = NULL;
    if (table && result->format != TABLE_MACROS && !table_failed(table))
        name =
            table_view_find_dropped(&result->view->view, table, table == report->table ? NULL : report->table, &alike);
    if (name)
        report_warn(report, "--columns leaves out %s, without which %zu row%s can't be distinguished from another",
                    name, alike, alike == 1 ? "" : "s");
}

int result_write(const struct result *result, struct report *report, const json_t *input, const json_t *loss)
{
    struct error_text note;
    char *question = result->doc ? strndup(result->doc, strcspn(result->doc, "\v")) : NULL;
    if (result_lacks_memory(report) || (result->doc && !question)) {
        result_print_error(result->program, "out of memory");
        free(question);
        return 1;
    }
    result_warn_of_dropped(result, report);
    result_warnings(result, report);
    char *svg = result_draw_for_page(result, report, &note);
    const struct table_frame frame = {.program = result->program,
                                      .input = input,
                                      .loss = loss,
                                      .warnings = report->warnings,
                                      .notes = report->notes,
                                      .summary = report->summary,
                                      .values = report->table,
                                      .question = question,
                                      .headline = report->no_result ? NULL : report->headline,
                                      .command = result->command,
                                      .columns = result_columns(result, report),
                                      .latex = result->view->latex,
                                      .figure = svg,
                                      .figure_note = note.text};
    const struct table *table = result_table(result, report), *other = table == report->table ? NULL : report->table;
    struct table *view = NULL;
    int status = result->format == TABLE_MACROS ? result_write_macros(result, report, result->output, &frame)
                                                : result_view(result, &result->view->view, table, other,
                                                              !result_is_human_readable(result->format), &view);
    if (!status && result->format != TABLE_MACROS)
        status = result_write_table(result, result->output, result->format, view ? view : table, &frame);
    if (!status && result->view->macros)
        status = result_write_macros(result, report, result->view->macros, &frame);
    table_free(view);
    free(svg);
    free(question);
    if (!result->plot || status == STATUS_USAGE)
        return status;

    struct error_text message;
    const struct figure_options options = result_look(result, report);
    int drawn =
        figure_draw(result->figure, report->figure ? report->figure : report->table, result->plot, &options, &message);
    if (*message.text && (drawn || !result->quiet))
        result_print_error(result->program, "%s", message.text);
    return status || drawn ? 1 : 0;
}
