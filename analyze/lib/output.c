#include "analyze/lib/frame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/lib/figure.h"

/* Above this share of dropped records every report carries a warning. */
static const double LOSS_WORTH_A_WARNING = 0.05;

static void add_text(json_t *array, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    json_array_append_new(array, json_string(text));
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

/* ------------------------------------------------------------------------------------------ loss -- */

static bool is_damaged(const struct trace_loss *loss)
{
    return loss->bytes > 0 || loss->chunks > 0 || loss->unfinished;
}

bool output_damaged(const struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (is_damaged(&inputs->items[i].loss))
            return true;
    return false;
}

static uint64_t dropped_in(const struct trace_loss *loss)
{
    uint64_t dropped = 0;
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        dropped += loss->dropped[cause];
    return dropped;
}

static void warn_of(const struct input *input, struct report *report)
{
    const struct trace_loss *loss = &input->loss;
    if (loss->bytes > 0 || loss->chunks > 0)
        report_warn(report, "%s: %s; %zu chunks in the file, %" PRIu64 " bytes and %" PRIu64 " records lost",
                    input->path, loss->first.text, trace_chunk_count(input->trace), loss->bytes, loss->records);
    if (loss->unfinished)
        report_warn(report,
                    "%s: has no end: the program was killed or still runs, or the file was cut; the last second "
                    "of each thread may be missing",
                    input->path);
    if (loss->unknown_chunks > 0)
        report_warn(report, "%s: %" PRIu64 " chunks of a newer version were skipped", input->path,
                    loss->unknown_chunks);
    uint64_t dropped = dropped_in(loss);
    double share = dropped ? (double)dropped / (double)(dropped + input->records) : 0;
    if (share > LOSS_WORTH_A_WARNING)
        report_warn(report, "%s: %" PRIu64 " samples (%.1f %%) were lost while recording; see assay info", input->path,
                    dropped, 100 * share);
}

/* A saved state carries the loss of what it was made from. */
static void add_saved_loss(struct trace_loss *total, uint64_t *unfinished, const json_t *saved)
{
    total->bytes += (uint64_t)json_integer_value(json_object_get(saved, "bytes"));
    total->records += (uint64_t)json_integer_value(json_object_get(saved, "records"));
    total->chunks += (uint64_t)json_integer_value(json_object_get(saved, "chunks"));
    total->unknown_chunks += (uint64_t)json_integer_value(json_object_get(saved, "unknown_chunks"));
    *unfinished += (uint64_t)json_integer_value(json_object_get(saved, "unfinished_traces"));
    const json_t *dropped = json_object_get(saved, "dropped");
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        total->dropped[cause] += (uint64_t)json_integer_value(json_object_get(dropped, trace_cause_name(cause)));
}

json_t *output_loss(const struct settings *settings, const struct inputs *inputs, struct report *report)
{
    struct trace_loss total = {0};
    uint64_t unfinished = 0;
    (void)settings;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        trace_loss_add(&total, &input->loss);
        unfinished += input->loss.unfinished;
        if (input->partial)
            add_saved_loss(&total, &unfinished, json_object_get(input->partial, "loss"));
        else
            warn_of(input, report);
    }
    if (inputs->unreadable > 0)
        report_warn(report, "%zu inputs could not be read and are not in this result", inputs->unreadable);
    json_t *dropped = json_object();
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        json_object_set_new(dropped, trace_cause_name(cause), json_integer((json_int_t)total.dropped[cause]));
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "bytes", (json_int_t)total.bytes, "records",
                     (json_int_t)total.records, "chunks", (json_int_t)total.chunks, "unknown_chunks",
                     (json_int_t)total.unknown_chunks, "unfinished_traces", (json_int_t)unfinished, "unreadable_inputs",
                     (json_int_t)inputs->unreadable, "dropped", dropped);
}

/* ------------------------------------------------------------------------------------------ writing -- */

static int write_table(const struct settings *settings, const struct report *report, const struct table_frame *frame)
{
    FILE *out = settings->output ? fopen(settings->output, "we") : stdout;
    const char *name = settings->output ? settings->output : "standard output";
    int error = out ? table_write(out, settings->format, report->table, frame) : errno;
    if (out && out != stdout && fclose(out) != 0 && !error)
        error = errno;
    if (error)
        frame_complain(settings, "%s: %s", name, strerror(error));
    return error ? 1 : 0;
}

static int draw(const struct settings *settings, const struct report *report)
{
    char message[512];
    if (!settings->plot)
        return 0;
    const struct table *table = report->figure ? report->figure : report->table;
    int status = figure_draw(settings->analyzer->figure, table, settings->plot, message, sizeof message);
    if (*message && (status || !settings->quiet))
        frame_complain(settings, "%s", message);
    return status ? 1 : 0;
}

void output_warnings(const struct settings *settings, const struct report *report)
{
    size_t i;
    json_t *warning;
    bool in_output =
        settings->options.for_people && !settings->output && !settings->save_state && isatty(STDOUT_FILENO);
    if (settings->quiet || in_output)
        return;
    json_array_foreach(report->warnings, i, warning) frame_complain(settings, "%s", json_string_value(warning));
}

static json_t *paths_of(const struct inputs *inputs)
{
    json_t *paths = json_array();
    for (size_t i = 0; i < inputs->count; i++)
        json_array_append_new(paths, json_string(inputs->items[i].path));
    return paths;
}

int output_report(const struct settings *settings, const struct inputs *inputs, void *state)
{
    struct report report = {.options = &settings->options, .warnings = json_array(), .notes = json_array()};
    report.wants_figure = settings->plot != NULL;
    json_t *paths = paths_of(inputs), *loss = output_loss(settings, inputs, &report);
    int error = settings->analyzer->report(state, &report), status = 1;
    const struct table_frame frame = {.program = settings->analyzer->name,
                                      .input = paths,
                                      .loss = loss,
                                      .warnings = report.warnings,
                                      .notes = report.notes,
                                      .summary = report.summary};
    if (error || !report.table) {
        frame_complain(settings, "%s", strerror(error ? error : ENOMEM));
    } else {
        output_warnings(settings, &report);
        status = write_table(settings, &report, &frame);
        if (draw(settings, &report))
            status = 1;
    }
    table_free(report.table);
    table_free(report.figure);
    json_decref(report.summary);
    json_decref(report.warnings);
    json_decref(report.notes);
    json_decref(paths);
    json_decref(loss);
    return status;
}
