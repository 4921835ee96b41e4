/*
 * inject.c - assay-inject: runs a command repeatedly with a method made slower by known amounts of work, and reports
 * where more than that method's time has changed.
 *
 * Source: Mytkowicz, Diwan, Hauswirth, Sweeney, "Evaluating the Accuracy of Java Profilers", PLDI 2010, §5.2 and §7.2.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/inject/choose.h"
#include "collect/inject/inject.h"
#include "collect/inject/native_side.h"
#include "collect/inject/inject_series.h"
#include "collect/record/log.h"
#include "collect/record/start/agents.h"
#include "base/text_stream.h"
#include "base/json_memory.h"

const char *argp_program_version = "assay-inject " ASSAY_VERSION;

static int inject_read_table(struct inject_series *series, struct error_text *message)
{
    const char *path = series->options->output;
    if (!path)
        return STATUS_GOOD;
    int status = inject_table_read(&series->table, path, message);
    /* Rows of the same method from another command would be mistaken for this one's. */
    for (size_t i = 0; i < series->table.count && !status; i++) {
        const struct inject_row *row = &series->table.rows[i];
        bool is_pilot = series->options->slowdown > 0 && strcmp(row->work, CHOOSE_PILOT_WORK) == 0;
        size_t m = 0;
        while (m < series->count && strcmp(series->methods[m], row->method) != 0)
            m++;
        if (m < series->count && (is_pilot || strcmp(row->work, series->options->work) == 0) &&
            strcmp(row->status, "ok") == 0 && strcmp(row->command, series->attempt.command) != 0)
            status = error_set(message, STATUS_BAD,
                               "it holds rows of %.100s from another command (%.200s); choose another -o", row->method,
                               row->command);
    }
    if (status)
        error_prefix(message, path);
    return status;
}

static int inject_name_methods(struct inject_series *series, struct error_text *message)
{
    const struct inject_options *options = series->options;
    series->methods = options->methods;
    series->count = series->wanted = options->method_count;
    if (options->hot) {
        int status = hottest_read(options->traces, options->trace_count, &series->hottest, message);
        if (status)
            return status;
        series->methods = (const char *const *)series->hottest.names;
        series->count = series->hottest.count;
        series->wanted = options->hot < series->count ? (size_t)options->hot : series->count;
        if (series->wanted < options->hot)
            log_note("the traces have only %zu method%s", series->count, series->count == 1 ? "" : "s");
    }
    for (size_t m = 0; m < series->count; m++) {
        struct attempt *attempt = &series->attempt;
        bool native = native_is_name(series->methods[m]);
        const char *name = native ? NATIVE_REPORT_LIBRARY : "libassay-inject.so";
        const char *cause = native ? "" : "assay was built without a JDK, or ";
        int error = agents_path(name, native ? attempt->library : attempt->agent);
        if (error)
            return error_set(message, STATUS_BAD, "lib/assay/%s: %s; %sassay is not completely installed", name,
                             strerror(error), cause);
        if (native && strpbrk(attempt->library, " :\t\n"))
            return error_set(
                message, STATUS_BAD,
                "%.300s: LD_PRELOAD can't hold a path with a space or a colon; move assay to another directory",
                attempt->library);
    }
    return STATUS_GOOD;
}

static void inject_report_plan(struct inject_series *series)
{
    const struct inject_options *options = series->options;
    size_t all = inject_series_runs_of_one(options) * series->wanted;
    char methods[48] = "";
    for (size_t m = 0; m < series->wanted; m++)
        series->left += inject_series_missing(series, m);
    if (series->wanted > 1)
        snprintf(methods, sizeof methods, " for each of %zu methods", series->wanted);
    if (options->plan)
        log_note("%zu runs: a trial of each of the %zu hottest methods, or of others where one can't be measured", all,
                 series->wanted);
    else if (options->slowdown > 0)
        log_note("%zu runs: a pilot of each of %zu methods, then %" PRIu64 " with each of %" PRIu64
                 " amounts (seed %" PRIu64 ")",
                 all, series->wanted, options->runs, options->steps + 1, options->seed);
    else if (series->left < all)
        log_note("%s has %zu of %zu runs; %zu to go", options->output, all - series->left, all, series->left);
    else
        log_note("%zu runs: %" PRIu64 " with each of %zu amounts%s, 0 first, then shuffled (seed %" PRIu64 ")", all,
                 options->runs, options->amount_count, methods, options->seed);
}

static int inject_prepare(struct inject_series *series, struct error_text *message)
{
    const struct inject_options *options = series->options;
    int status = inject_name_methods(series, message);
    if (status)
        return status;
    char *text = NULL;
    size_t size = 0;
    FILE *out = text_stream_open(&text, &size);
    for (size_t i = 0; out && options->command[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", options->command[i]);
    if (!text_stream_close(out, &text))
        return error_set(message, STATUS_BAD, "out of memory");
    series->attempt.command = text;
    status = inject_read_table(series, message);
    if (status)
        return status;
    inject_report_plan(series);
    series->attempt.round_ns = attempt_calibrate(options->work);
    series->pilot_round_ns = series->attempt.round_ns;
    if (options->slowdown > 0 && !isfinite(series->pilot_round_ns))
        series->pilot_round_ns = attempt_calibrate(CHOOSE_PILOT_WORK);
    return STATUS_GOOD;
}

int main(int argc, char **argv)
{
    struct inject_options options;
    struct launcher launcher;
    struct error_text message = {""};
    json_memory_watch();
    if (!command_line_read(argc, argv, &options))
        return 1;
    log_init(options.quiet, "note: ");
    /* Without -o only the table goes to standard output. */
    int out = STDOUT_FILENO;
    if (!options.output && ((out = dup(STDOUT_FILENO)) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
        out = -1;
    struct inject_series series = {.options = &options, .attempt = {.options = &options, .launcher = &launcher}};
    int status = out < 0 ? error_set(&message, STATUS_BAD, "standard output: %s", strerror(errno))
                         : inject_prepare(&series, &message);
    launch_init(&launcher);
    if (!status) {
        status = inject_series_run(&series, &message);
        /* The table, if it goes to standard output. */
        FILE *file = series.options->output ? NULL : fdopen(out, "w");
        int error = file && series.table.count > 0 ? inject_table_print(&series.table, file) : 0;
        if (file && fclose(file) != 0 && !error)
            error = errno;
        if (error)
            error_append(&message, "standard output: %s", strerror(error));
        if (error && !status)
            status = STATUS_BAD;
        if (status > 128)
            log_note("interrupted; %zu runs are kept%s", series.table.count,
                     series.options->output ? ", and the same command line resumes" : "");
        status = !status && series.failed > 0 ? STATUS_BAD : status;
    }
    if (*message.text)
        log_error("%s", message.text);
    inject_table_free(&series.table);
    hottest_free(&series.hottest);
    free(series.plan);
    free((char *)(uintptr_t)series.attempt.command);
    command_line_free(&options);
    return status;
}
