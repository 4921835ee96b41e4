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

#include "collect/inject/attempt.h"
#include "collect/inject/command_line.h"
#include "collect/inject/guard.h"
#include "collect/inject/hottest.h"
#include "collect/inject/native_side.h"
#include "collect/inject/table.h"
#include "collect/record/say.h"
#include "collect/record/series/progress.h"
#include "collect/record/start/agents.h"

const char *argp_program_version = "assay-inject " ASSAY_VERSION;

/* ------------------------------------------------------------------------------------------- the series -- */

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* 0 first, the others in a separate random order for each run (Fisher and Yates). The bias of % is below 10000/2^64. */
static void shuffle(const struct inject_options *told, uint64_t run, uint32_t *order)
{
    uint64_t state = told->seed ^ run << 32;
    memcpy(order, told->amounts, told->amount_count * sizeof *order);
    for (size_t left = told->amount_count - 1; left > 1; left--) {
        size_t pick = 1 + (size_t)(draw(&state) % left);
        uint32_t swapped = order[left];
        order[left] = order[pick];
        order[pick] = swapped;
    }
}

/* Results other than the program's exit status. */
enum { NO_SUCH_METHOD = -1 };

struct series {
    struct inject_options *told;
    struct attempt attempt;
    struct inject_table table;
    struct hottest hottest;
    const char *const *methods; /* [count]: candidates, of which the first `wanted` suitable ones are used */
    size_t count, wanted;
    size_t number;     /* of the current method, from 1 */
    size_t done, left; /* runs of this session; still to be made */
    double spent_ms;
    size_t failed;
};

static bool has(const struct series *series, uint32_t amount, uint64_t run)
{
    const struct inject_row *row = table_find(&series->table, series->told->method, series->told->work, amount, run);
    return row && strcmp(row->status, "ok") == 0;
}

static void show_progress(const struct series *series, uint32_t amount, uint64_t run)
{
    char left[32], eta[64] = "", method[320] = "";
    if (series->wanted > 1)
        snprintf(method, sizeof method, "method %zu of %zu (%.200s), ", series->number, series->wanted,
                 series->told->method);
    if (series->done > 0)
        snprintf(eta, sizeof eta, ", about %s left",
                 progress_time((uint64_t)(series->spent_ms / (double)series->done * (double)series->left * 1e6), left));
    say_progress("%srun %" PRIu64 " of %" PRIu64 ", amount %" PRIu32 ", %zu to go%s", method, run, series->told->runs,
                 amount, series->left, eta);
}

/* Writes the current table. 0 or 1. */
static int keep(struct series *series)
{
    guard_judge(&series->table);
    int error = series->told->output ? table_save(&series->table, series->told->output) : 0;
    if (error)
        say_error("%s: %s", series->told->output, strerror(error));
    return error != 0;
}

static int run_once(struct series *series, uint32_t amount, uint64_t run)
{
    struct inject_row row;
    char why[INJECT_WHY_MAX];
    show_progress(series, amount, run);
    enum attempt_outcome outcome = attempt_run(&series->attempt, amount, run, &row, why);
    say_clear_progress();
    if (outcome == ATTEMPT_INTERRUPTED)
        return 128 + series->attempt.launcher->interrupted_by;
    if (outcome == ATTEMPT_IMPOSSIBLE) {
        if (series->told->hot)
            say_note("left out: %s", why);
        else
            say_error("%s", why);
        return NO_SUCH_METHOD;
    }
    if (outcome != ATTEMPT_ROW) {
        say_error("%s", why);
        return 1;
    }
    series->left--;
    series->done++;
    series->spent_ms += row.program_ms;
    bool bad = strcmp(row.status, "ok") != 0, by_itself = bad && amount == 0;
    if (bad)
        say_error("amount %" PRIu32 ", run %" PRIu64 ": %s%s%s", amount, run,
                  strcmp(row.status, "never ran") == 0 ? "the method " : "the command ended with ", row.status,
                  by_itself ? "; nothing is injected into a command that fails by itself" : "");
    series->failed += bad && !by_itself;
    if (!table_put(&series->table, &row)) {
        say_error("out of memory");
        return 1;
    }
    int status = keep(series);
    return by_itself ? 1 : status;
}

static int run_method(struct series *series)
{
    const struct inject_options *told = series->told;
    uint32_t *order = calloc(told->amount_count, sizeof *order);
    int status = order ? 0 : 1;
    for (uint64_t run = 1; run <= told->runs && !status; run++) {
        shuffle(told, run, order);
        for (size_t i = 0; i < told->amount_count && !status; i++)
            if (!has(series, order[i], run))
                status = run_once(series, order[i], run);
    }
    free(order);
    return status;
}

/* Runs of the current method that are not in the table. */
static size_t missing(const struct series *series)
{
    size_t count = 0;
    for (uint64_t run = 1; run <= series->told->runs; run++)
        for (size_t i = 0; i < series->told->amount_count; i++)
            count += !has(series, series->told->amounts[i], run);
    return count;
}

static size_t missing_of(struct series *series, size_t method)
{
    const char *at_hand = series->told->method;
    series->told->method = series->methods[method];
    size_t count = missing(series);
    series->told->method = at_hand;
    return count;
}

/* -------------------------------------------------------------------------------------------- the end -- */

