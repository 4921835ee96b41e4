/*
 * session.c - all series of a recording from their first run to their last: what record_main() does.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "collect/record/log.h"
#include "collect/record/series/profile.h"
#include "collect/record/series/publish.h"
#include "collect/record/series/session.h"
#include "collect/record/series/variants.h"

void session_fail(struct session *session, const char *text)
{
    log_error("%s", text);
    session->stop = true;
    if (session->status == 0)
        session->status = STATUS_BAD;
}

/* ---------------------------------------------------------------------------------------------- the series -- */

/* The runs of each clock that the series lacks; returns their sum. */
static uint64_t session_count_missing(const struct session_series *series, uint64_t *missing)
{
    const struct record_options *options = series->options;
    uint64_t sum = 0;
    for (size_t i = 0; i < options->clock_count; i++) {
        missing[i] = 0;
        for (uint64_t number = 1; number <= options->runs; number++) {
            struct record_run run = {.clock = &options->clocks[i], .number = number};
            missing[i] += !series_file_has(&series->file, &run);
        }
        sum += missing[i];
    }
    return sum;
}

/* The run with this number of a configuration, with each clock in turn. */
static void session_run_clocks(struct session_series *series, uint64_t number, bool warmup)
{
    const struct record_options *options = series->options;
    struct session *session = series->session;
    for (size_t i = 0; i < options->clock_count && !session->stop; i++) {
        const struct record_run run = {.clock = &options->clocks[i],
                                       .clock_index = i,
                                       .number = number,
                                       .warmup = warmup,
                                       .several_clocks = options->clock_count > 1,
                                       .configuration = options->name};
        if (series->left[i] == 0 || (!warmup && series_file_has(&series->file, &run)))
            continue;
        session_run(series, &run);
        session->stop |= launch_interrupted(&session->launcher) != 0;
    }
}

/* A run of each configuration, in an order that follows from the seed and the round: the same one when it is resumed.
 */
