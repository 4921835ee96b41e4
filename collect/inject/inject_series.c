#include "collect/inject/inject_series.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text_stream.h"
#include "collect/inject/choose.h"
#include "collect/inject/jit_decisions.h"
#include "collect/inject/native_side.h"
#include "collect/record/log.h"
#include "collect/record/series/progress.h"

/* Results other than the program's exit status. */
enum { NO_SUCH_METHOD = -1 };

static bool inject_series_has_run(const struct inject_series *series, uint32_t amount, uint64_t run)
{
    const struct inject_row *row =
        inject_table_find(&series->table, series->options->method, series->options->work, amount, run);
    return row && strcmp(row->status, "ok") == 0;
}

static int inject_series_add_row(struct inject_series *series, const struct inject_row *row, struct error_text *message)
{
    const struct inject_options *options = series->options;
    const char *what = strcmp(row->status, "never ran") == 0 ? "the method " : "the command ended with ";
    bool bad = strcmp(row->status, "ok") != 0, by_itself = bad && row->amount == 0;
    series->left--;
    series->done++;
    series->spent_ms += row->program_ms;
    if (bad && !by_itself && !series->choosing) {
        log_error("amount %" PRIu32 ", run %" PRIu64 ": %s%s", row->amount, row->run, what, row->status);
        series->failed++;
    }
    if (!inject_table_put(&series->table, row))
        return error_set(message, STATUS_BAD, "out of memory");
    jit_decisions_set_guards(&series->table);
    int error = options->output ? inject_table_save(&series->table, options->output) : 0;
    int status = error ? error_set(message, STATUS_BAD, "%s: %s", options->output, strerror(error)) : STATUS_GOOD;
    if (by_itself)
        error_append(message,
                     "amount %" PRIu32 ", run %" PRIu64
                     ": %s%s; nothing is injected into a command that fails by itself",
                     row->amount, row->run, what, row->status);
    return by_itself ? STATUS_BAD : status;
}

static int inject_series_run_once(struct inject_series *series, uint32_t amount, uint64_t run,
                                  struct error_text *message)
{
    assert(run > 0);
    struct inject_row row;
    struct error_text why;
    char left[32], eta[64] = "", method[320] = "";
    if (series->wanted > 1)
        snprintf(method, sizeof method, "method %zu of %zu (%.200s), ", series->number, series->wanted,
                 series->options->method);
    if (series->done > 0)
        snprintf(eta, sizeof eta, ", about %s left",
                 progress_time((uint64_t)(series->spent_ms / (double)series->done * (double)series->left * 1e6), left));
    log_progress("%srun %" PRIu64 " of %" PRIu64 ", amount %" PRIu32 ", %zu to go%s", method, run,
                 series->options->runs, amount, series->left, eta);
    enum attempt_outcome outcome = attempt_run(&series->attempt, amount, run, &row, &why);
    log_clear_progress();
    switch (outcome) {
    case ATTEMPT_ROW:
        return inject_series_add_row(series, &row, message);
    case ATTEMPT_IMPOSSIBLE:
        if (series->options->hot)
            log_note("passed over: %s", why.text);
        else
            log_error("%s", why.text);
        return NO_SUCH_METHOD;
    case ATTEMPT_INTERRUPTED:
        return 128 + series->attempt.launcher->interrupted_by;
    case ATTEMPT_FAILED:
        break;
    }
    *message = why;
    return STATUS_BAD;
}

static int inject_series_run_amounts(struct inject_series *series, struct error_text *message)
{
    const struct inject_options *options = series->options;
    uint32_t *order = calloc(options->amount_count, sizeof *order);
    int status = order ? STATUS_GOOD : error_set(message, STATUS_BAD, "out of memory");
    for (uint64_t run = 1; run <= options->runs && !status; run++) {
        /* 0 comes first, then the others in a separate random order for each run (Fisher and Yates). The bias of % is
         * below 10000/2^64. */
        struct rng rng = {options->seed ^ run << 32};
        assert(options->amount_count > 0 && options->amounts[0] == 0);
        memcpy(order, options->amounts, options->amount_count * sizeof *order);
        for (size_t left = options->amount_count - 1; left > 1; left--) {
            size_t pick = 1 + (size_t)(rng_next(&rng) % left);
            uint32_t swapped = order[left];
            order[left] = order[pick];
            order[pick] = swapped;
        }
        for (size_t i = 0; i < options->amount_count && !status; i++)
            if (!inject_series_has_run(series, order[i], run))
                status = inject_series_run_once(series, order[i], run, message);
    }
    free(order);
    return status;
}

