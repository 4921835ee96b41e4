/*
 * session.c - the series from its first run to its last: what record_main() does.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/record/directory.h"
#include "collect/record/finish/leftover.h"
#include "collect/record/finish/run_report.h"
#include "collect/record/run_files.h"
#include "collect/record/series_file.h"
#include "collect/record/log.h"
#include "collect/record/series/progress.h"
#include "collect/record/series/profile.h"
#include "collect/record/series/publish.h"
#include "collect/record/series/run_entry.h"
#include "collect/record/start/input.h"
#include "collect/record/start/backend.h"

struct session {
    struct record_options *options;
    struct backend backend;
    struct launcher launcher;
    struct input *input;
    struct series_file series;
    struct run_report_cover cover;
    const struct record_run *run; /* the current one */
    uint64_t done, total;         /* runs, warm-up included */
    uint64_t begin_ns;
    int status; /* exit status so far */
    bool stop;  /* no further run */
};

/* The recorder itself failed: the command's own status goes first if it has one. */
static void session_fail(struct session *session, const char *text)
{
    log_error("%s", text);
    session->stop = true;
    if (session->status == 0)
        session->status = STATUS_BAD;
}

/* ------------------------------------------------------------------------------------------------ progress -- */

static void session_count_left(const struct session *session, uint64_t *left)
{
    const struct record_options *options = session->options;
    for (size_t i = 0; i < options->clock_count; i++) {
        left[i] = 0;
        for (uint64_t number = 1; number <= options->runs; number++) {
            struct record_run run = {.clock = &options->clocks[i], .number = number};
            left[i] += !series_file_has(&session->series, &run);
        }
        if (session->run->warmup)
            left[i] += options->warmup - session->run->number + (i >= session->run->clock_index);
    }
}

static void session_show_progress(void *user)
{
    const struct session *session = user;
    uint64_t left[RECORD_CLOCKS_MAX];
    char name[RECORD_PREFIX_MAX], elapsed[32], eta[32];
    if (session->total < 2 || !log_shows_progress())
        return;
    session_count_left(session, left);
    uint64_t rest = progress_left(series_file_done(&session->series), session->options, left);
    log_progress("%" PRIu64 "/%" PRIu64 "  %s  elapsed %s  ETA %s", session->done + 1, session->total,
                 run_report_name(session->run, name),
                 progress_time(clock_ns(CLOCK_MONOTONIC) - session->begin_ns, elapsed),
                 rest ? progress_time(rest, eta) : "-");
}

/* ------------------------------------------------------------------------------------------------- one run -- */

static void session_on_start(void *user, pid_t pid)
{
    struct session *session = user;
    struct error_text message;
    if (series_file_begin(&session->series, session->run, pid, &message) != 0)
        session_fail(session, message.text);
    session_show_progress(session);
}

/* Runs once with the traces in `directory`. Returns the run's entry (new), or NULL if the series can't continue. */
static json_t *session_run_once(struct session *session, const char *directory, const char *prefix)
{
    struct metadata_location location = {directory, prefix, series_file_id(&session->series)};
    struct launch_job job = {.on_start = session_on_start,
                             .input = -1,
                             .on_progress = session->total > 1 && log_shows_progress() ? session_show_progress : NULL,
                             .user = session};
    struct launch_result result;
    json_t *started = series_file_time(), *entry = NULL;
    int error = input_begin(session->input, &job.input);
    if (!error)
        error = backend_launch(&session->backend, &session->launcher, session->run, &location, &job, &result);
    int input_error = input_end(session->input);
    if (input_error) {
        char text[128];
        snprintf(text, sizeof text, "standard input of the run is cut short, and the series ends: %s",
                 strerror(input_error));
        session_fail(session, text);
    }
    if (!error && result.exec_error) {
        log_error("%s: %s", session->options->command[0], strerror(result.exec_error));
        session->status = result.exec_error == ENOENT ? 127 : 126;
        session->stop = true;
    } else if (!error)
        entry = run_entry_make(&session->backend, session->run, &location, started, &result,
                               launch_interrupted(&session->launcher) != 0, &error);
    if (entry && input_error)
        json_object_set_new(entry, "input_problem", json_string(strerror(input_error)));
    if (error)
        session_fail(session, strerror(error));
    if (backend_failed(&session->backend, session->run, &location) && session->status == 0)
        session->status = STATUS_BAD;
    json_decref(started);
    return entry;
}

