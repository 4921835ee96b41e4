/* One run: it is launched, reported and stored. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "collect/record/directory.h"
#include "collect/record/finish/leftover.h"
#include "collect/record/log.h"
#include "collect/record/run_files.h"
#include "collect/record/series/progress.h"
#include "collect/record/series/run_entry.h"
#include "collect/record/series/session.h"

/* The run that is going on. */
struct session_current {
    struct session_series *series;
    const struct record_run *run;
};

/* ------------------------------------------------------------------------------------------------ progress -- */

/* The expected time of all runs that are left. A configuration without a run so far counts as the others do. 0:
 * unknown. */
static uint64_t session_left_ns(const struct session *session)
{
    uint64_t known_ns = 0, known = 0, unknown = 0;
    for (size_t i = 0; i < session->count; i++) {
        const struct session_series *series = &session->all[i];
        uint64_t left = 0, ns = progress_left(series_file_done(&series->file), series->options, series->left);
        for (size_t clock = 0; clock < series->options->clock_count; clock++)
            left += series->left[clock];
        known_ns += ns;
        *(ns ? &known : &unknown) += left;
    }
    return known ? known_ns + known_ns / known * unknown : 0;
}

static void session_show_progress(void *user)
{
    const struct session_current *current = user;
    const struct session *session = current->series->session;
    char name[RECORD_PREFIX_MAX], elapsed[32], eta[32];
    if (session->total < 2 || !log_shows_progress())
        return;
    uint64_t rest = session_left_ns(session);
    log_progress("%" PRIu64 "/%" PRIu64 "  %s  elapsed %s  ETA %s", session->done + 1, session->total,
                 run_report_name(current->run, name),
                 progress_time(clock_ns(CLOCK_MONOTONIC) - session->begin_ns, elapsed),
                 rest ? progress_time(rest, eta) : "-");
}

static void session_on_start(void *user, pid_t pid)
{
    const struct session_current *current = user;
    struct error_text message;
    if (series_file_begin(&current->series->file, current->run, pid, &message) != 0)
        session_fail(current->series->session, message.text);
    session_show_progress(user);
}

/* ------------------------------------------------------------------------------------------------- the run -- */

/* Runs once with the traces in `directory`. Returns the run's entry (new), or NULL if the series can't continue. */
static json_t *session_launch(struct session_current *current, const char *directory, const char *prefix)
{
    struct session_series *series = current->series;
    struct session *session = series->session;
    struct metadata_location location = {directory, prefix, series_file_id(&series->file)};
    struct launch_job job = {.on_start = session_on_start,
                             .input = -1,
                             .on_progress = session->total > 1 && log_shows_progress() ? session_show_progress : NULL,
                             .user = current};
    struct launch_result result;
    json_t *started = series_file_time(), *entry = NULL;
    int error = input_begin(session->input, &job.input);
    if (!error)
        error = backend_launch(&series->backend, &session->launcher, current->run, &location, &job, &result);
    int input_error = input_end(session->input);
    if (input_error) {
        char text[128];
        snprintf(text, sizeof text, "standard input of the run is cut short, and the series ends: %s",
                 strerror(input_error));
        session_fail(session, text);
    }
    if (!error && result.exec_error) {
        log_error("%s: %s", series->options->command[0], strerror(result.exec_error));
        session->status = result.exec_error == ENOENT ? 127 : 126;
        session->stop = true;
    } else if (!error)
        entry = run_entry_make(&series->backend, current->run, &location, started, &result,
                               launch_interrupted(&session->launcher) != 0, &error);
    if (entry && input_error)
        json_object_set_new(entry, "input_problem", json_string(strerror(input_error)));
    if (error)
        session_fail(session, strerror(error));
    if (backend_failed(&series->backend, current->run, &location) && session->status == 0)
        session->status = STATUS_BAD;
    json_decref(started);
    return entry;
}

/* Reports on a run. Returns whether it counts: a run without any trace must be repeated, but in mode time. */
static bool session_report(struct session_series *series, const struct record_run *run, const json_t *entry)
{
    struct session *session = series->session;
    const struct record_options *options = series->options;
    int status = run_report_end(run, entry);
    if (status)
        session->status = status;
    if (options->plain)
        return !session->launcher.interrupted_by;
    run_report_doubt(run, status, options->command);
    if (options->exact && status == 128 + SIGILL)
        run_report_illegal(run);
    size_t traces = run_report_traces(run, entry);
    run_report_notes(run, entry);
    run_report_probes(run, entry);
    if (traces > 0 && !options->exact && !options->methods && !options->inspect && !options->chosen)
        run_report_cover_add(&series->cover, run, entry);
    if (traces == 0 && session->launcher.interrupted_by)
        return false;
    pid_t left;
    size_t count = leftover_count(series_file_id(&series->file), json_string_value(json_object_get(entry, "prefix")),
                                  json_object_get(entry, "traces"), &left);
    if (count > 0)
        run_report_leftover(run, count, left);
    if (traces + count > 0)
        return true;
    run_report_nothing(run, entry, *series->backend.agents.jvm != '\0', options->chosen != NULL);
    if (session->status == 0)
        session->status = STATUS_BAD;
    session->stop |= status == 0;
    return false;
}

void session_run(struct session_series *series, const struct record_run *run)
{
    struct session *session = series->session;
    struct session_current current = {series, run};
    char prefix[RECORD_PREFIX_MAX], location[RECORD_PATH_MAX + 16];
    struct error_text message;
    snprintf(location, sizeof location, "%s%s", series->file.directory, run->warmup ? "/" RUN_SERIES_WARMUP : "");
    int error = run->warmup ? directory_make(location) : 0;
    if (error) {
        error_set(&message, STATUS_BAD, "%.400s: %s", location, strerror(error));
        session_fail(session, message.text);
        return;
    }
    run_files_prefix(run, prefix);
    json_t *entry = session_launch(&current, location, prefix);
    if (entry && (!session_report(series, run, entry) || run->warmup)) {
        json_decref(entry);
        entry = NULL;
    }
    if (series_file_end(&series->file, entry, &message) != 0)
        session_fail(session, message.text);
    if (run->warmup)
        series_file_remove_warmup(&series->file);
    series->left[run->clock_index]--;
    session->done++;
}
