#include "analyze/cli/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/render/figure.h"
#include "base/text.h"

bool result_is_human_readable(enum table_format format)
{
    return format == TABLE_TEXT_FORMAT || format == TABLE_MARKDOWN || format == TABLE_LATEX;
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

void result_warnings(const struct result *result, const struct report *report)
{
    size_t i;
    json_t *warning;
    if (result->quiet && !report->no_result)
        return;
    if (result->warnings_in_table && !result->output && isatty(STDOUT_FILENO))
        return;
    json_array_foreach(report->warnings, i, warning)
        result_print_error(result->program, "%s", json_string_value(warning));
    if (report->no_result && json_array_size(report->warnings) == 0)
        result_print_error(result->program, "the inputs have nothing of what was asked for");
}

int result_write(const struct result *result, const struct report *report, const json_t *input, const json_t *loss)
{
    const struct table_frame frame = {.program = result->program,
                                      .input = input,
                                      .loss = loss,
                                      .warnings = report->warnings,
                                      .notes = report->notes,
                                      .summary = report->summary,
                                      .values = report->table};
    result_warnings(result, report);
    bool extract = report->human && result_is_human_readable(result->format);
    FILE *out = result->output ? fopen(result->output, "we") : stdout;
    int error = out ? table_write(out, result->format, extract ? report->human : report->table, &frame) : errno;
    if (out && out != stdout && fclose(out) != 0 && !error)
        error = errno;
    if (error)
        result_print_error(result->program, "%s: %s", result->output ? result->output : "standard output",
                           strerror(error));
    if (!result->plot)
        return error ? 1 : 0;

    struct error_text message;
    const struct figure_options options = {.x_label = report->x_label, .y_label = report->y_label};
    int status =
        figure_draw(result->figure, report->figure ? report->figure : report->table, result->plot, &options, &message);
    if (*message.text && (status || !result->quiet))
        result_print_error(result->program, "%s", message.text);
    return error || status ? 1 : 0;
}