static void report(const struct series *series)
{
    size_t rows = 0, changed = 0;
    bool copies = false;
    const char *example = "";
    double least = INFINITY;
    for (size_t i = 0; i < series->table.count; i++) {
        const struct inject_row *row = &series->table.rows[i];
        if (strcmp(row->method, series->told->method) != 0 || strcmp(row->work, series->told->work) != 0)
            continue;
        rows += row->amount > 0;
        copies |= strcmp(row->compiled, INJECT_NATIVE) == 0 && strcmp(row->inlined, "no") != 0;
        least = strcmp(row->status, "ok") == 0 ? fmin(least, row->program_ms) : least;
        if (strcmp(row->guard, "ok") != 0) {
            changed++;
            example = row->guard;
        }
    }
    if (changed > 0)
        say_note("%s: %zu of %zu points are invalid: the added work changes the program in other ways (%s)%s",
                 series->told->method, changed, rows, example,
                 changed < rows || native_is_name(series->told->method)
                     ? ""
                     : "; they give no slope: choose another method, such as a caller of it, or set -XX:-Inline in "
                       "JAVA_TOOL_OPTIONS, so that no method is inlined");
    if (copies)
        say_note(
            "%s runs in inlined copies, too: a profiler that reads no debug information takes them for its callers",
            series->told->method);
    if (least < 500)
        say_note("a run took only %.0f ms, most of it start-up; let the program do more", least);
}

/* Processes methods until the wanted number were made slower. One that can't be is an error, unless assay hot named it.
 */
static int run_all(struct series *series)
{
    size_t refused = 0;
    int status = 0;
    for (size_t m = 0; m < series->count && series->number < series->wanted && !status; m++) {
        series->told->method = series->methods[m];
        series->number++;
        status = run_method(series);
        if (status != NO_SUCH_METHOD) {
            report(series);
            continue;
        }
        status = 0;
        refused++;
        series->left -= missing(series);
        if (series->told->hot) {
            size_t instead = m + series->wanted - --series->number;
            series->left += instead < series->count ? missing_of(series, instead) : 0;
        }
    }
    if (series->failed > 0)
        say_note("%zu run%s failed; the same command line tries them again", series->failed,
                 series->failed == 1 ? "" : "s");
    if (!status && series->told->hot && series->number < series->wanted)
        say_error("only %zu of the %zu methods that assay hot found could be made slower", series->number,
                  series->count);
    return !status && (series->told->hot ? series->number < series->wanted : refused > 0) ? 1 : status;
}

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

static bool is_asked_for(const struct series *series, const char *method)
{
    for (size_t m = 0; m < series->count; m++)
        if (strcmp(series->methods[m], method) == 0)
            return true;
    return false;
}

/* Rows of the same method from another command would be mistaken for this one's. */
static bool is_ours(const struct series *series, char why[INJECT_WHY_MAX])
{
    for (size_t i = 0; i < series->table.count; i++) {
        const struct inject_row *row = &series->table.rows[i];
        if (is_asked_for(series, row->method) && strcmp(row->work, series->told->work) == 0 &&
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

static bool name_methods(struct series *series)
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
            say_note("the traces of --from hold only %zu methods", series->count);
    }
    for (size_t m = 0; m < series->count; m++)
        if (!find_agents(&series->attempt, native_is_name(series->methods[m])))
            return false;
    return true;
}

static void tell_plan(struct series *series)
{
    const struct inject_options *told = series->told;
    size_t all = told->amount_count * told->runs * series->wanted;
    char methods[48] = "";
    for (size_t m = 0; m < series->wanted; m++)
        series->left += missing_of(series, m);
    if (series->wanted > 1)
        snprintf(methods, sizeof methods, " for each of %zu methods", series->wanted);
    if (series->left < all)
        say_note("%s has %zu of %zu runs; %zu to go", told->output, all - series->left, all, series->left);
    else
        say_note("%zu runs: %" PRIu64 " with each of %zu amounts%s, 0 first, then shuffled (seed %" PRIu64 ")", all,
                 told->runs, told->amount_count, methods, told->seed);
}

static int begin(struct series *series)
{
    const struct inject_options *told = series->told;
    char why[INJECT_WHY_MAX] = "";
    if (!name_methods(series))
        return 1;
    series->attempt.command = join(told->command);
    if (!series->attempt.command ||
        (told->output && (!table_read(&series->table, told->output, why) || !is_ours(series, why)))) {
        say_error("%s: %s", told->output ? told->output : "", series->attempt.command ? why : "out of memory");
        return 1;
    }
    tell_plan(series);
    series->attempt.round_ns = attempt_calibrate(told->work);
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

static int finish(const struct series *series, int out, int status)
{
    FILE *file = series->told->output ? NULL : fdopen(out, "w");
    if (file && series->table.count > 0) {
        int error = table_print(&series->table, file);
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
    struct series series = {.told = &told, .attempt = {.options = &told, .launcher = &launcher}};
    int status = out < 0 ? 1 : begin(&series);
    launch_init(&launcher);
    if (!status) {
        status = run_all(&series);
        status = finish(&series, out, status);
    }
    table_free(&series.table);
    hottest_free(&series.hottest);
    free((char *)(uintptr_t)series.attempt.command);
    command_line_free(&told);
    return status;
}