/* Reports on a run. Returns whether it counts: a run without any trace must be repeated. */
static bool session_report_run(struct session *session, const json_t *entry)
{
    int status = run_report_end(session->run, entry);
    if (status)
        session->status = status;
    if (session->options->plain)
        return !session->launcher.interrupted_by;
    run_report_doubt(session->run, status, session->options->command);
    if (session->options->exact && status == 128 + SIGILL)
        run_report_illegal(session->run);
    size_t traces = run_report_traces(session->run, entry);
    run_report_notes(session->run, entry);
    run_report_probes(session->run, entry);
    if (traces > 0 && !session->options->exact && !session->options->methods && !session->options->inspect &&
        !session->options->chosen)
        run_report_cover_add(&session->cover, session->run, entry);
    if (traces == 0 && session->launcher.interrupted_by)
        return false;
    pid_t left;
    size_t count = leftover_count(series_file_id(&session->series), json_string_value(json_object_get(entry, "prefix")),
                                  json_object_get(entry, "traces"), &left);
    if (count > 0)
        run_report_leftover(session->run, count, left);
    if (traces + count > 0)
        return true;
    run_report_nothing(session->run, entry, *session->backend.agents.jvm != '\0', session->options->chosen != NULL);
    if (session->status == 0)
        session->status = STATUS_BAD;
    session->stop |= status == 0;
    return false;
}

/* Runs the command once. A warmup leaves nothing in the series. */
static void session_record_run(struct session *session)
{
    bool warmup = session->run->warmup;
    char prefix[RECORD_PREFIX_MAX], location[RECORD_PATH_MAX + 16];
    struct error_text message;
    snprintf(location, sizeof location, "%s%s", session->series.directory, warmup ? "/" RUN_SERIES_WARMUP : "");
    int error = warmup ? directory_make(location) : 0;
    if (error) {
        error_set(&message, STATUS_BAD, "%.400s: %s", location, strerror(error));
        session_fail(session, message.text);
        return;
    }
    run_files_prefix(session->run, prefix);
    json_t *entry = session_run_once(session, location, prefix);
    if (entry && (!session_report_run(session, entry) || warmup)) {
        json_decref(entry);
        entry = NULL;
    }
    if (series_file_end(&session->series, entry, &message) != 0)
        session_fail(session, message.text);
    if (warmup)
        series_file_remove_warmup(&session->series);
}

/* ---------------------------------------------------------------------------------------------- the series -- */

static void session_run_round(struct session *session, uint64_t number, bool warmup)
{
    assert(number > 0);
    for (size_t i = 0; i < session->options->clock_count && !session->stop; i++) {
        struct record_run run = {.clock = &session->options->clocks[i],
                                 .clock_index = i,
                                 .number = number,
                                 .warmup = warmup,
                                 .several_clocks = session->options->clock_count > 1};
        if (!warmup && series_file_has(&session->series, &run))
            continue;
        session->run = &run;
        session_record_run(session);
        session->done++;
        session->stop |= launch_interrupted(&session->launcher) != 0;
    }
}

/* Traces whose processes outlived their runs may be complete by now. */
static void session_finalize_traces(struct session *session)
{
    json_t *entry, *traces;
    size_t i;
    struct error_text message;
    bool changed = false;
    json_array_foreach(series_file_done(&session->series), i, entry)
    {
        json_t *before = json_object_get(entry, "traces");
        const char *prefix = json_string_value(json_object_get(entry, "prefix"));
        struct record_run run = {.clock = session->options->clocks,
                                 .number = (uint64_t)json_integer_value(json_object_get(entry, "run"))};
        struct metadata_location location = {session->series.directory, prefix, series_file_id(&session->series)};
        if (!prefix ||
            backend_check(&session->backend, &run, &location, before, json_object_get(entry, "exit"), &traces) != 0)
            continue;
        if (!json_equal(before, traces)) {
            changed = true;
            backend_failed(&session->backend, &run, &location);
        }
        json_object_set_new(entry, "traces", traces);
    }
    if (changed && series_file_save(&session->series, &message) != 0)
        session_fail(session, message.text);
}

