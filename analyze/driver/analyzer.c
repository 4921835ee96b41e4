#include "analyze/driver/analyzer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/cluster.h"
#include "analyze/driver/conditions.h"
#include "analyze/driver/driver.h"
#include "analyze/driver/state.h"
#include "analyze/cli/result.h"

/* Warns of runs under different conditions that have one result together. */
static void analyzer_warn_of_conditions(const struct settings *settings, const struct inputs *inputs,
                                        struct report *report)
{
    const struct analyzer *analyzer = settings->analyzer;
    enum run_label by = analyzer->own_by ? analyzer->own_by(analyzer->own) : RUN_LABELS;
    json_t *conditions = inputs_conditions(inputs);
    conditions_warn(conditions, by < RUN_LABELS ? by : settings->by, analyzer->by, report);
    json_decref(conditions);
}

/* Writes the table (and the figure of --plot). Returns 0, or 1 after an error message. */
static int analyzer_write_report(const struct settings *settings, const struct inputs *inputs, void *state,
                                 const struct baseline *baseline)
{
    struct report report = {.options = &settings->options, .warnings = json_array(), .notes = json_array()};
    report.wants_figure = result_wants_figure(&settings->common.result);
    json_t *paths = inputs_paths(inputs), *loss = loss_sum(inputs, &report);
    baseline_account(baseline, &report, paths, loss);
    int error = baseline->given ? settings->analyzer->report_baseline(baseline->state, state, &report)
                                : settings->analyzer->report(state, &report);
    int status = 1;
    if (!error)
        analyzer_warn_of_conditions(settings, inputs, &report);
    if (error || !report.table)
        driver_print_error(settings, "%s", strerror(error ? error : ENOMEM));
    else if (settings->options.selection.weight)
        report_note(&report, "samples count as their weight '%s' (--weight)", settings->options.selection.weight);
    if (!error && report.table)
        status = result_write(&settings->common.result, &report, paths, loss);
    if (!status && report.no_result)
        status = STATUS_BAD;
    report_free(&report);
    json_decref(paths);
    json_decref(loss);
    return status;
}

/* For rank 0, or any process outside a job: with what the others have read. */
static int analyzer_run_leader(const struct settings *settings, const struct cluster *cluster, struct inputs *inputs,
                               struct baseline *baseline)
{
    void *state = NULL;
    struct error_text message;
    int error = run_parts(settings, inputs, &state, &message);
    int far = cluster_gather(cluster, settings, inputs, error ? NULL : state);
    if (error)
        driver_print_error(settings, "%s", message.text);
    int status = 1;
    bool good = !error && !far && baseline_read(settings, baseline) == 0;
    if (good && inputs->count > 0 && settings->save_state) {
        int unsaved = partial_write(settings, inputs, state);
        if (unsaved)
            driver_print_error(settings, "%s: %s", settings->save_state, strerror(unsaved));
        status = unsaved ? 1 : 0;
    } else if (good && inputs->count > 0) {
        status = analyzer_write_report(settings, inputs, state, baseline);
    }
    if (!error)
        state_free(settings->analyzer, state);
    return status;
}

static void analyzer_run_follower(const struct settings *settings, const struct cluster *cluster, struct inputs *inputs)
{
    void *state = NULL;
    struct error_text message;
    int error = run_parts(settings, inputs, &state, &message);
    if (error == EINVAL) /* others are the same for all files, and rank 0 prints them */
        driver_print_error(settings, "%s", message.text);
    cluster_send(cluster, settings, inputs, state, error);
    if (!error)
        state_free(settings->analyzer, state);
}

int analyzer_main(const struct analyzer *analyzer, int argc, char **argv)
{
    struct settings settings;
    struct cluster cluster;
    struct inputs inputs;
    struct baseline baseline = {.given = false};
    cluster_hush();
    settings_parse(&settings, analyzer, argc, argv);
    cluster_unhush();
    if (cluster_join(&cluster, analyzer->name) != 0)
        return 1;
    if (!settings.common.jobs)
        settings.common.jobs = cluster_processors(&cluster);
    bool full = cluster.rank == 0 && inputs_expand_directories(&settings) != 0;
    if (cluster.rank == 0 && !full)
        inputs_sort(&settings);
    if (full || cluster_share_paths(&cluster, &settings) != 0 || inputs_open(&inputs, &settings) != 0) {
        driver_print_error(&settings, "out of memory");
        exit(1); /* in a job, all ranks exit with it */
    }
    int status = 0;
    if (cluster.rank == 0)
        status = analyzer_run_leader(&settings, &cluster, &inputs, &baseline);
    else
        analyzer_run_follower(&settings, &cluster, &inputs);
    bool bad = loss_damaged(&inputs) || loss_doubtful(&inputs);
    bool incomplete = cluster.rank == 0 && (inputs.unreadable > 0 || (bad && !settings.keep_going));
    incomplete |= baseline_is_incomplete(&baseline);
    baseline_free(&baseline);
    inputs_close(&inputs);
    for (size_t i = 0; i < settings.owned_count; i++)
        free(settings.owned_paths[i]);
    free(settings.owned_paths);
    free(settings.common.paths);
    free(settings.tables);
    free(settings.common.result.command);
    cluster_leave(&cluster);
    return status ? status : incomplete;
}
