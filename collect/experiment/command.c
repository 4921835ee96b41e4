#include "collect/experiment/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/experiment/runs/cell_keys.h"
#include "collect/experiment/state/busy.h"
#include "collect/experiment/state/machine.h"
#include "collect/experiment/pack/pack.h"
#include "collect/experiment/page/page.h"
#include "collect/experiment/results/report.h"
#include "collect/experiment/results/trial.h"
#include "collect/experiment/runs/moved.h"
#include "collect/experiment/runs/session.h"
#include "collect/experiment/runs/until.h"
#include "collect/record/log.h"

static int command_print_errors(const struct spec *spec)
{
    for (size_t i = 0; i < spec->error_count && i < SPEC_ERRORS_MAX; i++)
        log_error("%s", spec->errors[i]);
    if (spec->error_count > SPEC_ERRORS_MAX)
        log_error("%s: %zu more errors", spec->path, spec->error_count - SPEC_ERRORS_MAX);
    return STATUS_BAD;
}

/* Everything is relative to the directory of the file, except for the name of the archive. */
static int command_change_directory(struct experiment *experiment)
{
    const char *output = experiment->options->output;
    char here[PATH_MAX];
    if (output && *output != '/' && getcwd(here, sizeof here))
        output = memory_print(&experiment->memory, "%s/%s", here, output);
    experiment->output = output;
    const char *path = experiment->options->path, *slash = strrchr(path, '/');
    if (!slash)
        return STATUS_GOOD;
    const char *directory = slash == path ? "/" : memory_copy(&experiment->memory, path, (size_t)(slash - path));
    if (chdir(directory) == 0)
        return STATUS_GOOD;
    log_error("%s: %s", directory, strerror(errno));
    return STATUS_BAD;
}

static int command_read_runs(struct experiment *experiment)
{
    struct error_text message;
    if (!experiment->runs)
        experiment->runs = memory_allocate(&experiment->memory, experiment->plan.cell_count, sizeof *experiment->runs);
    for (size_t cell = 0; cell < experiment->plan.cell_count; cell++)
        if (cell_runs_read(experiment->spec.data, &experiment->plan.cells[cell], &experiment->runs[cell], &message) !=
            0) {
            log_error("%s", message.text);
            return STATUS_BAD;
        }
    return STATUS_GOOD;
}

static int command_report(struct experiment *experiment, struct steps *steps)
{
    struct report_counts counts;
    struct report_outcome *outcomes = memory_allocate(&experiment->memory, steps->count, sizeof *outcomes);
    int status = report_make(experiment, steps, outcomes, &counts);
    report_print_stale(experiment, steps);
    log_note("%zu result%s made, %zu unchanged, %zu not made", counts.made, counts.made == 1 ? "" : "s",
             counts.unchanged, counts.failed);
    if (busy_describe(experiment))
        log_note("%s", busy_describe(experiment));
    if (status >= 128 || !experiment->spec.has_results)
        return status;
    int written = page_make(experiment, steps, outcomes);
    return written ? written : status;
}

/* Whether there are runs to make: some are missing, or may be added or replaced. */
static bool command_is_unfinished(const struct experiment *experiment)
{
    for (size_t r = 0; r < experiment->spec.recording_count; r++)
        if (experiment->spec.recordings[r].until > 0)
            return true;
    for (size_t cell = 0; cell < experiment->plan.cell_count; cell++) {
        uint64_t rounds = experiment->spec.recordings[experiment->plan.cells[cell].recording].rounds;
        for (uint64_t round = 1; round <= rounds; round++)
            if (!cell_runs_have(&experiment->runs[cell], round))
                return true;
    }
    return experiment->options->overwrite;
}

static int command_choose_machine(struct experiment *experiment)
{
    struct error_text message;
    if (!command_is_unfinished(experiment))
        return STATUS_GOOD;
    json_t *machine = machine_describe(&experiment->memory, &experiment->launcher, &experiment->plan);
    if (state_set_machine(&experiment->state, machine, experiment->options->mix_machines, &message) == 0)
        return STATUS_GOOD;
    log_error("%s", message.text);
    return STATUS_BAD;
}

struct command_trial {
    struct experiment *experiment;
    const struct steps *steps;
    bool *checked; /* by result */
};

/* The lines of results on traces, as soon as there are some. */
static void command_check_traces(void *user)
{
    const struct command_trial *trial = user;
    trial_check_traces(trial->experiment, trial->steps, trial->checked);
}

/* Makes the runs, and checks the lines of results on traces as soon as there are some. */
static int command_make_runs(struct experiment *experiment, const struct steps *steps)
{
    bool *checked = memory_allocate(&experiment->memory, experiment->spec.result_count + 1, sizeof *checked);
    struct command_trial trial = {experiment, steps, checked};
    return session_make_runs(experiment, command_check_traces, &trial);
}

/* With a checked description: the runs, then the results. */
static int command_execute_checked(struct experiment *experiment, struct steps *steps)
{
    const struct experiment_options *options = experiment->options;
    struct error_text message;
    if (command_read_runs(experiment) != 0)
        return STATUS_BAD;
    if (options->action == EXPERIMENT_RUN && (options->dry_run || command_is_unfinished(experiment)) &&
        trial_check_tables(experiment, steps) != 0)
        return command_print_errors(&experiment->spec);
    if (state_open(&experiment->state, &experiment->spec, !options->dry_run,
                   options->one_round ? &experiment->launcher : NULL, &message) != 0) {
        if (experiment->launcher.interrupted_by)
            return 128 + experiment->launcher.interrupted_by;
        log_error("%s", message.text);
        return STATUS_BAD;
    }
    if (command_read_runs(experiment) != 0) /* another one may have been at work */
        return STATUS_BAD;
    until_restore(experiment);
    if (options->dry_run) {
        command_print_plan(experiment);
        return STATUS_GOOD;
    }
    int status = STATUS_GOOD;
    if (options->action == EXPERIMENT_RUN) {
        if (session_finish_killed(experiment) != 0 || command_choose_machine(experiment) != 0)
            return STATUS_BAD;
        status = cell_keys_check(experiment, options->overwrite);
        if (!status)
            status = moved_follow(experiment);
        if (status)
            return status;
        status = command_make_runs(experiment, steps);
        if (options->one_round || status >= 128)
            return status;
    }
    int made = command_report(experiment, steps);
    if (options->action == EXPERIMENT_PACK)
        return made ? made : pack_write(experiment, steps);
    return made ? made : status;
}

int command_execute(const struct experiment_options *options)
{
    struct experiment experiment = {.options = options, .state = {.lock = -1}};
    struct steps steps = {0};
    int status;
    obstack_init(&experiment.memory);
    log_init(options->quiet, "");
    launch_init(&experiment.launcher);
    if (spec_read(&experiment.memory, options->path, &experiment.spec) != 0 ||
        plan_make_cells(&experiment.spec, &experiment.plan) != 0) {
        status = command_print_errors(&experiment.spec);
    } else {
        status = command_change_directory(&experiment);
        int wrong = status ? 0 : steps_make(&experiment.spec, &experiment.plan, &experiment.launcher, &steps);
        if (launch_interrupted(&experiment.launcher))
            status = 128 + experiment.launcher.interrupted_by;
        else if (wrong)
            status = command_print_errors(&experiment.spec);
        if (!status)
            status = command_execute_checked(&experiment, &steps);
    }
    for (size_t cell = 0; cell < experiment.plan.cell_count && experiment.runs; cell++)
        cell_runs_free(&experiment.runs[cell]);
    state_close(&experiment.state);
    obstack_free(&experiment.memory, NULL);
    return status;
}