/* Resumes the series in its directory. Returns the number of missing runs, or sets session->stop. */
static void session_open_series(struct session *session)
{
    char location[RECORD_PATH_MAX];
    struct error_text message;
    const struct record_options *options = session->options;
    json_t *configuration = metadata_configuration(options, &session->backend.engine);
    int status = configuration ? publish_location(options, location, &message)
                               : error_set(&message, STATUS_BAD, "%s", strerror(ENOMEM));
    if (status || series_file_open(&session->series, location, configuration, options, &message) != 0) {
        session_fail(session, message.text);
        json_decref(configuration);
        return;
    }
    session->options->seed = (uint64_t)json_integer_value(json_object_get(configuration, "seed"));
    json_decref(configuration);
    if (series_file_clean(&session->series, &message) != 0) {
        session_fail(session, message.text);
        return;
    }
    uint64_t left[RECORD_CLOCKS_MAX];
    session->run = &(struct record_run){0};
    session_count_left(session, left);
    uint64_t wanted = options->runs * options->clock_count, missing = 0;
    for (size_t i = 0; i < options->clock_count; i++)
        missing += left[i];
    assert(missing <= wanted);
    session->total = missing + options->warmup * options->clock_count;
    session->stop = missing == 0;
    if (missing == 0)
        log_note("%s: complete: %" PRIu64 " of %" PRIu64 " runs exist; --overwrite would run them again",
                 options->output, wanted, wanted);
    else if (session->series.resumed)
        log_note("%s: resuming: %" PRIu64 " of %" PRIu64 " runs exist", options->output, wanted - missing, wanted);
}

/* The profile comes last: a command that can run only once has been recorded by then. */
static void session_take_profile(struct session *session)
{
    uint64_t left[RECORD_CLOCKS_MAX];
    session->run = &(struct record_run){0};
    session_count_left(session, left);
    if (!session->options->profile || session->launcher.interrupted_by || left[0] > 0)
        return;
    profile_take(session->options, &session->launcher, session->input, &session->series);
    if (session->launcher.interrupted_by)
        session->status = 128 + session->launcher.interrupted_by;
}

int record_main(struct record_options *options)
{
    struct session session = {.options = options, .series = {.lock = -1}};
    struct error_text message;
    log_init(options->quiet, "");
    launch_init(&session.launcher);
    if (backend_prepare(options, &session.backend, &message) != 0) {
        session_fail(&session, message.text);
        goto out;
    }
    session_open_series(&session);
    if (!session.series.root)
        goto out;
    if (input_open(options->input, session.total > 1, &session.input, &message) != 0) {
        session_fail(&session, message.text);
        goto out;
    }
    if (!session.stop) {
        backend_report(&session.backend);
        session.begin_ns = clock_ns(CLOCK_MONOTONIC);
        for (uint64_t number = 1; number <= options->warmup && !session.stop; number++)
            session_run_round(&session, number, true);
        for (uint64_t number = 1; number <= options->runs && !session.stop; number++)
            session_run_round(&session, number, false);
        log_clear_progress();
        run_report_cover_end(&session.cover);
        if (session.launcher.interrupted_by) {
            session.status = 128 + session.launcher.interrupted_by;
            if (!options->output_is_file)
                log_note("interrupted; finished runs are kept in %s; the same command line resumes",
                         session.series.directory);
        }
    }
    session_finalize_traces(&session);
    session_take_profile(&session);
    if (options->output_is_file && publish_file(&session.series, options, &message) != 0)
        session_fail(&session, message.text);
out:
    input_close(session.input);
    series_file_close(&session.series);
    backend_free(&session.backend);
    return session.status;
}