static void session_run_round(struct session *session, uint64_t number, bool warmup)
{
    assert(number > 0);
    size_t order[RECORD_VARIANTS_MAX];
    struct rng rng;
    rng_init(&rng, session->all[0].options->seed, number << 1 | warmup);
    for (size_t i = 0; i < session->count; i++) { /* Fisher and Yates, inside out */
        size_t at = rng_below(&rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; i < session->count && !session->stop; i++)
        session_run_clocks(&session->all[order[i]], number, warmup);
}

/* Traces whose processes outlived their runs may be complete by now. */
static void session_finalize_traces(struct session_series *series)
{
    json_t *entry, *traces;
    size_t i;
    struct error_text message;
    bool changed = false;
    json_array_foreach(series_file_done(&series->file), i, entry)
    {
        json_t *before = json_object_get(entry, "traces");
        const char *prefix = json_string_value(json_object_get(entry, "prefix"));
        struct record_run run = {.clock = series->options->clocks,
                                 .number = (uint64_t)json_integer_value(json_object_get(entry, "run"))};
        struct metadata_location location = {series->file.directory, prefix, series_file_id(&series->file)};
        if (!prefix ||
            backend_check(&series->backend, &run, &location, before, json_object_get(entry, "exit"), &traces) != 0)
            continue;
        if (!json_equal(before, traces)) {
            changed = true;
            backend_failed(&series->backend, &run, &location);
        }
        json_object_set_new(entry, "traces", traces);
    }
    if (changed && series_file_save(&series->file, &message) != 0)
        session_fail(series->session, message.text);
}

/* The series stays one, since a variable need not matter to the command; whoever reads it can tell the runs apart. */
static void session_warn_of_environment(const struct session_series *series)
{
    char names[300] = "";
    const char *name;
    json_t *value;
    json_object_foreach(series->file.environment, name, value) error_list(names, sizeof names, name);
    if (*names)
        log_error("%s: its next runs have another environment than the first ones (%s), as series.json notes; if that "
                  "matters, choose another -o, or --overwrite",
                  series->options->output, names);
}

/* Resumes the series in its directory. Adds the runs that it lacks to those of the session, or sets session->stop. */
static void session_open_series(struct session_series *series)
{
    char location[RECORD_PATH_MAX];
    struct error_text message;
    struct session *session = series->session;
    struct record_options *options = series->options;
    json_t *configuration = metadata_configuration(options, &series->backend.engine, &message);
    int status = configuration ? publish_location(options, location, &message) : STATUS_BAD;
    if (status || series_file_open(&series->file, location, configuration, options, &message) != 0) {
        session_fail(session, message.text);
        json_decref(configuration);
        return;
    }
    options->seed = (uint64_t)json_integer_value(json_object_get(configuration, "seed"));
    json_decref(configuration);
    if (series_file_clean(&series->file, &message) != 0) {
        session_fail(session, message.text);
        return;
    }
    uint64_t wanted = options->runs * options->clock_count, missing = session_count_missing(series, series->left);
    assert(missing <= wanted);
    for (size_t i = 0; i < options->clock_count && missing > 0; i++)
        series->left[i] += options->warmup;
    session->total += missing ? missing + options->warmup * options->clock_count : 0;
    if (missing == 0)
        log_note("%s: complete: %" PRIu64 " of %" PRIu64 " runs exist; --overwrite would run them again",
                 options->output, wanted, wanted);
    else if (series->file.resumed)
        log_note("%s: resuming: %" PRIu64 " of %" PRIu64 " runs exist", options->output, wanted - missing, wanted);
    if (missing > 0)
        session_warn_of_environment(series);
}

/* The profile comes last: a command that can run only once has been recorded by then. */
static void session_take_profile(struct session_series *series)
{
    uint64_t missing[RECORD_CLOCKS_MAX];
    struct session *session = series->session;
    if (!series->options->profile || session->launcher.interrupted_by || session_count_missing(series, missing) > 0)
        return;
    profile_take(series->options, &session->launcher, session->input, &series->file);
    if (session->launcher.interrupted_by)
        session->status = 128 + session->launcher.interrupted_by;
}

/* ----------------------------------------------------------------------------------------------- all of it -- */

/* A resumed recording keeps its seed, even if its first configuration has no run so far, or its directory is gone: that
 * of the series with the most runs. */
static void session_find_seed(struct session *session)
{
    struct record_options *first = session->all[0].options;
    uint64_t seed;
    size_t runs, most = 0;
    bool found = false;
    if (session->count == 1 || first->overwrite || first->seed_given)
        return;
    for (size_t i = 0; i < session->count; i++)
        if (series_file_peek_seed(session->all[i].options->output, &seed, &runs) && (!found || runs > most)) {
            found = true;
            most = runs;
            first->seed = seed;
        }
    first->seed_given = found;
}

/* Nothing of a recording that does not begin stays: a new series would be in the way of others. */
static void session_remove_new(struct session *session, const struct record_options *given)
{
    for (size_t i = 0; i < session->count; i++)
        if (session->all[i].file.root && !session->all[i].file.resumed)
            series_file_remove(&session->all[i].file);
    if (session->count > 1)
        rmdir(given->output); /* if it is empty */
}

/* Prepares all configurations, with the seed of the first. False: something failed, and was reported. */
static bool session_open(struct session *session, const struct record_options *given)
{
    struct error_text message;
    if (variants_check(given, &message) != 0) {
        session_fail(session, message.text);
        return false;
    }
    session_find_seed(session);
    for (size_t i = 0; i < session->count && !session->stop; i++) {
        struct session_series *series = &session->all[i];
        if (i > 0) {
            series->options->seed = session->all[0].options->seed;
            series->options->seed_given = true;
        }
        if (backend_prepare(series->options, &series->backend, &message) != 0)
            session_fail(session, message.text);
        else
            session_open_series(series);
    }
    if (!session->stop && input_open(given->input, session->total > 1, &session->input, &message) != 0)
        session_fail(session, message.text);
    if (session->stop)
        session_remove_new(session, given);
    return !session->stop;
}

static void session_run_all(struct session *session, const struct record_options *given)
{
    const struct record_options *options = session->all[0].options;
    for (size_t i = 0; i < session->count; i++)
        backend_report(&session->all[i].backend);
    if (session->count > 1)
        log_note("%zu commands take turns, in random order in each round (seed %" PRIu64 ")", session->count,
                 options->seed);
    session->begin_ns = clock_ns(CLOCK_MONOTONIC);
    for (uint64_t number = 1; number <= options->warmup && !session->stop; number++)
        session_run_round(session, number, true);
    for (uint64_t number = 1; number <= options->runs && !session->stop; number++)
        session_run_round(session, number, false);
    log_clear_progress();
    for (size_t i = 0; i < session->count; i++)
        run_report_cover_end(&session->all[i].cover);
    if (session->launcher.interrupted_by) {
        session->status = 128 + session->launcher.interrupted_by;
        if (!given->output_is_file)
            log_note("interrupted; finished runs are kept in %s; the same command line resumes",
                     session->count > 1 ? given->output : session->all[0].file.directory);
    }
}

int record_main(struct record_options *given)
{
    struct record_options options[RECORD_VARIANTS_MAX];
    struct session session = {0};
    struct error_text message;
    log_init(given->quiet, "");
    launch_init(&session.launcher);
    session.count = variants_expand(given, options);
    struct session_series *all = session.all = calloc(session.count + 1, sizeof *all);
    if (!all || session.count == 0) {
        session_fail(&session, strerror(ENOMEM));
        session.count = 0;
    }
    for (size_t i = 0; i < session.count; i++)
        all[i] = (struct session_series){.session = &session, .options = &options[i], .file = {.lock = -1}};
    if (session.count > 0 && session_open(&session, given)) {
        if (session.total > 0)
            session_run_all(&session, given);
        for (size_t i = 0; i < session.count; i++) {
            session_finalize_traces(&all[i]);
            session_take_profile(&all[i]);
        }
        if (given->output_is_file && publish_file(&all[0].file, given, &message) != 0)
            session_fail(&session, message.text);
    }
    input_close(session.input);
    for (size_t i = 0; i < session.count; i++) {
        series_file_close(&all[i].file);
        backend_free(&all[i].backend);
    }
    variants_free(options, session.count);
    free(all);
    return session.status;
}