size_t inject_series_runs_of_one(const struct inject_options *options)
{
    /* With another work the pilot has a run without work of its own. */
    size_t pilot = options->slowdown == 0 ? 0 : strcmp(options->work, CHOOSE_PILOT_WORK) == 0 ? 1 : 2;
    if (options->plan)
        return 2 + pilot;
    return pilot + options->runs * (options->slowdown > 0 ? options->steps + 1 : options->amount_count);
}

size_t inject_series_missing(struct inject_series *series, size_t method)
{
    struct inject_options *options = series->options;
    const char *at_hand = options->method;
    size_t count = 0;
    if (options->slowdown > 0 || options->plan)
        return inject_series_runs_of_one(options);
    options->method = series->methods[method];
    for (uint64_t run = 1; run <= options->runs; run++)
        for (size_t i = 0; i < options->amount_count; i++)
            count += !inject_series_has_run(series, options->amounts[i], run);
    options->method = at_hand;
    return count;
}

/* ----------------------------------------------------------------------------------------- the choice -- */

/* The run without work and that with this amount, unless they are there; then *why the latter is not valid, "" if it
 * is. 0, or what inject_series_run_once() returns. */
static int inject_series_try_amount(struct inject_series *series, uint32_t amount, struct error_text *why,
                                    struct error_text *message)
{
    const struct inject_options *options = series->options;
    int status = 0;
    series->choosing = true;
    if (!inject_series_has_run(series, 0, 1))
        status = inject_series_run_once(series, 0, 1, message);
    if (!status && !inject_series_has_run(series, amount, 1))
        status = inject_series_run_once(series, amount, 1, message);
    series->choosing = false;
    if (!status)
        choose_check_row(inject_table_find(&series->table, options->method, options->work, amount, 1), amount, why);
    return status;
}

/* Tries the largest amount. Where amounts were chosen, those that change the program in other ways are halved, down to
 * an eighth. As inject_series_try_amount(). */
static int inject_series_try_largest(struct inject_series *series, struct error_text *why, struct error_text *message)
{
    struct inject_options *options = series->options;
    const size_t last = options->amount_count - 1;
    int status = inject_series_try_amount(series, options->amounts[last], why, message);
    for (size_t halvings = 0; !status && *why->text && options->slowdown > 0 && halvings < CHOOSE_HALVINGS_MOST;
         halvings++) {
        const struct inject_row *row =
            inject_table_find(&series->table, options->method, options->work, options->amounts[last], 1);
        if (!row || strcmp(row->status, "ok") != 0 || !choose_halve(options->amounts, options->amount_count))
            break;
        log_note("%s: %s; half of it is tried", options->method, why->text);
        *why = (struct error_text){""};
        status = inject_series_try_amount(series, options->amounts[last], why, message);
    }
    return status;
}

/* The method at hand with its amounts but 0, at the end of the plan. */
static int inject_series_add_to_plan(struct inject_series *series, struct error_text *message)
{
    const struct inject_options *options = series->options;
    char *text = NULL;
    size_t size = 0;
    FILE *out = text_stream_open(&text, &size);
    if (out) {
        fprintf(out, "%s%s\t", series->plan ? series->plan : "", options->method);
        for (size_t i = 1; i < options->amount_count; i++)
            fprintf(out, "%" PRIu32 "%c", options->amounts[i], i + 1 < options->amount_count ? ',' : '\n');
    }
    if (!text_stream_close(out, &text))
        return error_set(message, STATUS_BAD, "out of memory");
    free(series->plan);
    series->plan = text;
    return STATUS_GOOD;
}

/* -------------------------------------------------------------------------------------------- the end -- */

