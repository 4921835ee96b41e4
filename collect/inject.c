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
#include "collect/inject/command_line.h"
#include "collect/inject/native_side.h"
#include "collect/inject/inject_series.h"
#include "collect/record/say.h"
#include "collect/record/start/agents.h"

const char *argp_program_version = "assay-inject " ASSAY_VERSION;

static char *join(char *const *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
    if (!out || fclose(out) != 0)
        return NULL;
    return text;
}

static bool is_asked_for(const struct inject_series *series, const char *method)
{
    for (size_t m = 0; m < series->count; m++)
        if (strcmp(series->methods[m], method) == 0)
            return true;
    return false;
}

/* Rows of the same method from another command would be mistaken for this one's. */
static bool is_ours(const struct inject_series *series, char why[INJECT_WHY_MAX])
{
    for (size_t i = 0; i < series->table.count; i++) {
        const struct inject_row *row = &series->table.rows[i];
        bool is_pilot = series->told->slowdown > 0 && strcmp(row->work, CHOOSE_PILOT_WORK) == 0;
        if (is_asked_for(series, row->method) && (is_pilot || strcmp(row->work, series->told->work) == 0) &&
            strcmp(row->status, "ok") == 0 && strcmp(row->command, series->attempt.command) != 0) {
            snprintf(why, INJECT_WHY_MAX, "it holds rows of %.100s from another command (%.200s); choose another -o",
                     row->method, row->command);
            return false;
        }
    }
    return true;
}

static bool find_agents(struct attempt *attempt, bool native)
{
    const char *name = native ? NATIVE_REPORT_LIBRARY : "libassay-inject.so";
    int error = agents_path(name, native ? attempt->library : attempt->agent);
    const char *cause = native ? "" : "assay was built without a JDK, or ";
    if (error)
        say_error("lib/assay/%s: %s; %sassay is not completely installed", name, strerror(error), cause);
    else if (native && strpbrk(attempt->library, " :\t\n"))
        say_error("%s: LD_PRELOAD can't hold a path with a space or a colon; move assay to another directory",
                  attempt->library);
    else
        return true;
    return false;
}

static bool name_methods(struct inject_series *series)
{
    const struct inject_options *told = series->told;
    char why[INJECT_WHY_MAX];
    series->methods = told->methods;
    series->count = series->wanted = told->method_count;
    if (told->hot) {
        if (!hottest_read(told->traces, told->trace_count, &series->hottest, why)) {
            say_error("%s", why);
            return false;
        }
        series->methods = (const char *const *)series->hottest.names;
        series->count = series->hottest.count;
        series->wanted = told->hot < series->count ? (size_t)told->hot : series->count;
        if (series->wanted < told->hot)
            say_note("the traces have only %zu method%s", series->count, series->count == 1 ? "" : "s");
    }
    for (size_t m = 0; m < series->count; m++)
        if (!find_agents(&series->attempt, native_is_name(series->methods[m])))
            return false;
    return true;
}

static void tell_plan(struct inject_series *series)
{
    const struct inject_options *told = series->told;
    size_t all = inject_series_runs_of_one(told) * series->wanted;
    char methods[48] = "";
    for (size_t m = 0; m < series->wanted; m++)
        series->left += inject_series_missing(series, m);
    if (series->wanted > 1)
        snprintf(methods, sizeof methods, " for each of %zu methods", series->wanted);
    if (told->plan)
        say_note("%zu runs: a trial of each of the %zu hottest methods, or of others where one can't be measured", all,
                 series->wanted);
    else if (told->slowdown > 0)
        say_note("%zu runs: a pilot of each of %zu methods, then %" PRIu64 " with each of %" PRIu64
                 " amounts (seed %" PRIu64 ")",
                 all, series->wanted, told->runs, told->steps + 1, told->seed);
    else if (series->left < all)
        say_note("%s has %zu of %zu runs; %zu to go", told->output, all - series->left, all, series->left);
    else
        say_note("%zu runs: %" PRIu64 " with each of %zu amounts%s, 0 first, then shuffled (seed %" PRIu64 ")", all,
                 told->runs, told->amount_count, methods, told->seed);
}

static int begin(struct inject_series *series)
{
    const struct inject_options *told = series->told;
    char why[INJECT_WHY_MAX] = "";
    if (!name_methods(series))
        return 1;
    series->attempt.command = join(told->command);
    if (!series->attempt.command ||
        (told->output && (!inject_table_read(&series->table, told->output, why) || !is_ours(series, why)))) {
        say_error("%s: %s", told->output ? told->output : "", series->attempt.command ? why : "out of memory");
        return 1;
    }
    tell_plan(series);
    series->attempt.round_ns = attempt_calibrate(told->work);
    series->pilot_round_ns = series->attempt.round_ns;
    if (told->slowdown > 0 && !isfinite(series->pilot_round_ns))
        series->pilot_round_ns = attempt_calibrate(CHOOSE_PILOT_WORK);
    return 0;
}

/* Without -o only the table goes to standard output. Returns its descriptor, -1 on failure. */
static int divert(const struct inject_options *told)
{
    if (told->output)
        return STDOUT_FILENO;
    int own = dup(STDOUT_FILENO);
    return own >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? own : -1;
}

static int finish(const struct inject_series *series, int out, int status)
{
    FILE *file = series->told->output ? NULL : fdopen(out, "w");
    if (file && series->table.count > 0) {
        int error = inject_table_print(&series->table, file);
        if (error)
            say_error("standard output: %s", strerror(error));
        status = error && !status ? 1 : status;
    }
    if (file && fclose(file) != 0 && !status)
        status = 1;
    if (status > 128)
        say_note("interrupted; %zu runs are kept%s", series->table.count,
                 series->told->output ? ", and the same command line resumes" : "");
    return !status && series->failed > 0 ? 1 : status;
}

int main(int argc, char **argv)
{
    struct inject_options told;
    struct launcher launcher;
    if (!command_line_read(argc, argv, &told))
        return 1;
    say_init(told.quiet);
    int out = divert(&told);
    struct inject_series series = {.told = &told, .attempt = {.options = &told, .launcher = &launcher}};
    int status = out < 0 ? 1 : begin(&series);
    launch_init(&launcher);
    if (!status) {
        status = inject_series_run(&series);
        status = finish(&series, out, status);
    }
    inject_table_free(&series.table);
    hottest_free(&series.hottest);
    free(series.plan);
    free((char *)(uintptr_t)series.attempt.command);
    command_line_free(&told);
    return status;
}