static void inject_series_report_method(const struct inject_series *series)
{
    size_t rows = 0, changed = 0;
    bool copies = false;
    const char *example = "";
    double least = INFINITY;
    for (size_t i = 0; i < series->table.count; i++) {
        const struct inject_row *row = &series->table.rows[i];
        if (strcmp(row->method, series->options->method) != 0 || strcmp(row->work, series->options->work) != 0)
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
        log_note("%s: %zu of %zu points are invalid: the added work changes the program in other ways (%s)%s",
                 series->options->method, changed, rows, example,
                 changed < rows || native_is_name(series->options->method)
                     ? ""
                     : "; they give no slope: choose another method, such as a caller of it, or set -XX:-Inline in "
                       "JAVA_TOOL_OPTIONS, so that no method is inlined");
    if (copies)
        log_note(
            "%s runs in inlined copies, too: a profiler that reads no debug information takes them for its callers",
            series->options->method);
    if (least < 500)
        log_note("a run took only %.0f ms, most of it start-up; let the program do more", least);
}

/* One method. *measured: false if it was passed over, or does not exist. 0, or what inject_series_run_once() returns.
 */
static int inject_series_run_method(struct inject_series *series, bool *measured, struct error_text *message)
{
    *measured = true;
    int status = 0;
    if (series->options->hot || series->options->slowdown > 0) {
        /* The method at hand can be measured if it stays the same one with the largest amount. */
        struct inject_options *options = series->options;
        struct error_text why = {""};
        if (options->slowdown > 0) { /* its amounts follow from a pilot with other work */
            const char *work = options->work;
            double round_ns = series->attempt.round_ns;
            options->work = CHOOSE_PILOT_WORK;
            series->attempt.round_ns = series->pilot_round_ns;
            status = inject_series_try_amount(series, CHOOSE_PILOT_AMOUNT, &why, message);
            if (!status && !*why.text)
                choose_amounts(
                    inject_table_find(&series->table, options->method, options->work, 0, 1),
                    inject_table_find(&series->table, options->method, options->work, CHOOSE_PILOT_AMOUNT, 1),
                    options->slowdown, options->steps, options->amounts, &why);
            options->amount_count = options->steps + 1;
            options->work = work;
            series->attempt.round_ns = round_ns;
        }
        if (!status && !*why.text)
            status = inject_series_try_largest(series, &why, message);
        *measured = !*why.text;
        if (!status && !*measured && options->hot)
            log_note("%s is passed over: %s", options->method, why.text);
        else if (!status && !*measured)
            log_error("%s: %s", options->method, why.text);
    }
    if (!status && *measured && series->options->plan)
        return inject_series_add_to_plan(series, message);
    if (!status && *measured)
        status = inject_series_run_amounts(series, message);
    *measured &= status != NO_SUCH_METHOD;
    if (*measured)
        inject_series_report_method(series);
    return status == NO_SUCH_METHOD ? 0 : status;
}

int inject_series_run(struct inject_series *series, struct error_text *message)
{
    const struct inject_options *options = series->options;
    size_t most = options->hot ? (1 + CHOOSE_PASSED_MOST) * series->wanted : series->count, refused = 0, m = 0;
    int status = 0;
    for (; m < series->count && m < most && series->number < series->wanted && !status; m++) {
        size_t planned = inject_series_missing(series, m), before = series->done;
        bool measured;
        series->options->method = series->methods[m];
        series->number++;
        status = inject_series_run_method(series, &measured, message);
        size_t made = series->done - before;
        series->left -= made < planned ? planned - made : 0;
        refused += !measured;
        if (!measured && options->hot) {
            size_t instead = m + series->wanted - --series->number;
            series->left += instead < series->count && instead < most ? inject_series_missing(series, instead) : 0;
        }
    }
    if (series->failed > 0)
        log_note("%zu run%s failed; the same command line tries them again", series->failed,
                 series->failed == 1 ? "" : "s");
    if (!status && options->plan) {
        FILE *file = fopen(series->options->plan, "we");
        bool good = file && fputs(series->plan ? series->plan : "", file) >= 0;
        if (file && fclose(file) != 0)
            good = false;
        status = good ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s: %s", series->options->plan, strerror(errno));
    }
    if (!status && options->hot && series->number < series->wanted)
        return error_set(message, STATUS_BAD,
                         "only %zu of %zu methods can be made slower so that a slope says something, of %zu that were "
                         "tried%s",
                         series->number, series->wanted, m,
                         native_is_name(series->methods[0])
                             ? ""
                             : "; -XX:-Inline in JAVA_TOOL_OPTIONS keeps the JIT compilers from "
                               "inlining the others");
    return !status && !options->hot && refused > 0 ? STATUS_BAD : status;
}
